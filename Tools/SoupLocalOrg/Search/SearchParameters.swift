// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

/// A search from parameters: those of a URL, or a JSON object.
struct SearchParameters {
    private struct Wanted {
        var name: String
        var fields: [String] = []
        var condition: String?
        var order: String?
        var limit: Int?
    }

    private let text: String
    private let group: String?
    private let overallLimit: Int?
    private let wanted: [Wanted]
    /// The number of records of an object that sets no limit.
    let defaultLimit: Int?

    /// Reads the parameters of a URL: `q=Acme&sobject=Account&Account.fields=Id,Name`.
    init(url request: OrgRequest) throws {
        func number(_ name: String) throws -> Int? { try request.parameter(name).map { try Self.number($0, name) } }
        text = try Self.term(request.parameter("q"))
        group = request.parameter("in")
        overallLimit = try number("overallLimit")
        defaultLimit = try number("defaultLimit")
        let common = request.list("fields") ?? []
        let objects = request.query.filter { $0.name.lowercased() == "sobject" }.flatMap {
            OrgRequest.list(of: $0.value)
        }
        wanted = try objects.map { name in
            let own = request.list("\(name).fields") ?? []
            return Wanted(
                name: name, fields: own.isEmpty ? common : own, condition: request.parameter("\(name).where"),
                order: request.parameter("\(name).orderBy"), limit: try number("\(name).limit"))
        }
    }

    /// Reads the body of a request.
    init(body: JSONObject) throws {
        func number(_ object: JSONObject, _ name: String) throws -> Int? {
            guard let value = object[name], !value.isNull else { return nil }
            return try Self.number(value.intValue.map(String.init) ?? value.stringValue ?? "", name)
        }
        func names(_ value: JSONValue?) -> [String] { value?.arrayValue?.compactMap(\.stringValue) ?? [] }
        text = try Self.term(body["q"]?.stringValue)
        group = body["in"]?.stringValue
        overallLimit = try number(body, "overallLimit")
        defaultLimit = try number(body, "defaultLimit")
        let common = names(body["fields"])
        wanted = try (body["sobjects"]?.arrayValue ?? []).map { json in
            guard let object = json.objectValue, let name = object["name"]?.stringValue else {
                throw OrgError(400, "MALFORMED_SEARCH", message: "each of sobjects must have a name")
            }
            let own = names(object["fields"])
            return Wanted(
                name: name, fields: own.isEmpty ? common : own, condition: object["where"]?.stringValue,
                order: object["orderBy"]?.stringValue, limit: try number(object, "limit"))
        }
    }

    private static func term(_ text: String?) throws -> String {
        guard let text, !text.isEmpty else {
            throw OrgError(400, "MALFORMED_SEARCH", message: "No search term found. The parameter q has it.")
        }
        return text
    }

    private static func number(_ text: String, _ name: String) throws -> Int {
        guard let number = Int(text), number >= 0 else {
            throw OrgError(400, "MALFORMED_SEARCH", message: "\(name) must be a whole number, not '\(text)'")
        }
        return number
    }

    /// Returns the search of the parameters.
    ///
    /// - Throws: ``OrgError`` with `MALFORMED_SEARCH` for a part that cannot be read.
    func search(_ schema: OrgSchema) throws -> SOSLQuery {
        var search = try Self.reading(text, schema: schema) { SOSLQuery(try SOSLQuery.term(parsing: Self.closed($0))) }
        if let group {
            let name = group.uppercased().split(separator: " ").first.map(String.init) ?? ""
            guard let known = SOSLQuery.FieldGroup(rawValue: name) else {
                throw OrgError(400, "MALFORMED_SEARCH", message: "'\(group)' is not a group of fields")
            }
            search.group = known
        }
        search.limit = overallLimit
        search.returning = try wanted.map { wanted in
            var object = SOSLObject(wanted.name)
            object.items = wanted.fields.map { name in
                .path(
                    SOQLPath(name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)), alias: nil)
            }
            if let text = wanted.condition, !text.isEmpty {
                object.condition = try Self.reading(text, schema: schema) {
                    try SOQLCondition(parsing: $0, mixedConditions: false, maximumDepth: QueryCompiler.maximumDepth)
                }
            }
            if let text = wanted.order, !text.isEmpty {
                object.order = try Self.reading(text, schema: schema) {
                    try SOQLQuery(parsing: "SELECT Id FROM X ORDER BY \($0)").order
                }
            }
            object.limit = wanted.limit
            return object
        }
        return search
    }

    /// Returns the term with its braces escaped, because they have no meaning here.
    private static func closed(_ text: String) -> String {
        var closed = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in text.unicodeScalars {
            if !isEscaped, scalar == "{" || scalar == "}" { closed.append("\\") }
            isEscaped = scalar == "\\" && !isEscaped
            closed.append(scalar)
        }
        // A backslash at the end would escape the brace that ends the term.
        if isEscaped { closed.append("\\") }
        return String(closed)
    }

    private static func reading<T>(_ text: String, schema: OrgSchema, _ body: (String) throws -> T) throws -> T {
        do {
            return try body(text)
        } catch let error as SoupError {
            throw OrgError(400, "MALFORMED_SEARCH", message: error.message)
        }
    }
}

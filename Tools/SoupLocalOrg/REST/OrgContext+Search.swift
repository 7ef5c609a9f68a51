// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

extension OrgContext {
    /// Answers `/search` and what is below it.
    func search(_ request: OrgRequest, _ path: [String]) throws -> OrgAnswer {
        switch path.first?.lowercased() {
        case nil: return try allow(["GET"], request) { try self.search(request) }
        case "scopeorder" where path.count == 1: return try allow(["GET"], request) { self.searchScope() }
        case "layout" where path.count == 1: return try allow(["GET"], request) { self.searchLayouts(request) }
        default: throw OrgError.notFound
        }
    }

    private func search(_ request: OrgRequest) throws -> OrgAnswer {
        guard let text = request.parameter("q") else {
            throw OrgError(
                400, "MALFORMED_SEARCH", "No search term found. The search term must be enclosed in braces.")
        }
        let source = QuerySource(text: text, schema: schema, zone: caller().zone)
        do {
            return try found(try SOSLQuery(parsing: text, mixedConditions: false), source)
        } catch let error as SoupError where error.code == .sosl {
            throw source.malformed(error, "MALFORMED_SEARCH")
        }
    }

    /// Answers `/parameterizedSearch`: the same searches, by parameters or by a JSON body.
    func parameterizedSearch(_ request: OrgRequest) throws -> OrgAnswer {
        try allow(["GET", "POST"], request) {
            let parameters =
                try request.method == "POST"
                ? SearchParameters(body: request.jsonObject()) : SearchParameters(url: request)
            // There is no text of the whole search whose places errors could show.
            return try self.found(
                parameters.search(self.schema), QuerySource(text: "", schema: self.schema, zone: self.caller().zone),
                parameters.defaultLimit)
        }
    }

    private func found(
        _ search: SOSLQuery, _ source: QuerySource, _ defaultLimit: Int? = nil
    ) throws -> OrgAnswer {
        try compiling {
            let run = SearchRun(
                compiler: QueryCompiler(source: source, caller: caller()), db: db, writing: rowWriting,
                indexedUntil: options.searchIndexDelay > 0 ? org.clock.now.plus(-options.searchIndexDelay) : nil)
            var output = JSONOutput()
            // Before version 37 the answer was the list alone.
            if version >= 37 { output.append("{\"searchRecords\":") }
            output.append(UInt8(ascii: "["))
            for (index, record) in try run.records(search, defaultLimit: defaultLimit).enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                output.append(record)
            }
            output.append(UInt8(ascii: "]"))
            if version >= 37 { output.append(UInt8(ascii: "}")) }
            return OrgAnswer(output)
        }
    }

    /// The objects that a search looks through, in order.
    private func searchScope() -> OrgAnswer {
        OrgAnswer(
            .array(
                schema.objects.filter(\.flags.searchable).map { object in
                    ["type": .string(object.name), "url": .string("\(apiPath)/sobjects/\(object.name)/describe")]
                }))
    }

    /// How the results of searches are shown: for each object of `q` its columns, or why there are none.
    private func searchLayouts(_ request: OrgRequest) -> OrgAnswer {
        OrgAnswer(
            .array(
                (request.list("q") ?? []).map { name in
                    guard let object = schema[name], object.flags.searchable else {
                        return [
                            "errorMsg": .string("The object '\(name)' is not searchable"), "label": .null,
                            "limitRows": 0, "objectType": .string(name), "searchColumns": [],
                        ]
                    }
                    return [
                        "errorMsg": .null, "label": .string(object.labelPlural), "limitRows": 25,
                        "objectType": .string(object.name),
                        "searchColumns": .array(Self.searchColumns(object).map { Self.searchColumn($0, object) }),
                    ]
                }))
    }

    /// The fields that tell records apart: the name, then the ways to reach people.
    private static func searchColumns(_ object: OrgObject) -> [OrgField] {
        let names = object.fields.filter(\.isNameField)
        let reached = object.fields.filter { $0.type == .phone || $0.type == .email }
        return Array((names + reached).prefix(5))
    }

    private static func searchColumn(_ field: OrgField, _ object: OrgObject) -> JSONValue {
        [
            "field": .string("\(object.name).\(field.name)"), "format": .null, "label": .string(field.label),
            "name": .string(field.name),
        ]
    }
}

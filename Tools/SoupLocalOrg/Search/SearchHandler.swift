// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

/// Answers `/search`, `/search/scopeOrder` and `/search/layout`.
struct SearchHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    func search() throws -> OrgAnswer {
        guard let text = request.parameter("q") else {
            throw OrgError(
                400, "MALFORMED_SEARCH",
                message: "No search term found. The search term must be enclosed in braces.")
        }
        let source = QuerySource(text: text, schema: context.schema, zone: context.caller().zone)
        do {
            return try .records(
                of: try SOSLQuery(parsing: text, mixedConditions: false), source: source, in: context)
        } catch let error as SoupError where error.code == .sosl {
            throw source.malformed(error, "MALFORMED_SEARCH")
        }
    }

    /// Returns the objects that a search looks through, in order.
    func scopeOrder() throws -> OrgAnswer {
        OrgAnswer(
            .array(
                context.schema.objects.filter(\.flags.searchable).map { object in
                    [
                        "type": .string(object.name),
                        "url": .string("\(context.apiPath)/sobjects/\(object.name)/describe"),
                    ]
                }))
    }

    /// Returns the columns of search results, or the reason why there are none, for each object of `q`.
    func layouts() throws -> OrgAnswer {
        OrgAnswer(
            .array(
                (request.list("q") ?? []).map { name in
                    guard let object = context.schema[name], object.flags.searchable else {
                        return [
                            "errorMsg": .string("The object '\(name)' is not searchable"), "label": .null,
                            "limitRows": 0, "objectType": .string(name), "searchColumns": [],
                        ]
                    }
                    return [
                        "errorMsg": .null, "label": .string(object.labelPlural), "limitRows": 25,
                        "objectType": .string(object.name),
                        "searchColumns": .array(Self.columns(of: object).map { Self.column($0, of: object) }),
                    ]
                }))
    }

    /// Returns the fields that identify a record to a user: the name, then phone numbers and email addresses.
    private static func columns(of object: OrgObject) -> [OrgField] {
        let names = object.fields.filter(\.isNameField)
        let contacts = object.fields.filter { $0.type == .phone || $0.type == .email }
        return Array((names + contacts).prefix(5))
    }

    private static func column(_ field: OrgField, of object: OrgObject) -> JSONValue {
        [
            "field": .string("\(object.name).\(field.name)"), "format": .null, "label": .string(field.label),
            "name": .string(field.name),
        ]
    }
}

/// Answers `/parameterizedSearch`: searches by parameters of the URL or by a JSON body.
struct ParameterizedSearchHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    func searchByURL() throws -> OrgAnswer { try records(SearchParameters(url: request)) }

    func searchByBody() throws -> OrgAnswer { try records(SearchParameters(body: request.jsonObject())) }

    private func records(_ parameters: SearchParameters) throws -> OrgAnswer {
        // There is no text of the whole search to which an error could refer.
        let source = QuerySource(text: "", schema: context.schema, zone: context.caller().zone)
        return try .records(
            of: parameters.search(context.schema), source: source, defaultLimit: parameters.defaultLimit, in: context)
    }
}

extension OrgAnswer {
    /// The response to a search: the records found.
    fileprivate static func records(
        of search: SOSLQuery, source: QuerySource, defaultLimit: Int? = nil, in context: OrgContext
    ) throws -> OrgAnswer {
        try context.queries.mappingErrors {
            let delay = context.options.searchIndexDelay.milliseconds
            let run = SearchRun(
                compiler: QueryCompiler(source: source, caller: context.caller()), db: context.db,
                writing: context.reader.writer,
                indexedUntil: delay > 0 ? context.org.clock.now.plus(-delay) : nil)
            var output = JSONOutput()
            // Before version 37 the response was the list alone.
            if context.version >= 37 { output.append("{\"searchRecords\":") }
            output.append(UInt8(ascii: "["))
            for (index, record) in try run.records(search, defaultLimit: defaultLimit).enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                output.append(record)
            }
            output.append(UInt8(ascii: "]"))
            if context.version >= 37 { output.append(UInt8(ascii: "}")) }
            return OrgAnswer(output)
        }
    }
}

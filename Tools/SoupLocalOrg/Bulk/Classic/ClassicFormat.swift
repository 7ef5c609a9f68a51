// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The format of the responses of Bulk API 1.0: XML or JSON.
struct ClassicFormat {
    static let namespace = "http://www.force.com/2009/06/asyncapi/dataload"
    static let attributes = " xmlns=\"\(namespace)\""

    var isJSON: Bool

    init(isJSON: Bool) { self.isJSON = isJSON }

    /// The format of the response to a request: that of its body, of its `Accept` header, or of its job.
    init(for request: OrgRequest, in context: OrgContext) {
        if let type = request.header("Content-Type")?.lowercased() {
            isJSON = type.contains("json")
        } else if let type = request.header("Accept")?.lowercased(), type.contains("json") {
            isJSON = true
        } else {
            // `/services/async/{version}/job/{job}`
            let path = request.segments
            isJSON = path.count > 4 && context.org.bulk.classicJobs[path[4]]?.contentType == .json
        }
    }

    /// Returns a response with one element.
    func answer(_ name: String, _ facts: [ClassicFact], status: Int = 200) -> OrgAnswer {
        guard !isJSON else { return json(Self.json(facts), status: status) }
        var writer = XMLWriter()
        writer.element(name, attributes: Self.attributes) { Self.append(facts, to: &$0) }
        return xml(writer, status: status)
    }

    /// Returns a response with a list, such as a job's batches.
    func list(_ listName: String, of name: String, _ items: [[ClassicFact]]) -> OrgAnswer {
        guard !isJSON else { return json([name: .array(items.map(Self.json))]) }
        var writer = XMLWriter()
        writer.element(listName, attributes: Self.attributes) { writer in
            for item in items { writer.element(name) { Self.append(item, to: &$0) } }
        }
        return xml(writer)
    }

    /// Returns a response with the IDs of a query's results.
    func resultList(_ ids: [String]) -> OrgAnswer {
        guard !isJSON else { return json(.array(ids.map { .string($0) })) }
        var writer = XMLWriter()
        writer.element("result-list", attributes: Self.attributes) { writer in
            for id in ids { writer.element("result", id) }
        }
        return xml(writer)
    }

    /// Returns an error response; its codes are single words: `InvalidJob`.
    func answer(_ error: OrgError) -> OrgAnswer {
        let item = error.items.first
        let facts = [
            ClassicFact("exceptionCode", .text(item?.code ?? "Unknown")),
            ClassicFact("exceptionMessage", .text(item?.message ?? "")),
        ]
        return answer("error", facts, status: error.status)
    }

    private func json(_ value: JSONValue, status: Int = 200) -> OrgAnswer {
        var answer = OrgAnswer(value, status: status)
        // Clients compare this text exactly.
        answer.contentType = "application/json"
        return answer
    }

    private func xml(_ writer: XMLWriter, status: Int = 200) -> OrgAnswer {
        OrgAnswer(status, body: writer.bytes, contentType: "application/xml")
    }

    private static func json(_ facts: [ClassicFact]) -> JSONValue {
        .object(JSONObject(facts.map { (key: $0.name, value: $0.json) }))
    }

    private static func append(_ facts: [ClassicFact], to writer: inout XMLWriter) {
        for fact in facts { writer.element(fact.name, fact.text) }
    }
}

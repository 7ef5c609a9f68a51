// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The two languages of the first generation of the Bulk API: XML and JSON.
struct ClassicAnswer {
    static let namespace = "http://www.force.com/2009/06/asyncapi/dataload"
    static let attributes = " xmlns=\"\(namespace)\""

    var isJSON: Bool

    func answer(_ name: String, _ facts: [ClassicFact], status: Int = 200) -> OrgAnswer {
        guard !isJSON else { return json(Self.json(facts), status: status) }
        var writer = XMLWriter()
        writer.element(name, attributes: Self.attributes) { Self.append(facts, to: &$0) }
        return xml(writer, status: status)
    }

    /// A list, such as that of a job's batches.
    func answer(_ listName: String, _ name: String, _ items: [[ClassicFact]]) -> OrgAnswer {
        guard !isJSON else { return json([name: .array(items.map(Self.json))]) }
        var writer = XMLWriter()
        writer.element(listName, attributes: Self.attributes) { writer in
            for item in items { writer.element(name) { Self.append(item, to: &$0) } }
        }
        return xml(writer)
    }

    /// The ids of a query's results.
    func resultList(_ ids: [String]) -> OrgAnswer {
        guard !isJSON else { return json(.array(ids.map { .string($0) })) }
        var writer = XMLWriter()
        writer.element("result-list", attributes: Self.attributes) { writer in
            for id in ids { writer.element("result", id) }
        }
        return xml(writer)
    }

    /// A refusal; codes are written in one word here: `InvalidJob`.
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
        // Clients compare it to the letter.
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

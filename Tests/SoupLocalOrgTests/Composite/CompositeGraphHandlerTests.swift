// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupCore
import Testing

@Suite struct CompositeGraphHandlerTests {
    private let objects = [("Account", ["Name"]), ("Contact", ["LastName"])]

    private func node(
        _ method: String, _ url: String, reference: String, body: JSONValue? = nil
    ) -> JSONValue {
        var node: JSONObject = [
            "method": .string(method), "url": .string("/services/data/v60.0/sobjects/\(url)"),
            "referenceId": .string(reference),
        ]
        node["body"] = body
        return .object(node)
    }

    private func graph(_ id: String, _ nodes: [JSONValue]) -> JSONValue {
        ["graphId": .string(id), "compositeRequest": .array(nodes)]
    }

    private func accountGraph(_ id: String, lastName: JSONValue = "Child") -> JSONValue {
        graph(
            id,
            [
                node("POST", "Account", reference: "a", body: ["Name": .string(id)]),
                node("POST", "Contact", reference: "c", body: ["LastName": lastName, "AccountId": "@{a.id}"]),
                node("GET", "Contact/@{c.id}?fields=Account.Name", reference: "g"),
            ])
    }

    @Test func `Each graph succeeds or fails as a whole`() async throws {
        let client = try OrgClient()
        let answer = try await client.json(
            .post, "composite/graph",
            body: ["graphs": [accountGraph("g1"), accountGraph("g2", lastName: nil), accountGraph("g3")]])
        let graphs = answer.graphs?.arrayValue ?? []
        #expect(graphs.map { $0.graphId } == ["g1", "g2", "g3"])
        #expect(graphs.map { $0.isSuccessful } == [true, false, true])
        let codes = graphs.map { graph in
            graph.graphResponse?.compositeResponse?.arrayValue?.map { node in
                node.body?[0]?.errorCode?.stringValue ?? "\(node.httpStatusCode?.intValue ?? 0)"
            }
        }
        #expect(
            codes == [
                ["201", "201", "200"], ["PROCESSING_HALTED", "REQUIRED_FIELD_MISSING", "PROCESSING_HALTED"],
                ["201", "201", "200"],
            ])
        #expect(graphs[2].graphResponse?.compositeResponse?[2]?.body?.Account?["Name"] == "g3")
        #expect(
            try client.state(objects).hasSuffix(
                """
                [Account Deleted]
                Account g1
                Account g3
                Contact Ng
                Contact Smith
                Contact Orphan
                Contact Child
                Contact Child
                """))
    }

    @Test func `References stay within a graph`() async throws {
        let client = try OrgClient()
        let other = graph(
            "g2", [node("POST", "Contact", reference: "c", body: ["LastName": "x", "AccountId": "@{a.id}"])])
        let answer = try await client.json(.post, "composite/graph", body: ["graphs": [accountGraph("g1"), other]])
        #expect(answer.graphs?[1]?.isSuccessful == false)
        #expect(
            answer.graphs?[1]?.graphResponse?.compositeResponse?[0]?.body?[0]?.message
                == "Invalid reference specified. No value for a.id found in a")
    }

    @Test func `After 14 failed graphs the others are not run`() async throws {
        let client = try OrgClient()
        let before = try client.state(objects)
        let bad = (1...14).map { graph("b\($0)", [node("POST", "Account", reference: "a", body: [:])]) }
        let answer = try await client.json(
            .post, "composite/graph", body: ["graphs": .array(bad + [accountGraph("good")])])
        #expect(answer.graphs?.arrayValue?.map { $0.isSuccessful } == Array(repeating: false, count: 15))
        let last = answer.graphs?[14]?.graphResponse?.compositeResponse?.arrayValue
        #expect(last?.map { $0.body?[0]?.errorCode } == Array(repeating: "PROCESSING_HALTED", count: 3))
        #expect(try client.state(objects) == before)
        let fewer = try await client.json(
            .post, "composite/graph", body: ["graphs": .array(bad.dropLast() + [accountGraph("good")])])
        #expect(fewer.graphs?[13]?.isSuccessful == true)
    }

    private func created(_ count: Int) -> [JSONValue] {
        (0..<count).map { node("POST", "Account", reference: "a\($0)", body: ["Name": "N"]) }
    }

    private func chain(_ count: Int) -> JSONValue {
        graph(
            "c",
            (0..<count).map { index in
                node(
                    "POST", "Account", reference: "a\(index)",
                    body: ["Name": .string(index == 0 ? "N" : "@{a\(index - 1).id}")])
            })
    }

    @Test func `Graphs above a limit are rejected`() async throws {
        let client = try OrgClient()
        let before = try client.state(objects)
        let kinds = [
            "Account", "Contact", "Lead", "Case", "Opportunity", "Task", "Event", "Product2", "Visit__c", "User",
            "Group",
            "Profile", "RecordType", "Visit_Item__c", "Organization",
        ]
        let bodies: [(JSONValue, Int)] = [
            (["graphs": []], 400), ([:], 400), (["graphs": [graph("-a", created(1))]], 400),
            (["graphs": [graph(String(repeating: "a", count: 40), created(1))]], 400),
            (["graphs": [graph("é", created(1))]], 400),
            (["graphs": [graph("a", created(1)), graph("a", created(1))]], 400),
            (["graphs": [graph("a", [])]], 400),
            (["graphs": .array((0..<76).map { graph("g\($0)", created(1)) })], 400),
            (["graphs": [graph("a", created(251)), graph("b", created(250))]], 400), (["graphs": [chain(16)]], 400),
            (["graphs": [graph("a", [node("GET", "Account/describe", reference: "a")])]], 400),
            (["graphs": [graph("a", [node("GET", "Account", reference: "a")])]], 400),
            (["graphs": [graph("a", [node("POST", "../query?q=x", reference: "a")])]], 400),
            (["graphs": [graph("a", kinds.enumerated().map { node("DELETE", "\($1)/1", reference: "r\($0)") })]], 200),
            (
                [
                    "graphs": [
                        graph(
                            "a", (kinds + ["Asset"]).enumerated().map { node("DELETE", "\($1)/1", reference: "r\($0)") }
                        )
                    ]
                ],
                400
            ),
        ]
        for (body, status) in bodies {
            #expect(try await client.send(.post, "composite/graph", body: body).status == status, "\(body)")
        }
        #expect(try client.state(objects) == before)
    }

    @Test func `Limits apply to all graphs together`() async throws {
        let client = try OrgClient()
        #expect(
            try await client.json(.post, "composite/graph", body: ["graphs": [chain(15)]]).graphs?[0]?.isSuccessful
                == true)
        let most = ["graphs": [graph("a", created(250)), graph("b", created(250))]] as JSONValue
        #expect(
            try await client.json(.post, "composite/graph", body: most).graphs?.arrayValue?.map { $0.isSuccessful } == [
                true, true,
            ])
        #expect(try client.org.state(of: "Account").count == 4 + 15 + 500)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupCore
import Testing

@Suite struct CompositeHandlerTests {
    private let objects = [("Account", ["Name"]), ("Contact", ["LastName"])]

    private func request(
        _ method: String, _ url: String, reference: String, body: JSONValue? = nil
    ) -> JSONValue {
        var request: JSONObject = [
            "method": .string(method), "url": .string("/services/data/v60.0/\(url)"), "referenceId": .string(reference),
        ]
        request["body"] = body
        return .object(request)
    }

    @Test func `A tree is created by references`() async throws {
        let client = try OrgClient()
        let answer = try await client.json(
            .post, "composite",
            body: [
                "allOrNone": false,
                "compositeRequest": [
                    request("POST", "sobjects/Account", reference: "local_1", body: ["Name": "Parent"]),
                    request(
                        "POST", "sobjects/Contact", reference: "local_2",
                        body: ["LastName": "Child", "AccountId": "@{local_1.id}"]),
                    request("GET", "sobjects/Contact/@{local_2.id}?fields=Account.Name", reference: "r3"),
                    request("GET", "query?q=select Id from Contact where Name = 'x y+z'", reference: "r4"),
                    request("DELETE", "sobjects/Contact/@{r3.Id}", reference: "r5"),
                    request("GET", "sobjects/Contact/@{r4.records[0].Id}", reference: "r6"),
                ],
            ])
        let answers = answer.compositeResponse?.arrayValue ?? []
        #expect(answers.map { $0.httpStatusCode } == [201, 201, 200, 200, 204, 400])
        #expect(answers[2].body?.Account?["Name"] == "Parent")
        #expect(answers[4].body == .null)
        #expect(answers[5].body?[0]?.errorCode == "PROCESSING_HALTED")
        #expect(answers.map { $0.referenceId } == ["local_1", "local_2", "r3", "r4", "r5", "r6"])
    }

    @Test func `A tree with an error creates nothing`() async throws {
        let client = try OrgClient()
        let before = try client.state(objects)
        let record: (String) -> JSONValue = { ["attributes": ["type": "Contact"], "LastName": .string($0)] }
        let answer = try await client.json(
            .post, "composite",
            body: [
                "allOrNone": true,
                "compositeRequest": [
                    request(
                        "PATCH", "sobjects/Account/\(client.org.id(of: "acc1") ?? "")", reference: "a",
                        body: ["Name": "Changed"]),
                    request(
                        "POST", "composite/sobjects", reference: "b",
                        body: ["allOrNone": false, "records": [record("One"), record("")]]),
                    request("DELETE", "sobjects/Account/\(client.org.id(of: "acc2") ?? "")", reference: "c"),
                ],
            ])
        let answers = answer.compositeResponse?.arrayValue ?? []
        #expect(answers.map { $0.httpStatusCode } == [400, 200, 400])
        #expect(answers[0].body?[0]?.errorCode == "PROCESSING_HALTED")
        #expect(answers[2].body?[0]?.errorCode == "PROCESSING_HALTED")
        // One failed record of a collection is enough; the collection's own `allOrNone` does not matter.
        #expect(
            answers[1].body?.arrayValue?.map { $0.errors?[0]?.statusCode } == [
                "ALL_OR_NONE_OPERATION_ROLLED_BACK", "REQUIRED_FIELD_MISSING",
            ])
        #expect(try client.state(objects) == before)
    }

    @Test func `Without allOrNone a collection keeps its own`() async throws {
        let client = try OrgClient()
        let record: (String) -> JSONValue = { ["attributes": ["type": "Contact"], "LastName": .string($0)] }
        let answer = try await client.json(
            .post, "composite",
            body: [
                "compositeRequest": [
                    request(
                        "POST", "composite/sobjects", reference: "a",
                        body: ["allOrNone": true, "records": [record("1"), record("")]]),
                    request(
                        "POST", "composite/sobjects", reference: "b", body: ["records": [record("2"), record("")]]),
                    request("POST", "sobjects/Account", reference: "c", body: ["Name": "@{b[0].id}"]),
                    request("POST", "sobjects/Account", reference: "d", body: ["Name": "@{b[1].id}"]),
                ]
            ])
        #expect(answer.compositeResponse?.arrayValue?.map { $0.httpStatusCode } == [200, 200, 201, 400])
        let made = try client.org.state(of: "Contact").last?["Id"]?.stringValue ?? ""
        #expect(
            try client.state(objects).hasSuffix(
                """
                [Account Deleted]
                Account \(made)
                Contact Ng
                Contact Smith
                Contact Orphan
                Contact 2
                """))
    }

    @Test func `References are found beside combining marks`() async throws {
        let client = try OrgClient()
        let answer = try await client.json(
            .post, "composite",
            body: [
                "compositeRequest": [
                    request("POST", "sobjects/Account", reference: "a", body: ["Name": "P"]),
                    request(
                        "POST", "sobjects/Account", reference: "b",
                        body: ["Name": "@{a.id}\u{301}x@{a.success}\u{301}@{"]),
                ]
            ])
        let id = answer.compositeResponse?[0]?.body?.id?.stringValue ?? "?"
        #expect(try client.state(objects).contains("Account \(id)\u{301}xtrue\u{301}@{\n"))
    }

    @Test func `At most five of the subrequests are queries or collections`() async throws {
        let client = try OrgClient()
        func requests(_ count: Int) -> JSONValue {
            let urls = ["query?q=SELECT Id FROM Account", "queryAll?q=SELECT Id FROM Account"]
            return ["compositeRequest": .array((0..<count).map { request("GET", urls[$0 % 2], reference: "r\($0)") })]
        }
        #expect(try await client.send(.post, "composite", body: requests(5)).status == 200)
        #expect(try await client.send(.post, "composite", body: requests(6)).status == 400)
    }

    @Test func `A batch counts as many calls as it has requests`() async throws {
        let client = try OrgClient()
        func used() async throws -> Int64 {
            let limit = try await client.json(.get, "limits").DailyApiRequests
            return (limit?.Max?.intValue ?? 0) - (limit?.Remaining?.intValue ?? 0)
        }
        let before = try await used()
        let get: JSONValue = ["method": "GET", "url": "v60.0/limits"]
        _ = try await client.send(.post, "composite/batch", body: ["batchRequests": [get, get, get]])
        #expect(try await used() == before + 4)
        #expect(try await client.send(.post, "composite/batch", body: ["batchRequests": []]).status == 400)
    }

    @Test func `A rolled back upsert reports whether it was a create`() async throws {
        let client = try OrgClient()
        let before = try client.state(objects)
        let record: (JSONValue, JSONValue) -> JSONValue = { id, name in
            ["attributes": ["type": "Contact"], "Id": id, "LastName": name]
        }
        let answer = try await client.json(
            .patch, "composite/sobjects/Contact/Id",
            body: [
                "allOrNone": true,
                "records": [
                    record(nil, "New"), record(client.org.id(of: "con1").map { .string($0) } ?? nil, "Old"),
                    record(nil, ""),
                ],
            ])
        #expect(answer.arrayValue?.map { $0.created } == [true, false, true])
        #expect(answer.arrayValue?.map { $0.success } == [false, false, false])
        #expect(try client.state(objects) == before)
    }

    @Test func `A malformed graph runs nothing`() async throws {
        let client = try OrgClient()
        let before = try client.state(objects)
        let create = request("POST", "sobjects/Account", reference: "a", body: ["Name": "No"])
        let bodies: [JSONValue] = [
            ["compositeRequest": [create, create]], ["compositeRequest": .array(Array(repeating: create, count: 26))],
            ["compositeRequest": [create, ["method": "GET"]]], ["compositeRequest": 1], [], 7, ["x": 1],
        ]
        for body in bodies { #expect(try await client.send(.post, "composite", body: body).status == 400, "\(body)") }
        #expect(try client.state(objects) == before)
    }

    @Test func `Lists in URLs may contain spaces`() async throws {
        let client = try OrgClient()
        let ids = ["acc1", "acc2"].map { client.org.id(of: $0) ?? "" }
        let rows = try await client.json(
            .get, "composite/sobjects/Account?ids=\(ids[0]),%20,%20\(ids[1])%20,&fields=Name,%20,%20Rating")
        #expect(rows.arrayValue?.map { $0.Name } == ["Acme", "Globex"])
        #expect(rows[0]?.objectValue?.keys == ["attributes", "Name", "Rating", "Id"])
        #expect(
            client.code(try await client.json(.get, "composite/sobjects/Account?ids=,&fields=Id")) == "MISSING_ARGUMENT"
        )
    }

    @Test func `Items of a collection fail independently`() async throws {
        let client = try OrgClient()
        client.org.add(OrgFault(.itemError(.init(index: 1, code: "UNABLE_TO_LOCK_ROW")), count: 1))
        let record: (String) -> JSONValue = { ["attributes": ["type": "Account"], "Name": .string($0)] }
        let answer = try await client.json(
            .post, "composite/sobjects", body: ["records": [record("K1"), record("K2"), record("K3")]])
        #expect(answer.arrayValue?.map { $0.success } == [true, false, true])
        #expect(try client.state([objects[0]]).hasSuffix("[Account Deleted]\nAccount K1\nAccount K3"))
        let ids = answer.arrayValue?.compactMap { $0.id?.stringValue } ?? []
        let deleted = try await client.json(
            .delete, "composite/sobjects?ids=\(ids[0]),\(ids[0]),bogus,\(ids[1])&allOrNone=false")
        #expect(
            deleted.arrayValue?.map { $0.errors?[0]?.statusCode } == [nil, "ENTITY_IS_DELETED", "MALFORMED_ID", nil])
    }

    @Test func `A batch continues after an error`() async throws {
        let client = try OrgClient()
        let answer = try await client.json(
            .post, "composite/batch",
            body: [
                "batchRequests": [
                    ["method": "GET", "url": "v60.0/sobjects/Nope"],
                    ["method": "POST", "url": "/v60.0/sobjects/Account", "richInput": ["Name": "B"]],
                ]
            ])
        #expect(answer.hasErrors == true)
        #expect(answer.results?.arrayValue?.map { $0.statusCode } == [404, 201])
    }
}

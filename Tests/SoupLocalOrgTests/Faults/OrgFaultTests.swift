// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupCore
import Testing

@Suite struct OrgFaultTests {
    private let accounts = [("Account", ["Name"])]

    private func create(_ client: OrgClient, _ name: String) async throws -> HTTPAnswer {
        try await client.send(.post, "sobjects/Account", body: ["Name": .string(name)])
    }

    @Test(arguments: [
        (OrgFault.DropPoint.accept, false, NetworkFailure.Delivery.notSent), (.beforeHeaders, false, .unknown),
        (.midBody, true, .unknown), (.afterCommit, true, .unknown),
    ])
    func `A broken connection is a network error`(
        _ point: OrgFault.DropPoint, _ isDone: Bool, _ delivery: NetworkFailure.Delivery
    ) async throws {
        let client = try OrgClient()
        client.org.add(OrgFault(.drop(point), method: "POST", count: 1))
        do {
            _ = try await create(client, "Lost")
            Issue.record("the answer came")
        } catch let error as SoupError {
            #expect(error.code == .network && error.delivery == delivery)
        }
        #expect(try client.state(accounts).contains("Account Lost") == isDone)
        #expect(try await create(client, "Next").status == 201)
    }

    @Test func `Faults apply when their conditions are met`() async throws {
        let client = try OrgClient()
        client.org.add(
            OrgFault(
                .http(status: 503, code: "SERVER_UNAVAILABLE", headers: ["Retry-After": "7"]), path: "/limits$",
                nth: [2]))
        client.org.add(OrgFault(.http(status: 500), path: "/query", every: 3, count: 1))
        var statuses: [Int] = []
        for _ in 0..<3 { statuses.append(try await client.send(.get, "limits").status) }
        #expect(statuses == [200, 503, 200])
        statuses = []
        for _ in 0..<7 { statuses.append(try await client.send(.get, "query?q=select+Id+from+Account").status) }
        #expect(statuses == [200, 200, 500, 200, 200, 200, 200])
        #expect(client.org.journal.map(\.fault) == [nil, "f1", nil, nil, nil, "f2", nil, nil, nil, nil])
        client.org.removeFault()
    }

    @Test func `A pause uses the clock`() async throws {
        let clock = FixedClock()
        let client = try OrgClient(clock: clock)
        client.org.add(OrgFault(.latency(.milliseconds(1500)), count: 1))
        #expect(try await client.send(.get, "limits").status == 200)
        #expect(clock.sleeps == [1500])
    }

    @Test func `Tokens end and are renewed`() async throws {
        let client = try OrgClient()
        client.org.add(OrgFault(.expireToken, path: "/limits", count: 1))
        let answer = try await client.send(.get, "limits")
        #expect(answer.status == 401)
        #expect(
            try JSONValue(parsing: answer.body) == [
                ["message": "Session expired or invalid", "errorCode": "INVALID_SESSION_ID"]
            ])
        var request = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/services/oauth2/token")
        let form = "grant_type=refresh_token&client_id=emu-client&refresh_token=\(client.org.refreshToken)"
        let fresh = try JSONValue(parsing: try await client.org.respond(to: request, body: Array(form.utf8)).body)
        request.path = "/services/data/v60.0/limits"
        request.method = .get
        request.headerFields[.authorization] = "OAuth \(fresh.access_token?.stringValue ?? "")"
        #expect(try await client.org.respond(to: request).status == 200)
    }

    @Test func `Tokens have a lifetime if set`() async throws {
        var options = OrgOptions()
        options.tokenLifetime = .milliseconds(60_000)
        let client = try OrgClient(options: options)
        let form =
            "grant_type=password&client_id=emu-client&username=DEMO@example.org&password=demo&scope=refresh_token"
        var request = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/services/oauth2/token")
        let login = try JSONValue(parsing: try await client.org.respond(to: request, body: Array(form.utf8)).body)
        #expect(login.refresh_token != nil)
        request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/services/data/v60.0/limits")
        request.headerFields[.authorization] = "Bearer \(login.access_token?.stringValue ?? "")"
        #expect(try await client.org.respond(to: request).status == 200)
        client.org.advanceClock(by: .milliseconds(60_000))
        #expect(try await client.org.respond(to: request).status == 401)
    }

    @Test func `Garbage and truncation keep the status`() async throws {
        let client = try OrgClient()
        client.org.add(OrgFault(.garbage(), count: 1))
        client.org.add(OrgFault(.truncate(10), count: 1))
        let first = try await client.send(.get, "limits")
        let second = try await client.send(.get, "limits")
        #expect(first.status == 200 && first.body.first == UInt8(ascii: "<"))
        #expect(second.status == 200 && second.body.count == 10)
    }

    @Test func `Administration is unavailable by default`() async throws {
        let closed = try OrgClient()
        #expect(try await closed.send(.get, "/_emu/health").status == 404)
        var options = OrgOptions()
        options.admin = true
        let client = try OrgClient(options: options)
        #expect(try await client.send(.get, "/_emu/health").status == 200)
        let contact = client.org.id(of: "con1") ?? ""
        let clock = try await client.json(.post, "/_emu/clock", body: ["advance": 90, "resolution": "1ms"])
        #expect(clock.now == "2024-01-15T12:06:30.000+0000")
        let edit: JSONValue = [
            "object": "Contact", "id": .string(contact), "values": ["FirstName": "Eva"], "as": "otherUser",
        ]
        #expect(try await client.send(.post, "/_emu/edit", body: edit).status == 200)
        let row = try await client.json(.get, "/_emu/state/Contact")
        #expect(row[0]?["Name"] == "Eva Ng" && row[0]?.LastModifiedDate == "2024-01-15T12:06:30.000+0000")
        #expect(row[0]?.LastModifiedById == .string(client.org.id(of: "other") ?? ""))
        let ids = try await client.json(.post, "/_emu/faults", body: ["do": ["kind": "limit"], "when": ["count": 1]])
        #expect(ids.ids == ["f1"])
        #expect(try await client.send(.get, "limits").status == 403)
        let journal = try await client.json(.get, "/_emu/journal")
        #expect(journal.arrayValue?.map { $0.fault } == ["f1"])
        #expect(try await client.send(.delete, "/_emu/faults").status == 200)
        #expect(try await client.send(.post, "/_emu/reset", body: ["seed": "large 3"]).status == 200)
        #expect(try await client.values("select count(Id) from Account") == [3])
        #expect(try await client.send(.post, "/_emu/reset", body: ["seed": "nope"]).status == 400)
        #expect(try await client.send(.post, "/_emu/tokens/expire").status == 200)
        #expect(try await client.send(.get, "limits").status == 401)
    }
}

extension OrgFaultTests {
    @Test func `The journal contains requests without secrets`() async throws {
        let client = try OrgClient()
        _ = try await client.send(
            .post, "sobjects/Account", body: ["Name": "Seen"], headers: [.contentType: "application/json"])
        let entry = client.org.journal.last
        #expect(entry?.path == "/services/data/v60.0/sobjects/Account" && entry?.status == 201)
        #expect(entry?.headers == ["authorization": "…", "content-type": "application/json"])
        #expect(entry.map { String(decoding: $0.body, as: UTF8.self) } == #"{"Name":"Seen"}"#)
        #expect(entry?.rowsWritten == 1)
    }

    @Test func `Old requests lose their bodies in the journal`() async throws {
        let client = try OrgClient()
        let text = JSONValue.string(String(repeating: "x", count: 3 << 20))
        for _ in 0..<4 { _ = try await client.send(.post, "sobjects/Account", body: ["Name": text]) }
        #expect(client.org.journal.map { $0.body.isEmpty } == [true, true, false, false])
        #expect(client.org.journal.map(\.number) == [1, 2, 3, 4])
    }
}

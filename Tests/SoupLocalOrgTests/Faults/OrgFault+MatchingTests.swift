// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Foundation
import SoupCore
import Synchronization
import Testing

@testable import SoupLocalOrg

/// The requests that faults match, the counts of the rules, and their description.
@Suite struct OrgFaultMatchingTests {
    private func client() throws -> OrgClient {
        var options = OrgOptions()
        options.admin = true
        return try OrgClient(clock: FixedClock(), options: options)
    }

    private func header(_ text: String) throws -> HTTPFields {
        [try #require(HTTPField.Name("X-Emu-Fault")): text]
    }

    @Test func `A request may contain a fault`() async throws {
        let client = try client()
        client.org.add(OrgFault(.http(status: 500)))
        let short = try header(#"{"kind": "http", "status": 503}"#)
        #expect(try await client.send(.get, "limits", headers: short).status == 503)
        let whole = try header(#"{"id": "mine", "do": {"kind": "latency", "ms": 5}}"#)
        #expect(try await client.send(.get, "limits", headers: whole).status == 500)
        #expect(client.org.journal.map(\.faults) == [["header"], ["mine", "f1"]])
        let wrong = try await client.send(.get, "limits", headers: try header("{"))
        #expect(wrong.status == 400)
        client.org.setOptions { $0.admin = false }
        client.org.removeFault()
        #expect(try await client.send(.get, "limits", headers: short).status == 200)
    }

    @Test func `The journal contains the duration of a response`() async throws {
        let client = try OrgClient(clock: MovingClock())
        client.org.add(OrgFault(.latency(.milliseconds(250))))
        client.org.add(OrgFault(.latency(.milliseconds(50))))
        _ = try await client.send(.get, "limits")
        let entry = try #require(client.org.journal.first)
        #expect(entry.duration == .milliseconds(300))
        #expect(entry.json.ms == 300 && entry.json.faults == ["f1", "f2"] && entry.json.fault == "f2")
    }

    @Test func `Faults match by client, body and object`() async throws {
        let client = try client()
        client.org.add(OrgFault(.http(status: 501), client: "emu-client", count: 1))
        client.org.add(OrgFault(.http(status: 502), client: "other"))
        client.org.add(OrgFault(.http(status: 503), object: "case"))
        client.org.add(OrgFault(.http(status: 504), bodyContains: "é\u{301}"))
        #expect(try await client.send(.get, "limits").status == 501)
        #expect(try await client.send(.get, "limits").status == 200)
        #expect(try await client.send(.get, "sobjects/Case/describe").status == 503)
        #expect(try await client.send(.post, "sobjects/Account", body: ["Name": "aé\u{301}"]).status == 504)
        #expect(try await client.send(.post, "sobjects/Account", body: ["Name": "aé"]).status == 201)
    }

    /// Positions count all matching requests, including those to which another rule applied.
    @Test func `Positions count independently of other rules`() async throws {
        let client = try client()
        let rules: JSONValue = [
            ["match": ["path": "/limits$"], "when": ["nth": [1]], "do": ["kind": "http", "status": 503]],
            ["match": ["path": "/limits$"], "when": ["nth": [2]], "do": ["kind": "http", "status": 429]],
            ["match": ["path": "/limits$"], "when": ["nth": [3]], "do": ["kind": "http", "status": 401]],
            ["match": ["path": "/limits$"], "when": ["every": 2], "do": ["kind": "http", "status": 500]],
        ]
        #expect(try await client.json(.post, "/_emu/faults", body: rules).ids?.arrayValue?.count == 4)
        var statuses: [Int] = []
        for _ in 0..<6 { statuses.append(try await client.send(.get, "limits").status) }
        #expect(statuses == [503, 429, 401, 500, 200, 500])
        #expect(client.org.faults.map(\.fired) == [1, 1, 1, 2])
    }

    /// A rule keeps its use if another rule applies instead.
    @Test func `A rule hidden by another keeps its count`() async throws {
        let client = try client()
        client.org.add(OrgFault(.http(status: 501), count: 1))
        client.org.add(OrgFault(.http(status: 502), count: 1))
        var statuses: [Int] = []
        for _ in 0..<3 { statuses.append(try await client.send(.get, "limits").status) }
        #expect(statuses == [501, 502, 200])
    }

    private func fired(_ client: OrgClient) -> [Int] { client.org.faults.map(\.fired) }

    @Test func `A record error waits for a matching record`() async throws {
        let client = try client()
        client.org.add(OrgFault(.itemError(.init(object: "Contact", code: "UNABLE_TO_LOCK_ROW")), count: 1))
        func create(_ type: String, _ name: String) async throws -> JSONValue {
            try await client.json(
                .post, "composite/sobjects",
                body: ["records": [["attributes": ["type": .string(type)], .init(name): "x"]]])
        }
        #expect(try await client.send(.get, "limits").status == 200)
        #expect(try await create("Account", "Name")[0]?.success == true)
        let retrieved = try await client.send(
            .post, "composite/sobjects/Contact",
            body: ["ids": [.string(client.org.id(of: "con1") ?? "")], "fields": ["Id"]])
        #expect(retrieved.status == 200)
        #expect(fired(client) == [0])
        #expect(client.org.journal.allSatisfy { $0.faults.isEmpty })
        let struck = try await create("Contact", "LastName")
        #expect(struck[0]?.errors?[0]?.statusCode == "UNABLE_TO_LOCK_ROW")
        #expect(fired(client) == [1] && client.org.journal.last?.faults == ["f1"])
        #expect(try await create("Contact", "LastName")[0]?.success == true)
    }

    @Test func `An error for an object applies to deletions too`() async throws {
        let client = try client()
        client.org.add(OrgFault(.itemError(.init(object: "Contact", code: "UNABLE_TO_LOCK_ROW"))))
        let id = client.org.id(of: "con1") ?? ""
        let before = try client.org.state(of: "Contact")
        let answer = try await client.json(.delete, "composite/sobjects?ids=\(id)")
        #expect(answer[0]?.errors?[0]?.statusCode == "UNABLE_TO_LOCK_ROW")
        #expect(try client.org.state(of: "Contact") == before)
    }

    @Test func `Record errors match subrequests by position`() async throws {
        for error in [OrgFault.ItemError(index: 1, code: "X"), OrgFault.ItemError(code: "X")] {
            let client = try client()
            client.org.add(OrgFault(.itemError(error)))
            let answer = try await client.json(
                .post, "composite",
                body: [
                    "compositeRequest": .array(
                        ["a", "b"].map {
                            [
                                "method": "POST", "url": "/services/data/v60.0/sobjects/Account",
                                "referenceId": .string($0), "body": ["Name": .string($0)],
                            ]
                        })
                ])
            let statuses = answer.compositeResponse?.arrayValue?.map { $0.httpStatusCode }
            #expect(statuses == (error.index == nil ? [400, 400] : [201, 400]))
        }
    }

    @Test func `Job faults wait for a submitted job`() async throws {
        for effect in [OrgFault.Effect.jobFail("on purpose"), .jobStall(polls: 1, time: .milliseconds(0))] {
            let client = try client()
            client.org.add(OrgFault(effect, count: 1))
            #expect(try await client.send(.get, "limits").status == 200)
            let open = try await client.json(.post, "jobs/ingest", body: ["operation": "insert", "object": "Account"])
            let path = "jobs/ingest/\(open.id?.stringValue ?? "")"
            let upload = try await client.org.authorizedTransport.send(
                HTTPRequest(
                    method: .put, scheme: nil, authority: nil, path: "\(client.version)/\(path)/batches",
                    headerFields: [.contentType: "text/csv"]), body: Array("Name\nA\n".utf8))
            #expect(upload.status == 201)
            _ = try await client.json(.get, path)
            #expect(fired(client) == [0])
            #expect(try await client.json(.patch, path, body: ["state": "UploadComplete"]).state == "UploadComplete")
            #expect(fired(client) == [1])
            let state = try await client.json(.get, path).state
            if case .jobFail = effect { #expect(state == "Failed") } else { #expect(state == "InProgress") }
        }
    }

    @Test func `RecordPage and search faults wait for such requests`() async throws {
        let client = try client()
        client.org.add(OrgFault(.shrinkPages(1), id: "page", count: 1))
        #expect(try await client.send(.get, "limits").status == 200)
        #expect(try await client.send(.get, "sobjects/Account/describe").status == 200)
        #expect(fired(client) == [0])
        #expect(try await client.query("SELECT Id FROM Account").done == false)
        #expect(fired(client) == [1])
        client.org.removeFault()
        client.org.add(OrgFault(.searchIndexDelay(.milliseconds(60_000)), count: 1))
        client.org.add(OrgFault(.replicationLag(.milliseconds(60_000)), count: 1))
        client.org.add(OrgFault(.reverseIndependent, count: 1))
        #expect(try await client.send(.get, "limits").status == 200)
        #expect(fired(client) == [0, 0, 0])
        #expect(try await client.send(.get, "search?q=FIND%20%7BAcme%7D").status == 200)
        #expect(fired(client) == [1, 0, 0])
    }

    @Test func `A fault begins after a delay`() async throws {
        let client = try client()
        client.org.add(OrgFault(.http(status: 500), startDelay: .milliseconds(1000)))
        #expect(try await client.send(.get, "limits").status == 200)
        client.org.advanceClock(by: .milliseconds(1000))
        #expect(try await client.send(.get, "limits").status == 500)
    }

    @Test func `Random faults are the same in each run`() async throws {
        func statuses(_ seed: UInt64) async throws -> [Int] {
            let client = try client()
            client.org.add(OrgFault(.http(status: 500), probability: 0.5, seed: seed))
            var statuses: [Int] = []
            for _ in 0..<40 { statuses.append(try await client.send(.get, "limits").status) }
            return statuses
        }
        let first = try await statuses(11)
        #expect(try await statuses(11) == first)
        #expect(try await statuses(12) != first)
        #expect((10...30).contains(first.count { $0 == 500 }))
    }

    @Test func `Snapshots are restored completely`() async throws {
        let client = try client()
        #expect(try await client.send(.post, "/_emu/restore").status == 400)
        _ = try await client.send(.post, "sobjects/Account", body: ["Name": "Kept"])
        #expect(try await client.send(.post, "/_emu/snapshot").status == 200)
        let objects = [("Account", ["Id", "Name"]), ("Contact", ["Id", "Name"])]
        let before = try client.state(objects)
        var ids: [String] = []
        for _ in 0..<2 {
            client.org.advanceClock(by: .milliseconds(5000))
            let created = try await client.json(.post, "sobjects/Account", body: ["Name": "Gone"])
            ids.append(created.id?.stringValue ?? "")
            _ = try await client.send(.delete, "sobjects/Contact/\(client.org.id(of: "con1") ?? "")")
            #expect(try client.state(objects) != before)
            #expect(try await client.send(.post, "/_emu/restore").status == 200)
            #expect(try client.state(objects) == before)
            #expect(DateText.format(client.org.now.millisecondsSince1970) == "2024-01-15T12:05:00.000+0000")
        }
        // The restore includes the next ID, so both records have the same.
        #expect(ids[0] == ids[1])
    }
}

/// A clock that advances only by sleeping.
private final class MovingClock: SoupClock {
    private let time = Mutex<Int64>(1_705_320_000_000)

    var now: Date { Date(millisecondsSince1970: time.withLock { $0 }) }

    func sleep(for duration: Duration) async throws { time.withLock { $0 += duration.milliseconds } }
}

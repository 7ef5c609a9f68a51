// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// Locked rows and requests that are too large, from the server's responses to the entries.
@Suite struct PushFaultTests {
    private struct World {
        let folder: TemporaryFolder
        let org: LocalOrg
        let kit: SoupClient

        init(
            largest: Int = .max, answer: String = NarrowTransport.refusal, target: String = "{}"
        ) async throws {
            folder = try TemporaryFolder([
                "userstore.json": #"""
                {"soups": [{"soupName": "contacts", "indexes": [{"path": "Id", "type": "string"},
                  {"path": "__local__", "type": "string"}]}]}
                """#,
                "usersyncs.json": #"""
                {"syncs": [{"syncName": "up", "syncType": "syncUp", "soupName": "contacts", "target": \#(target),
                  "options": {"mergeMode": "OVERWRITE", "fieldlist": ["LastName", "Description"]}}]}
                """#,
            ])
            // Each sleep of a run ends at once, as if the time had passed.
            let clock = ManualClock.advancing()
            org = try LocalOrg(seed: OrgSeed(json: Array(#"{"seed": []}"#.utf8)), clock: clock)
            kit = try await SoupClient.open(
                at: folder.url,
                options: .init(
                    transport: NarrowTransport(base: org.authorizedTransport, largest: largest, answer: answer),
                    clock: clock, environment: [:]))
        }

        func names() throws -> [String] { try org.state(of: "Contact").compactMap { $0["LastName"]?.stringValue } }
    }

    /// A transport that refuses long bodies.
    private struct NarrowTransport: HTTPTransport {
        /// The API's own refusal, which means that nothing was changed.
        static let refusal = #"[{"errorCode": "EXCEEDED_MAX_SIZE_REQUEST", "message": "too large"}]"#
        /// The response of a gateway, which may arrive after the API has carried out the request.
        static let page = "<h1>Too large</h1>"

        let base: any HTTPTransport
        let largest: Int
        let answer: String

        func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
            guard body?.count ?? 0 <= largest else {
                return HTTPAnswer(HTTPResponse(status: 413), body: Array(answer.utf8))
            }
            return try await base.send(request, body: body)
        }
    }

    static let targets = [
        "{}",
        #"{"iOSImpl": "SFBatchSyncUpTarget", "androidImpl": "com.salesforce.androidsdk.mobilesync.target.BatchSyncUpTarget"}"#,
        #"{"iOSImpl": "SFSyncUpTarget", "androidImpl": "com.salesforce.androidsdk.mobilesync.target.SyncUpTarget"}"#,
    ]

    @Test(arguments: targets) func `A locked row is retried in the same run`(_ target: String) async throws {
        let world = try await World(target: target)
        for name in ["Ann", "Bob", "Cid"] {
            try await world.kit.store.create(["LastName": .string(name)], type: "Contact", in: "contacts")
        }
        world.org.add(
            OrgFault(.itemError(.init(field: "LastName", value: "Bob", code: "UNABLE_TO_LOCK_ROW")), count: 2))
        let result = try await world.kit.syncs.reSync(named: "up").result
        #expect([result.created, result.failed] == [3, 0])
        #expect(try world.names().sorted() == ["Ann", "Bob", "Cid"])
        #expect(try await world.kit.syncs.failures().isEmpty)
    }

    /// Pushes 40 creations in one request, one of which is longer than the server accepts.
    private func pushed(answer: String) async throws -> (World, SyncResult) {
        let world = try await World(largest: 4000, answer: answer)
        for number in 1...40 {
            let text = String(repeating: "x", count: number == 17 ? 5000 : 300)
            try await world.kit.store.create(
                ["LastName": .string("N\(number)"), "Description": .string(text)], type: "Contact", in: "contacts")
        }
        return (world, try await world.kit.syncs.reSync(named: "up").result)
    }

    @Test func `A request that is too large is split`() async throws {
        let (world, result) = try await pushed(answer: NarrowTransport.refusal)
        #expect([result.created, result.failed] == [39, 1])
        #expect(try world.names().count == 39)
        let failures = try await world.kit.syncs.failures()
        #expect(failures.map(\.failure.code) == ["EXCEEDED_MAX_SIZE_REQUEST"])
        #expect(failures.map(\.entryId) == [17])
    }

    /// If they were sent again in parts, they could exist twice.
    @Test func `A gateway's page leaves creations unknown`() async throws {
        let (world, result) = try await pushed(answer: NarrowTransport.page)
        #expect([result.created, result.failed, result.unknown] == [0, 0, 40])
        #expect(try world.names().isEmpty)
        #expect(try await world.kit.syncs.unknownCreations()["contacts"]?.count == 40)
    }
}

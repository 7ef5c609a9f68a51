// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupSync
import SoupSalesforce
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Synchronization
import Testing

/// Pushes that end early: the outcomes of sent changes are applied, and the other changes are unaffected.
@Suite struct PushStopTests {
    /// An org behind a session, and a store with contacts that the org does not have.
    private struct World {
        let folder: TemporaryFolder
        let clock: ManualClock
        let org: LocalOrg
        let kit: SoupClient

        init(
            _ type: String, names: [String], mode: String = "OVERWRITE", clock: ManualClock = .advancing(),
            watch: SecondWrite = SecondWrite()
        ) async throws {
            self.clock = clock
            folder = try TemporaryFolder([
                "userstore.json": #"""
                {"soups": [{"soupName": "contacts", "indexes": [{"path": "Id", "type": "string"},
                  {"path": "__local__", "type": "string"}]}]}
                """#,
                "usersyncs.json": #"""
                {"syncs": [{"syncName": "up", "syncType": "syncUp", "soupName": "contacts", "target": {"type": "\#(type)"},
                  "options": {"mergeMode": "\#(mode)", "fieldlist": ["LastName"]}}]}
                """#,
            ])
            org = try LocalOrg(seed: OrgSeed(json: Array(#"{"seed": []}"#.utf8)), clock: clock)
            let session = SessionTransport(
                over: WatchedTransport(base: org.transport, watch: watch),
                credentials: SalesforceCredentials(
                    instanceURL: OrgOptions().instanceURL, clientId: "emu-client", username: "demo@example.org",
                    password: "demo"),
                clock: clock, random: { 0.5 })
            kit = try await SoupClient.open(
                at: folder.url, options: .init(transport: session, clock: clock, environment: [:]))
            for name in names {
                try await kit.store.create(["LastName": .string(name)], type: "Contact", in: "contacts")
            }
        }

        /// Compares `names` with the org and the clean entries, and `unsent` with the dirty entries and their errors.
        func expect(org names: [String], unsent: [String], _ location: SourceLocation = #_sourceLocation) async throws {
            let there = try org.state(of: "Contact").compactMap { $0["LastName"]?.stringValue }
            #expect(there.sorted() == names, sourceLocation: location)
            let entries = try await kit.store.query(.all("contacts", pageSize: 100)).entries
            func lines(isDirty: Bool) -> [String] {
                entries.filter { ($0["__local__"] == true) == isDirty }
                    .map { "\($0["LastName"]?.stringValue ?? "?")\($0["__last_error__"]?.stringValue ?? "")" }.sorted()
            }
            #expect(lines(isDirty: false) == names, sourceLocation: location)
            #expect(lines(isDirty: true) == unsent, sourceLocation: location)
            let unknown = try await kit.syncs.unknownCreations()
            #expect(unknown == [:], sourceLocation: location)
        }
    }

    /// Reports the second request that writes a record, and holds it until the push must stop.
    private final class SecondWrite: Sendable {
        private let state = Mutex((isOn: false, writes: 0))
        let (arrivals, arrive) = AsyncStream.makeStream(of: Void.self)

        init(isOn: Bool = false) { state.withLock { $0.isOn = isOn } }

        func willSend(_ request: HTTPRequest) async {
            guard request.method == .post, request.path?.contains("/sobjects/Contact") == true else { return }
            let isSecond = state.withLock { state in
                state.writes += 1
                return state.isOn && state.writes == 2
            }
            guard isSecond else { return }
            arrive.yield()
            while !StopSignal.isRaised { await Task.yield() }
        }
    }

    private struct WatchedTransport: HTTPTransport {
        let base: any HTTPTransport
        let watch: SecondWrite

        func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
            await watch.willSend(request)
            return try await base.send(request, body: body)
        }
    }

    private static let names = ["Ann", "Bob", "Cid", "Dan", "Eve"]

    @Test(arguments: ["rest", "batch", "single"]) func `Cancelling the run ends its wait for a retry`(_ type: String)
        async throws
    {
        let world = try await World(type, names: Self.names, clock: ManualClock())
        world.org.add(
            OrgFault(.http(status: 429, code: "TOO_MANY", headers: ["Retry-After": "60"]), path: "/services/data"))
        let run = try await world.kit.syncs.reSync(named: "up")
        await world.clock.waitForSleepers()
        run.cancel()
        let result = await run.result
        #expect(result.state.status == .stopped)
        #expect(world.clock.sleeps.count == 1)
        try await world.expect(org: [], unsent: Self.names)
        world.org.removeFault()
        #expect(try await world.kit.syncs.reSync(named: "up").result.created == 5)
        try await world.expect(org: Self.names, unsent: [])
    }

    @Test func `A cancelled run finishes the request in flight`() async throws {
        let watch = SecondWrite(isOn: true)
        let world = try await World("single", names: Self.names, watch: watch)
        let run = try await world.kit.syncs.reSync(named: "up")
        for await _ in watch.arrivals { break }
        run.cancel()
        let result = await run.result
        #expect(result.state.status == .stopped)
        #expect([result.created, result.failed, result.unknown] == [2, 0, 0])
        try await world.expect(org: ["Ann", "Bob"], unsent: ["Cid", "Dan", "Eve"])
        #expect(try await world.kit.syncs.reSync(named: "up").result.created == 3)
        try await world.expect(org: Self.names, unsent: [])
    }

    /// In the middle of a push, the limit of requests is reached, or the org becomes unreachable.
    @Test(arguments: [OrgFault.Effect.limit, .drop(.accept)])
    func `A general error during a push ends the run, no record fails`(_ effect: OrgFault.Effect) async throws {
        let world = try await World("single", names: Self.names)
        world.org.add(
            OrgFault(effect, method: "POST", path: "/sobjects/Contact", nth: Array(3...30)))
        let result = try await world.kit.syncs.reSync(named: "up").result
        // The limit is a pause.
        #expect(result.state.status == (result.error?.code == .requestLimit ? .stopped : .failed))
        #expect([result.created, result.failed, result.unknown] == [2, 0, 0])
        try await world.expect(org: ["Ann", "Bob"], unsent: ["Cid", "Dan", "Eve"])
        #expect(try await world.kit.syncs.failures().isEmpty)
        world.org.removeFault()
        #expect(try await world.kit.syncs.reSync(named: "up").result.created == 3)
        try await world.expect(org: Self.names, unsent: [])
    }

    /// The limit of requests is reached when the engine fetches the server states, before it sends anything.
    @Test(arguments: ["LEAVE_IF_CHANGED", "MERGE"], ["rest", "single"])
    func `An error before the push ends the run, and no record fails`(_ mode: String, _ type: String) async throws {
        let world = try await World(type, names: Self.names, mode: mode)
        #expect(try await world.kit.syncs.reSync(named: "up").result.created == 5)
        for id in 1...5 {
            try await world.kit.store.edit(Int64(id), setting: ["LastName": .string("N\(id)")], in: "contacts")
        }
        world.org.add(OrgFault(.limit, path: "/services/data"))
        let result = try await world.kit.syncs.reSync(named: "up").result
        #expect(result.state.status == .stopped && result.error?.code == .requestLimit)
        #expect([result.updated, result.skipped, result.failed, result.unknown] == [0, 0, 0, 0])
        #expect(try await world.kit.syncs.failures().isEmpty)
        #expect(try await world.kit.syncs.conflicts().isEmpty)
        world.org.removeFault()
        #expect(try await world.kit.syncs.reSync(named: "up").result.updated == 5)
        try await world.expect(org: (1...5).map { "N\($0)" }, unsent: [])
    }
}

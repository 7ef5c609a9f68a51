// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupKit
import SoupLocalOrg
import SoupTesting
import Synchronization
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Runs that would exceed the limit of an org's API requests.
@Suite struct RequestLimitTests {
    private struct World {
        let clock: ManualClock
        let org: LocalOrg
        let kit: SoupClient
        private let folder: TemporaryFolder

        /// - Parameters:
        ///   - dailyLimit: the org's maximum number of requests.
        ///   - settings: members of `org.json`.
        init(dailyLimit: Int, settings: String? = nil, clock: ManualClock = ManualClock()) async throws {
            self.clock = clock
            var options = OrgOptions()
            options.dailyLimit = dailyLimit
            org = try LocalOrg(seed: OrgSeed(json: Array("{}".utf8)), clock: clock, options: options)
            // Two hours later is the next day.
            let toMidnight = 86_400_000 - clock.milliseconds % 86_400_000
            clock.advance(by: .milliseconds(toMidnight - 3_600_000))
            var files = [
                "userstore.json": #"""
                {"soups": [{"soupName": "contacts", "indexes": [{"path": "Id", "type": "string"},
                  {"path": "__local__", "type": "string"}, {"path": "__sync_id__", "type": "integer"}]}]}
                """#,
                "usersyncs.json": #"""
                {"syncs": [
                  {"syncName": "down", "syncType": "syncDown", "soupName": "contacts", "options": {"mergeMode": "OVERWRITE"},
                    "target": {"type": "soql", "query": "SELECT LastName FROM Contact", "maxBatchSize": 200}},
                  {"syncName": "up", "syncType": "syncUp", "soupName": "contacts", "target": {"type": "single"},
                    "options": {"mergeMode": "OVERWRITE", "fieldlist": ["LastName"]}}]}
                """#,
            ]
            files["org.json"] = settings
            folder = try TemporaryFolder(files)
            kit = try await SoupClient.open(
                at: folder.url,
                options: .init(transport: org.authorizedTransport, clock: clock, environment: [:]))
        }

        /// Opens the same files as another process does.
        func reopened() async throws -> SoupClient {
            try await SoupClient.open(
                at: folder.url, options: .init(transport: org.authorizedTransport, clock: clock, environment: [:]))
        }

        var calls: Int { org.journal.count }

        func run(_ name: String) async throws -> SyncResult {
            clock.advance(by: .seconds(10))
            return try await kit.syncs.reSync(named: name).result
        }

        func count() async throws -> Int { try await kit.store.count(.all("contacts", pageSize: 1)) }
    }

    @Test func `A sync down pauses and continues later`() async throws {
        let world = try await World(dailyLimit: 10, settings: #"{"requestLimitPercent": 20}"#)
        for number in 1...900 { try world.org.insert("Contact", ["LastName": .string("n\(number)")]) }
        let first = try await world.run("down")
        #expect(first.state.status == .stopped)
        #expect(first.state.error == "")
        #expect(first.state.pausedAtUsage == APIUsage(used: 2, maximum: 10))
        #expect(first.error?.code == .requestLimit)
        #expect(first.error?.message.contains("2 of 10 API requests of 24 hours are used") == true)
        #expect([world.calls, try await world.count()] == [2, 400])
        // Nothing is sent while the number is known.
        #expect(try await world.run("down").state.pausedAtUsage?.used == 2)
        #expect(world.calls == 2)
        let saved = try await world.kit.syncs.status(named: "down")
        #expect(saved?.pausedAtUsage == APIUsage(used: 2, maximum: 10))
        // After a quarter of an hour, one request finds out the next number.
        world.clock.advance(by: .seconds(15 * 60))
        #expect(try await world.run("down").state.pausedAtUsage?.used == 3)
        #expect([world.calls, try await world.count()] == [3, 600])
        world.clock.advance(by: .seconds(2 * 3600))
        #expect(try await world.run("down").state.status == .done)
        #expect(try await world.count() == 900)
        #expect(try await world.kit.syncs.status(named: "down")?.pausedAtUsage == nil)
    }

    @Test func `A sync up pauses between its batches`() async throws {
        let world = try await World(dailyLimit: 4)
        for number in 1...6 {
            try await world.kit.store.create(["LastName": .string("n\(number)")], type: "Contact", in: "contacts")
        }
        let first = try await world.run("up")
        #expect(first.state.status == .stopped)
        #expect([first.created, first.failed, first.unknown] == [4, 0, 0])
        #expect(world.calls == 4)
        #expect(try world.org.state(of: "Contact").count == 4)
        world.clock.advance(by: .seconds(2 * 3600))
        let last = try await world.run("up")
        #expect([last.state.status == .done ? 1 : 0, last.created, last.failed] == [1, 2, 0])
        #expect(
            try world.org.state(of: "Contact").compactMap { $0["LastName"]?.stringValue }.sorted()
                == (1...6).map { "n\($0)" })
    }

    @Test func `Another process does not exceed the limit`() async throws {
        let world = try await World(dailyLimit: 10, settings: #"{"requestLimitPercent": 20}"#)
        for _ in 1...2 { #expect(try await world.run("down").state.status == .done) }
        try await world.kit.close()
        let later = try await world.reopened()
        let result = try await later.syncs.reSync(named: "down").result
        #expect(result.state.status == .stopped)
        #expect(result.state.pausedAtUsage == APIUsage(used: 2, maximum: 10))
        await #expect(throws: SoupError.self) { try await later.syncs.cleanResyncGhosts(named: "down") }
        #expect(world.calls == 2)
        world.clock.advance(by: .seconds(15 * 60))
        #expect(try await later.syncs.reSync(named: "down").result.state.status == .done)
        #expect(world.calls == 3)
    }

    /// Both processes run at the same time, and each knows an own number.
    @Test func `A later number of another process counts`() async throws {
        let world = try await World(dailyLimit: 10, settings: #"{"requestLimitPercent": 20}"#)
        let other = try await world.reopened()
        #expect(try await world.run("down").state.status == .done)
        world.clock.advance(by: .seconds(10))
        #expect(try await other.syncs.reSync(named: "down").result.state.status == .done)
        #expect(try await world.run("down").state.pausedAtUsage == APIUsage(used: 2, maximum: 10))
        // Nothing was sent, and the saved number is still the last one.
        #expect(world.calls == 2)
        try await world.kit.close()
        let later = try await world.reopened()
        #expect(try await later.syncs.reSync(named: "down").result.state.status == .stopped)
        #expect(world.calls == 2)
    }

    @Test(arguments: [Int64.min, Int64.max, -1]) func `A damaged number counts as missing`(time: Int64) async throws {
        let world = try await World(dailyLimit: 10, settings: #"{"requestLimitPercent": 20}"#)
        for _ in 1...2 { #expect(try await world.run("down").state.status == .done) }
        try await world.kit.store.write { writer in
            let row = try #require(try writer.query(.all("syncs_api_usage", pageSize: 2)).entries.first)
            _ = try writer.stamp(
                [EntryStamp(id: row.id, stamp: .none.setting("time", .integer(time)))], in: "syncs_api_usage")
        }
        try await world.kit.close()
        let later = try await world.reopened()
        #expect(try await later.syncs.reSync(named: "down").result.state.status == .done)
        #expect(world.calls == 3)
    }

    /// The limit of the org, or the share, was raised meanwhile.
    @Test func `A newer number replaces the saved one`() async throws {
        let world = try await World(dailyLimit: 10, settings: #"{"requestLimitPercent": 20}"#)
        for _ in 1...2 { #expect(try await world.run("down").state.status == .done) }
        world.org.setOptions { $0.dailyLimit = 1000 }
        world.clock.advance(by: .seconds(15 * 60))
        #expect(try await world.run("down").state.status == .done)
        try await world.kit.close()
        let later = try await world.reopened()
        #expect(try await later.syncs.reSync(named: "down").result.state.status == .done)
    }

    @Test(arguments: ["down", "up"]) func `A refusal because of the limit is a pause`(name: String) async throws {
        let world = try await World(dailyLimit: 100)
        try world.org.insert("Contact", ["LastName": "n"])
        try await world.kit.store.create(["LastName": "mine"], type: "Contact", in: "contacts")
        world.org.add(OrgFault(.limit, count: 1))
        let result = try await world.run(name)
        #expect(result.state.status == .stopped)
        #expect(result.error?.code == .requestLimit)
        #expect([result.failed, result.unknown] == [0, 0])
        #expect(try await world.kit.syncs.failures().isEmpty)
        #expect(try await world.run(name).state.status == .done)
    }

    @Test func `The whole limit can be used`() async throws {
        let world = try await World(dailyLimit: 3, settings: #"{"requestLimitPercent": 100}"#)
        for number in 1...500 { try world.org.insert("Contact", ["LastName": .string("n\(number)")]) }
        #expect(try await world.run("down").state.status == .done)
        #expect(world.calls == 3)
        #expect(try await world.run("down").state.pausedAtUsage == APIUsage(used: 3, maximum: 3))
    }

    @Test(arguments: ["0", "101", "\"95\"", "-1", "[]"]) func `A wrong percentage is an error`(value: String) throws {
        let folder = try TemporaryFolder(["org.json": #"{"requestLimitPercent": \#(value)}"#])
        let problems = ConfigurationFolder(reading: folder.url, environment: [:]).orgProblems
        #expect(problems.map(\.place.path) == ["requestLimitPercent"])
        #expect(problems.map(\.severity) == [.error])
    }

    @Test func `A watch slows down before the limit`() async throws {
        let world = try await World(
            dailyLimit: 10, settings: #"{"requestLimitPercent": 100}"#, clock: ManualClock.advancing())
        for _ in 1...6 { _ = try await world.run("down") }
        // 7, then 8 of 10 requests were used.
        #expect(try await pauses(of: world) == [60, 168])
    }

    @Test func `A watch slows down after a refusal`() async throws {
        let world = try await World(dailyLimit: 100, clock: ManualClock.advancing())
        world.org.add(OrgFault(.limit, count: 1))
        #expect(try await pauses(of: world) == [600, 60])
    }

    /// Returns the two pauses between the first rounds of a watch in seconds; the clock advances by each pause.
    private func pauses(of world: World) async throws -> [Int] {
        let rounds = Mutex<[WatchRound]>([])
        let (kit, (stream, ends)) = (world.kit, AsyncStream.makeStream(of: Void.self))
        let watch = Task {
            try await kit.syncs.watch(
                ["down"], every: .seconds(60), debounce: .zero,
                onRound: { round in
                    guard round.endTime != nil else { return }
                    rounds.withLock { $0.append(round) }
                    ends.yield()
                }, follow: { _ in })
        }
        var count = 0
        for await _ in stream {
            count += 1
            if count == 3 { break }
        }
        watch.cancel()
        _ = await watch.result
        let ended = rounds.withLock { Array($0.prefix(3)) }
        return zip(ended, ended.dropFirst()).map {
            Int($1.startTime.timeIntervalSince($0.endTime ?? .distantPast).rounded())
        }
    }
}

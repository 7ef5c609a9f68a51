// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Synchronization
import Testing

@testable import SoupSync

/// Creations with a lost response that the server recognizes by an external ID.
@Suite struct UpRunIdempotentCreationsTests {
    /// A target that cannot look up creations sends them again without a look-up.
    @Test(arguments: [[:], ["canFind": true]] as [JSONObject])
    func `A creation that is not found is sent again`(target: JSONObject) async throws {
        let world = try await World()
        try await world.create("Ann")
        world.server.loseResponse(isApplied: false)
        var target = target
        target["isIdempotent"] = true
        _ = try await world.manager.create(world.up("up", .object(target)))
        try await world.run("up")
        try await world.run("up")
        #expect(world.server.log.filter { $0 != "find Ann" } == ["push create Ann", "push create Ann"])
        expect(try await world.entries(), [#"1 s1 {"Name":"Ann"} +0s clean"#])
    }

    /// The server may have the record, and another client may have changed it since.
    @Test(arguments: MergeMode.allCases) func `A failed look-up prevents sending again`(mode: MergeMode)
        async throws
    {
        let world = try await World()
        try await world.create("Ann")
        world.server.loseResponse()
        _ = try await world.manager.create(
            world.up("up", ["isIdempotent": true, "canFind": true, "refusesToFind": true], mode: mode))
        try await world.run("up")
        for _ in 1...2 { #expect(try await world.manager.reSync(named: "up").result.unknown == 1) }
        #expect(world.server.log.count { $0 == "push create Ann" } == 1)
        expect(try await world.manager.unknownCreations(), ["contacts": [1]])
        _ = try await world.manager.create(world.up("working", ["isIdempotent": true, "canFind": true], mode: mode))
        try await world.run("working")
        expect(world.server.dump, [#"s1 {"Name":"Ann"} +0s"#])
        expect(try await world.entries(), [#"1 s1 {"Name":"Ann"} +0s clean"#])
    }

    /// The server has applied the first push and rejects the second, which does not affect the first.
    @Test(arguments: [true, false]) func `A rejected second push leaves the outcome unknown`(
        throwsError: Bool
    )
        async throws
    {
        let world = try await World()
        try await world.create("Ann")
        world.server.loseResponse()
        _ = try await world.manager.create(world.up("up", ["isIdempotent": true]))
        try await world.run("up")
        world.server.with {
            $0.onPush = { _, changes in
                if throwsError { throw SoupError(.server, "out of order") }
                return changes.map { _ in .failed(PushFailure(code: "RULE", message: "not now")) }
            }
        }
        _ = try? await world.manager.reSync(named: "up").result
        world.server.with { $0.onPush = nil }
        try await world.store.delete(1, in: "contacts")
        #expect(try await world.manager.reSync(named: "up").result.unknown == 1)
        expect(try await world.manager.unknownCreations(), ["contacts": [1]])
        try await world.manager.resolveUnknown(entryId: 1, soup: "contacts", as: .created("s1"))
        try await world.run("up")
        expect(world.server.dump, [])
        expect(try await world.entries(), [])
        expect(try await world.store.count(.all("syncs_in_flight", pageSize: 1)), 0)
    }

    /// Sending it again would replace later changes of other clients.
    @Test func `A creation that is found is not sent again`() async throws {
        let world = try await World()
        try await world.create("Ann")
        world.server.loseResponse()
        _ = try await world.manager.create(world.up("up", ["isIdempotent": true, "canFind": true]))
        try await world.run("up")
        try await world.run("up")
        #expect(world.server.log == ["push create Ann", "find Ann", "fetch s1"])
        expect(try await world.entries(), [#"1 s1 {"Name":"Ann"} +0s clean"#])
    }

    /// The upsert replaces the record, even if another client has created it.
    @Test func `A found creation that cannot be fetched is sent again`() async throws {
        let world = try await World()
        try await world.create("Ann")
        world.server.loseResponse()
        _ = try await world.manager.create(
            world.up("up", ["isIdempotent": true, "canFind": true, "fetches": false]))
        try await world.run("up")
        try await world.run("up")
        #expect(world.server.log == ["push create Ann", "find Ann", "push create Ann"])
    }

    /// Sent again with another external ID, the creation would create another record.
    @Test(arguments: [true, false]) func `An edited creation is looked up first`(isThere: Bool)
        async throws
    {
        let world = try await World()
        try await world.create("Ann")
        world.server.loseResponse(isApplied: isThere)
        _ = try await world.manager.create(world.up("up", ["isIdempotent": true, "canFind": true]))
        try await world.run("up")
        expect(try await world.manager.unknownCreations(), [:])
        try await world.store.edit(1, setting: ["Name": "Anna"], in: "contacts")
        try await world.run("up")
        expect(
            world.server.log,
            ["push create Ann", "find Ann"] + (isThere ? ["fetch s1", "push update s1 Anna"] : ["push create Anna"]))
        expect(world.server.dump, [#"s1 {"Name":"Anna"} +0s"#])
        expect(try await world.entries(), [#"1 s1 {"Name":"Anna"} +0s clean"#])
        expect(try await world.store.count(.all("syncs_in_flight", pageSize: 1)), 0)
    }

    /// The sync up that sent it can send it again; another one of the same soup cannot.
    @Test(arguments: [true, false]) func `Another sync that cannot send it again looks it up`(canFind: Bool)
        async throws
    {
        let world = try await World()
        try await world.create("Ann")
        world.server.loseResponse()
        _ = try await world.manager.create(world.up("up", ["isIdempotent": true]))
        try await world.run("up")
        _ = try await world.manager.create(world.up("other", ["canFind": .bool(canFind)]))
        try await world.run("other")
        expect(world.server.log, ["push create Ann"] + (canFind ? ["find Ann", "fetch s1"] : []))
        expect(world.server.dump, [#"s1 {"Name":"Ann"} +0s"#])
        expect(try await world.manager.unknownCreations(), canFind ? [:] : ["contacts": [1]])
        guard !canFind else {
            return expect(try await world.entries(), [#"1 s1 {"Name":"Ann"} +0s clean"#])
        }
        // When another sync has found the outcome unknown, the first sync does not send the creation again.
        try await world.run("up")
        expect(world.server.dump, [#"s1 {"Name":"Ann"} +0s"#])
        try await world.manager.resolveUnknown(entryId: 1, soup: "contacts", as: .created("s1"))
        expect(try await world.entries(), [#"1 s1 {"Name":"Ann"} +-1705320000s clean"#])
    }

    /// A gateway repeats the response to the creation before, in the same push or in the next one.
    @Test(arguments: [1, 2]) func `A creation that got the ID of another one is sent again`(batchSize: Int) async throws
    {
        let world = try await World()
        for name in ["Ann", "Bob"] { try await world.create(name) }
        let known = Mutex<[String: PushOutcome]>([:])
        world.server.with { state in
            state.onPush = { [server = world.server] number, changes in
                var outcomes = changes.map { change in
                    let name = change.record["Name"]?.stringValue ?? ""
                    return known.withLock { known in
                        let outcome = known[name] ?? server.apply([change])[0]
                        known[name] = outcome
                        return outcome
                    }
                }
                if number == 2 / batchSize { outcomes[outcomes.count - 1].serverId = "s1" }
                return outcomes
            }
        }
        let target: JSONValue = ["isIdempotent": true, "assignsNewIDs": true, "maxBatchSize": .int(Int64(batchSize))]
        _ = try await world.manager.create(world.up("up", target))
        for _ in 1...2 { try await world.run("up") }
        expect(world.server.dump, [#"s1 {"Name":"Ann"} +0s"#, #"s2 {"Name":"Bob"} +0s"#])
        expect(
            try await world.entries(), [#"1 s1 {"Name":"Ann"} +0s clean"#, #"2 s2 {"Name":"Bob"} +0s clean"#])
        expect(try await world.store.count(.all("syncs_in_flight", pageSize: 1)), 0)
    }

    /// The new name may be another record, and it is unknown whether the server has the first one.
    @Test func `An edited creation that cannot be looked up waits`() async throws {
        let world = try await World()
        try await world.create("Ann")
        world.server.loseResponse()
        _ = try await world.manager.create(world.up("up", ["isIdempotent": true]))
        try await world.run("up")
        try await world.store.edit(1, setting: ["Name": "Anna"], in: "contacts")
        for _ in 1...2 { expect(try await world.manager.reSync(named: "up").result.unknown, 1) }
        expect(world.server.log, ["push create Ann"])
        expect(try await world.manager.unknownCreations(), ["contacts": [1]])
        try await world.manager.resolveUnknown(entryId: 1, soup: "contacts", as: .created("s1"))
        try await world.run("up")
        expect(world.server.dump, [#"s1 {"Name":"Anna"} +0s"#])
        expect(try await world.entries(), [#"1 s1 {"Name":"Anna"} +0s clean"#])
    }

    /// The process crashes at each write of a sync up; the app edits the creation before the next process continues.
    @Test(arguments: [CrashableStore.CrashPoint.beforeCommit, .afterCommit])
    func `A crash at any write and an edit create one record`(point: CrashableStore.CrashPoint) async throws {
        for write in 1...6 {
            let world = try await World()
            try await world.create("Ann")
            _ = try await world.manager.create(world.up("up", ["isIdempotent": true, "canFind": true]))
            world.backend.controls.crash(atWrite: write, point)
            if let run = try? await world.manager.reSync(named: "up") { _ = await run.result }
            let next = try await world.reopened()
            try await next.store.edit(1, setting: ["Name": "Anna"], in: "contacts")
            try await next.run("up")
            expect(world.server.dump, [#"s1 {"Name":"Anna"} +0s"#], comment: "write \(write)")
            expect(try await next.entries(), [#"1 s1 {"Name":"Anna"} +0s clean"#], comment: "write \(write)")
            expect(try await next.store.count(.all("syncs_in_flight", pageSize: 1)), 0, comment: "write \(write)")
        }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// Creations that the server would know again, by an external id, when their answer was lost.
@Suite struct RepeatableCreationTests {
    /// Of what cannot be looked up nobody needs to know more.
    @Test(arguments: [[:], ["canFind": true]] as [JSONObject])
    func `Idempotent creations that are not found are sent again`(target: JSONObject) async throws {
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

    /// The server may have it, and somebody may have changed it since.
    @Test(arguments: MergeMode.allCases) func `While the server cannot be asked nothing is sent again`(mode: MergeMode)
        async throws
    {
        let world = try await World()
        try await world.create("Ann")
        world.server.loseResponse()
        _ = try await world.manager.create(
            world.up("up", ["isIdempotent": true, "canFind": true, "refusesToFind": true], mode: mode))
        try await world.run("up")
        for _ in 1...2 { #expect(try await world.manager.reSync(named: "up").result().unknown == 1) }
        #expect(world.server.log.count { $0 == "push create Ann" } == 1)
        expect(try await world.manager.unknownCreations(), ["contacts": [1]])
        _ = try await world.manager.create(world.up("better", ["isIdempotent": true, "canFind": true], mode: mode))
        try await world.run("better")
        expect(world.server.dump, [#"s1 {"Name":"Ann"} +0s"#])
        expect(try await world.entries(), [#"1 s1 {"Name":"Ann"} +0s clean"#])
    }

    /// The server took the first of two, and refuses the second: that says nothing of the first.
    @Test(arguments: [true, false]) func `What is refused when it is sent again may be there all the same`(
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
        _ = try? await world.manager.reSync(named: "up").result()
        world.server.with { $0.onPush = nil }
        try await world.store.deleteLocally(1, in: "contacts")
        #expect(try await world.manager.reSync(named: "up").result().unknown == 1)
        expect(try await world.manager.unknownCreations(), ["contacts": [1]])
        try await world.manager.resolveUnknown(entryId: 1, soup: "contacts", as: .created("s1"))
        try await world.run("up")
        expect(world.server.dump, [])
        expect(try await world.entries(), [])
        expect(try await world.store.count(.all("syncs_in_flight", pageSize: 1)), 0)
    }

    /// Sent again, it would replace what somebody may have changed since.
    @Test func `An idempotent creation that is there is not sent again`() async throws {
        let world = try await World()
        try await world.create("Ann")
        world.server.loseResponse()
        _ = try await world.manager.create(world.up("up", ["isIdempotent": true, "canFind": true]))
        try await world.run("up")
        try await world.run("up")
        #expect(world.server.log == ["push create Ann", "find Ann", "fetch s1"])
        expect(try await world.entries(), [#"1 s1 {"Name":"Ann"} +0s clean"#])
    }

    /// What nobody can look at may be anybody's: the mode of an upsert is to take it over.
    @Test func `One that cannot be looked at is sent again`() async throws {
        let world = try await World()
        try await world.create("Ann")
        world.server.loseResponse()
        _ = try await world.manager.create(
            world.up("up", ["isIdempotent": true, "canFind": true, "fetches": false]))
        try await world.run("up")
        try await world.run("up")
        #expect(world.server.log == ["push create Ann", "find Ann", "push create Ann"])
    }

    /// A creation that can be repeated must be repeated as it was: with another external id it would be another record.
    @Test(arguments: [true, false]) func `An idempotent creation that was edited is looked up first`(isThere: Bool)
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

    /// The sync up that sent it could repeat it; one over the same soup cannot.
    @Test(arguments: [true, false]) func `What one sync could send again another looks up`(canFind: Bool) async throws {
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
        // Once somebody else had it nobody repeats it unasked.
        try await world.run("up")
        expect(world.server.dump, [#"s1 {"Name":"Ann"} +0s"#])
        try await world.manager.resolveUnknown(entryId: 1, soup: "contacts", as: .created("s1"))
        expect(try await world.entries(), [#"1 s1 {"Name":"Ann"} clean"#])
    }

    /// With another name it could be another record, and nobody can tell whether the server has the first.
    @Test func `An idempotent creation that was edited and cannot be looked up waits`() async throws {
        let world = try await World()
        try await world.create("Ann")
        world.server.loseResponse()
        _ = try await world.manager.create(world.up("up", ["isIdempotent": true]))
        try await world.run("up")
        try await world.store.edit(1, setting: ["Name": "Anna"], in: "contacts")
        for _ in 1...2 { expect(try await world.manager.reSync(named: "up").result().unknown, 1) }
        expect(world.server.log, ["push create Ann"])
        expect(try await world.manager.unknownCreations(), ["contacts": [1]])
        try await world.manager.resolveUnknown(entryId: 1, soup: "contacts", as: .created("s1"))
        try await world.run("up")
        expect(world.server.dump, [#"s1 {"Name":"Anna"} +0s"#])
        expect(try await world.entries(), [#"1 s1 {"Name":"Anna"} +0s clean"#])
    }

    /// Dies at every single write of a sync up; the app edits the creation before the next process goes on.
    @Test(arguments: [CrashableStore.CrashPoint.beforeCommit, .afterCommit])
    func `A crash at any write and an edit make no record twice`(moment: CrashableStore.CrashPoint) async throws {
        for write in 1...6 {
            let world = try await World()
            try await world.create("Ann")
            _ = try await world.manager.create(world.up("up", ["isIdempotent": true, "canFind": true]))
            world.backend.controls.crash(atWrite: write, moment)
            if let run = try? await world.manager.reSync(named: "up") { _ = try await run.result() }
            let next = try await world.reopened()
            try await next.store.edit(1, setting: ["Name": "Anna"], in: "contacts")
            try await next.run("up")
            expect(world.server.dump, [#"s1 {"Name":"Anna"} +0s"#], comment: "write \(write)")
            expect(try await next.entries(), [#"1 s1 {"Name":"Anna"} +0s clean"#], comment: "write \(write)")
            expect(try await next.store.count(.all("syncs_in_flight", pageSize: 1)), 0, comment: "write \(write)")
        }
    }
}

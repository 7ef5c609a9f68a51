// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// Creations with a lost response, none of which may be repeated or dropped.
@Suite struct UpRunLostCreationsTests {
    @Test func `A lost creation is looked up before it is sent again`() async throws {
        let world = try await World()
        try await world.create("Ann")
        world.server.loseResponse()
        _ = try await world.manager.create(world.up("up", ["canFind": true]))
        expect(
            try await world.run("up"), ["RUNNING 0/-1", "RUNNING 0/1", "create 1 unknown NO_ANSWER", "DONE 100/1"])
        expect(try await world.entries(), [#"1 local_1 {"Name":"Ann"} local+created error NO_ANSWER"#])
        expect(try await world.manager.unknownCreations(), ["contacts": [1]])
        try await world.create("Bob")
        expect(
            try await world.run("up"),
            [
                "RUNNING 0/-1", "RUNNING 0/1", "create 1 s1 ok", "create 2 s2 ok", "DONE 100/1",
            ])
        expect(
            try await world.dump(),
            """
            syncs:
              1 up DONE 100/1 no mark
            contacts:
              1 s1 {"Name":"Ann"} +0s clean
              2 s2 {"Name":"Bob"} +0s clean
            server:
              s1 {"Name":"Ann"} +0s
              s2 {"Name":"Bob"} +0s
            asked:
              push create Ann
              find Ann
              fetch s1
              push create Bob
            """)
        expect(try await world.manager.unknownCreations(), [:])
    }

    /// The response is lost, or the process ends before it arrives.
    ///
    /// Then the app sets another name, which the server does not have.
    @Test(arguments: [true, false]) func `The look-up uses the values that were sent`(isKnownToBeLost: Bool)
        async throws
    {
        let before = try await World()
        try await before.create("Ann")
        _ = try await before.manager.create(before.up("up", ["canFind": true]))
        if isKnownToBeLost {
            before.server.loseResponse()
        } else {
            let controls = before.backend.controls
            before.server.with {
                $0.onPush = { _, _ in
                    controls.crash(atWrite: 1, .beforeCommit)
                    return nil
                }
            }
        }
        _ = try await before.manager.reSync(named: "up").result
        before.server.with { $0.onPush = nil }
        let world = try await before.reopened()
        try await world.store.edit(1, setting: ["Name": "Anna"], in: "contacts")
        try await world.run("up")
        expect(world.server.log, ["push create Ann", "find Ann", "fetch s1", "push update s1 Anna"])
        expect(world.server.dump, [#"s1 {"Name":"Anna"} +0s"#])
        expect(try await world.entries(), [#"1 s1 {"Name":"Anna"} +0s clean"#])
        expect(try await world.manager.unknownCreations(), [:])
    }

    /// With MERGE, the base of the edit is the record that was sent.
    @Test(arguments: [true, false]) func `The sent values are the base of a later edit`(isResolvedByApp: Bool)
        async throws
    {
        let world = try await World()
        try await world.create("Ann")
        world.server.loseResponse()
        var definition = world.up("up", ["canFind": .bool(!isResolvedByApp)])
        definition.options.mergeMode = .merge
        _ = try await world.manager.create(definition)
        try await world.run("up")
        try await world.store.edit(1, setting: ["Note": "mine"], in: "contacts")
        if isResolvedByApp {
            try await world.manager.resolveUnknown(entryId: 1, soup: "contacts", as: .created("s1"))
        }
        try await world.run("up")
        expect(world.server.log.last, #"push update s1 {"Note":"mine"}"#)
        expect(world.server.dump, [#"s1 {"Name":"Ann","Note":"mine"} +0s"#])
        expect(try await world.entries(), [#"1 s1 {"Name":"Ann","Note":"mine"} +0s clean"#])
    }

    @Test func `A creation that is not on the server is sent again`() async throws {
        let world = try await World()
        try await world.create("Ann")
        world.server.with {
            $0.onPush = { number, changes in
                number == 1 ? changes.map { _ in .unknown(PushFailure(code: "NO_ANSWER", message: "")) } : nil
            }
        }
        _ = try await world.manager.create(world.up("up", ["canFind": true]))
        try await world.run("up")
        expect(try await world.run("up"), ["RUNNING 0/-1", "RUNNING 0/1", "create 1 s1 ok", "DONE 100/1"])
        #expect(world.server.log == ["push create Ann", "find Ann", "push create Ann"])
    }

    @Test func `A creation that cannot be looked up is not sent again`() async throws {
        let (world, entry) = try await World.withLostResponse()
        // Another run, another sync and an edit that replaces the whole entry do not send it again.
        expect(
            try await world.run("up"),
            [
                "RUNNING 0/-1", "RUNNING 0/1", "create 1 unknown UNKNOWN_OUTCOME", "DONE 100/1",
            ])
        try await world.store.upsert(
            [
                "_soupEntryId": .int(entry), "Id": "local_1", "Name": "Anna", "__local__": true,
                "__locally_created__": true,
            ],
            into: "contacts")
        let other = try await world.manager.syncUp(TargetReference(["type": "fakeUp"]), from: "contacts")
        expect(await other.result.unknown, 1)
        #expect(world.server.log == ["push create Ann"])
        expect(
            try await world.entries(), [#"1 local_1 {"Name":"Anna"} local+created error UNKNOWN_OUTCOME"#])
    }

    @Test func `A lost creation that was deleted is deleted on the server`() async throws {
        let (world, entry) = try await World.withLostResponse(canFind: true)
        try await world.store.delete(entry, in: "contacts")
        try await world.run("up")
        expect(try await world.entries(), [])
        #expect(world.server.dump == [])
        #expect(world.server.log == ["push create Ann", "find Ann", "fetch s1", "push delete s1 Ann"])
    }

    @Test func `A copy from a sync down is merged into the entry`() async throws {
        let (world, _) = try await World.withLostResponse(canFind: true)
        _ = try await world.manager.create(world.down())
        // The first sync down fetches a field that the server itself has set.
        world.server.put("s1", ["Name": "Ann", "Number": "A-1"], at: Moment.start)
        try await world.run("down")
        expect(try await world.entries().count, 2)
        try await world.run("up")
        expect(try await world.entries(), [#"1 s1 {"Number":"A-1","Name":"Ann"} +0s clean"#])
    }

    @Test func `An edited copy replaces the unedited entry`() async throws {
        let (world, _) = try await World.withLostResponse(canFind: true)
        _ = try await world.manager.create(world.down())
        try await world.run("down")
        world.clock.advance(by: .seconds(1))
        try await world.store.edit(2, setting: ["Name": "Anna"], in: "contacts")
        world.server.put("s1", ["Name": "Ann"], at: Moment.start)
        try await world.run("up")
        expect(try await world.entries(), [#"2 s1 {"Name":"Anna"} +1s clean sync 2"#])
        #expect(world.server.dump == [#"s1 {"Name":"Anna"} +1s"#])
    }

    @Test func `Two edited copies are both kept`() async throws {
        let (world, _) = try await World.withLostResponse(canFind: true)
        _ = try await world.manager.create(world.down())
        try await world.run("down")
        world.clock.advance(by: .seconds(1))

        try await world.store.edit(1, setting: ["Note": "mine"], in: "contacts")
        try await world.store.edit(2, setting: ["Note": "also mine"], in: "contacts")
        let result = try await world.manager.reSync(named: "up").result
        #expect([result.unknown, result.updated] == [1, 1])
        expect(
            try await world.entries(),
            [
                #"1 local_1 {"Name":"Ann","Note":"mine"} local+created+updated error TWO_COPIES"#,
                #"2 s1 {"Name":"Ann","Note":"also mine"} +1s clean sync 2"#,
            ])
    }

    @Test func `An entry that the app removed is not restored`() async throws {
        let (world, _) = try await World.withLostResponse(canFind: true)
        try await world.store.remove([1], from: "contacts")
        expect(try await world.run("up"), ["RUNNING 0/-1", "DONE 100/0"])
        expect(try await world.entries(), [])
        expect(try await world.manager.unknownCreations(), [:])
    }

    /// The process crashes at each write of a sync up, before or after the commit, and the next process continues.
    ///
    /// In the end, the server must have every record once.
    @Test(arguments: [CrashableStore.CrashPoint.beforeCommit, .afterCommit])
    func `A crash at any write creates no record twice`(point: CrashableStore.CrashPoint) async throws {
        for write in 1...12 {
            let world = try await World()
            try await world.seed("Ann", "Bob", "Cid")
            for name in ["Dan", "Eve", "Fay"] { try await world.create(name) }
            try await world.edit("ann", "Annie")
            try await world.delete("bob")
            _ = try await world.manager.create(world.up("up", ["canFind": true, "maxBatchSize": 2]))
            world.backend.controls.crash(atWrite: write, point)
            if let run = try? await world.manager.reSync(named: "up") { _ = await run.result }
            let next = try await world.reopened()
            try await next.run("up")
            #expect(
                world.server.dump.map { $0.split(separator: " ")[1] }.sorted() == [
                    #"{"Name":"Annie"}"#, #"{"Name":"Cid"}"#, #"{"Name":"Dan"}"#, #"{"Name":"Eve"}"#,
                    #"{"Name":"Fay"}"#,
                ], "write \(write)")
            #expect(try await next.entries().allSatisfy { $0.contains("clean") }, "write \(write)")
            expect(try await next.entries().count, 5, comment: "write \(write)")
            expect(try await next.manager.unknownCreations(), [:], comment: "write \(write)")
        }
    }
}

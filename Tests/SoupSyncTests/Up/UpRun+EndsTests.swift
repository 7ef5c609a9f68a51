// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing
@testable import SoupSync

/// Sync ups that end unexpectedly.
@Suite struct UpRunEndsTests {
    @Test func `A cancelled run waits for the response to its push`() async throws {
        let world = try await World()
        for name in ["a", "b"] { try await world.create(name) }
        _ = try await world.manager.create(world.up("up", ["maxBatchSize": 1]))
        let gate = world.server.holdPushes()
        let run = try await world.manager.reSync(named: "up")
        await gate.arrived()
        await world.manager.stop()
        #expect(await world.manager.isStopping)
        gate.open()
        expect(
            try await world.events(of: run),
            [
                "RUNNING 0/-1", "RUNNING 0/2", "create 1 s1 ok", "RUNNING 50/2", "STOPPED 50/2",
            ])
        #expect(await world.manager.isStopped)
        expect(
            try await world.entries(), [#"1 s1 {"Name":"a"} +0s clean"#, #"2 local_2 {"Name":"b"} local+created"#])
    }

    @Test func `A wrong number of outcomes makes all outcomes unknown`() async throws {
        let world = try await World()
        try await world.seed("Ann")
        try await world.edit("ann", "Annie")
        try await world.create("Bob")
        world.server.with { $0.onPush = { _, _ in [] } }
        _ = try await world.manager.create(world.up())
        let result = try await world.manager.reSync(named: "up").result
        #expect([result.unknown, result.created, result.updated] == [2, 0, 0])
        expect(
            try await world.entries(),
            [
                #"1 ann {"Name":"Annie"} +0s local+updated sync 1 error BAD_TARGET"#,
                #"2 local_1 {"Name":"Bob"} local+created error BAD_TARGET"#,
            ])
    }

    /// The app edits an entry before the write, so that the entry is read again after it.
    @Test(arguments: 1...5) func `A stop during any write leaves no unsent creation marked`(write: Int) async throws {
        let world = try await World()
        for name in ["Ann", "Bob"] { try await world.create(name) }
        _ = try await world.manager.create(world.up())
        let (manager, store) = (world.manager, world.store)
        world.backend.controls.beforeEachWrite { number in
            guard number == write else { return }
            _ = try? await store.edit(1, setting: ["Note": "new"], in: "contacts")
            await manager.stop()
        }
        _ = try await world.manager.reSync(named: "up").result
        world.backend.controls.beforeEachWrite { _ in }
        try await world.manager.restart(restartStoppedSyncs: false)
        _ = try await world.manager.reSync(named: "up").result
        expect(try await world.manager.unknownCreations(), [:])
        // If the edit is made before the third write, which marks the creations, Bob is sent first.
        let (ann, bob) = write == 3 ? ("s2", "s1") : ("s1", "s2")
        expect(
            try await world.entries(),
            [#"1 \#(ann) {"Name":"Ann","Note":"new"} +0s clean"#, #"2 \#(bob) {"Name":"Bob"} +0s clean"#])
        let records = [#"\#(ann) {"Name":"Ann","Note":"new"} +0s"#, #"\#(bob) {"Name":"Bob"} +0s"#]
        expect(world.server.dump, records.sorted())
    }
}

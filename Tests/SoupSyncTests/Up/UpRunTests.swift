// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// The changes that sync ups push, and the entries after the push.
@Suite struct UpRunTests {
    @Test func `A run pushes the changed entries only`() async throws {
        let world = try await World()
        try await world.seed("Ann", "Bob", "Cid")
        try await world.create("Dan")
        try await world.edit("bob", "Bobby")
        try await world.delete("cid")
        let passing = try await world.create("Eve")
        try await world.store.delete(passing, in: "contacts")
        _ = try await world.manager.create(world.up())
        expect(
            try await world.run("up"),
            [
                "RUNNING 0/-1", "RUNNING 0/4", "delete 5 ok", "create 4 s1 ok", "RUNNING 50/4", "update 2 bob ok",
                "RUNNING 75/4", "delete 3 cid ok", "DONE 100/4",
            ])
        expect(
            try await world.dump(),
            """
            syncs:
              1 down DONE 100/3 mark > +0s
              2 up DONE 100/4 no mark
            contacts:
              1 ann {"Name":"Ann"} +0s clean sync 1
              2 bob {"Name":"Bobby"} +20s clean sync 1
              4 s1 {"Name":"Dan"} +20s clean
            server:
              ann {"Name":"Ann"} +0s
              bob {"Name":"Bobby"} +20s
              s1 {"Name":"Dan"} +20s
            asked:
              push create Dan
              push update bob Bobby
              push delete cid Cid
            """)
        expect(try await world.run("up"), ["RUNNING 0/-1", "DONE 100/0"])
    }

    @Test func `A batch has changes of one kind in order of creation`() async throws {
        let world = try await World()
        for name in ["a", "b", "c", "d", "e"] { try await world.create(name) }
        _ = try await world.manager.create(world.up("up", ["maxBatchSize": 2]))
        let counter = Counter()
        world.server.with {
            $0.onPush = { _, changes in
                await counter.add(changes.map { $0.record["Name"]?.stringValue ?? "" }.joined())
                return nil
            }
        }
        let lines = try await world.run("up")
        #expect(await counter.lines == ["ab", "cd", "e"])
        #expect(
            lines.filter { !$0.hasPrefix("create") } == [
                "RUNNING 0/-1", "RUNNING 0/5", "RUNNING 40/5", "RUNNING 80/5", "DONE 100/5",
            ])
    }

    @Test func `A pushed record has no local fields`() async throws {
        let world = try await World()
        try await world.seed("Ann")
        try await world.edit("ann", "Annie")
        _ = try await world.manager.create(world.up())
        let counter = Counter()
        world.server.with {
            $0.onPush = { _, changes in
                for change in changes { await counter.add(change.record.description) }
                return nil
            }
        }
        try await world.run("up")
        #expect(
            await counter.lines == [#"{"Id":"ann","LastModifiedDate":"2024-01-15T12:00:00.000+0000","Name":"Annie"}"#])
    }

    @Test func `An edit during the push stays dirty and keeps the new ID`() async throws {
        let world = try await World()
        try await world.seed("Ann", "Bob", "Cid")
        let created = try await world.create("Dan")
        try await world.edit("ann", "Annie")
        try await world.delete("bob")
        try await world.delete("cid")
        _ = try await world.manager.create(world.up())
        let store = world.store
        world.server.with {
            $0.onPush = { number, _ in
                switch number {
                case 1: try await store.edit(created, setting: ["Name": "Daniel"], in: "contacts")
                case 2: try await store.edit(1, setting: ["Name": "Anna"], in: "contacts")
                // One entry is undeleted and edited, the other one is only edited.
                case 3:
                    try await store.undelete(2, in: "contacts")
                    try await store.edit(2, setting: ["Name": "Robert"], in: "contacts")
                    try await store.edit(3, setting: ["Note": "still to be deleted"], in: "contacts")
                default: break
                }
                return nil
            }
        }
        let result = try await world.manager.reSync(named: "up").result
        #expect([result.created, result.updated, result.deleted] == [1, 1, 2])
        expect(
            try await world.entries(),
            [
                #"1 ann {"Name":"Anna"} +20s local+updated sync 1"#,
                #"2 bob {"Name":"Robert"} +0s local+created+updated sync 1"#,
                #"4 s1 {"Name":"Daniel"} +20s local+updated"#,
            ])
        // The next run sends the edits made during the push.
        world.server.with { $0.onPush = nil }
        try await world.run("up")
        #expect(
            world.server.dump == [
                #"ann {"Name":"Anna"} +20s"#, #"s1 {"Name":"Daniel"} +20s"#, #"s2 {"Name":"Robert"} +20s"#,
            ])
        #expect(try await world.entries().allSatisfy { $0.contains("clean") })
    }

    @Test func `Rejected records stay dirty, and the others are pushed`() async throws {
        let world = try await World()
        try await world.create("good")
        let bad = try await world.create("bad")
        try await world.create("fine")
        _ = try await world.manager.create(world.up())
        let run = try await world.manager.reSync(named: "up")
        let lines = try await world.events(of: run)
        #expect(
            lines.filter { $0.hasPrefix("create") } == ["create 1 s1 ok", "create 2 failed BAD_NAME", "create 3 s3 ok"])
        let result = await run.result
        #expect(result.state.line == "DONE 100/3")
        #expect([result.created, result.failed] == [2, 1])
        #expect(!result.isComplete)
        expect(
            try await world.entries(),
            [
                #"1 s1 {"Name":"good"} +0s clean"#, #"2 local_2 {"Name":"bad"} local+created error BAD_NAME"#,
                #"3 s3 {"Name":"fine"} +0s clean"#,
            ])
        let error = try await world.store.retrieve([bad], from: "contacts")[0]["__last_error__"]?.stringValue
        #expect(error == #"{"message":"not that name","errorCode":"BAD_NAME","fields":["Name"]}"#)
        // A successful push removes the error.
        try await world.store.edit(bad, setting: ["Name": "better"], in: "contacts")
        try await world.run("up")
        expect(try await world.entries()[1], #"2 s4 {"Name":"better"} +0s clean"#)
    }

    @Test func `A record that the server has deleted is recreated`() async throws {
        let world = try await World()
        try await world.seed("Ann", "Bob")
        try await world.edit("ann", "Annie")
        try await world.edit("bob", "Bobby")
        world.server.remove("ann")
        _ = try await world.manager.create(world.up())
        expect(
            try await world.run("up"),
            [
                "RUNNING 0/-1", "RUNNING 0/2", "update 2 bob ok", "RUNNING 50/2", "create 1 s1 ok", "DONE 100/2",
            ])
        expect(
            try await world.dump(),
            """
            syncs:
              1 down DONE 100/2 mark > +0s
              2 up DONE 100/2 no mark
            contacts:
              1 s1 {"Name":"Annie"} +20s clean sync 1
              2 bob {"Name":"Bobby"} +20s clean sync 1
            server:
              bob {"Name":"Bobby"} +20s
              s1 {"Name":"Annie"} +20s
            asked:
              push update ann Annie
              push update bob Bobby
              ask for ann
              push create Annie
            """)
    }

    /// A failure that reports a record as gone may mean a record that it refers to.
    ///
    /// Therefore only the state of the record itself on the server counts.
    @Test(arguments: ["exists", "unknown", "unsupported", "error"])
    func `Only a record that is known to be gone is recreated`(serverState: String) async throws {
        let world = try await World()
        try await world.seed("Ann")
        try await world.edit("ann", "Annie")
        world.server.with { state in
            state.onPush = { _, changes in
                guard changes[0].kind == .update else { return nil }
                return changes.map { _ in
                    .failed(PushFailure(code: "INVALID_CROSS_REFERENCE_KEY", message: "", isGone: true))
                }
            }
            if serverState == "error" { state.onLookUp = { throw SoupError(.network, "no connection") } }
        }
        let target: JSONValue = [
            "findsNoStates": .bool(serverState == "unknown"),
            "reportsStates": .bool(serverState != "unsupported"),
        ]
        _ = try await world.manager.create(world.up("up", target))
        let result = try await world.manager.reSync(named: "up").result
        if serverState == "unsupported" {
            #expect([result.created, result.failed] == [1, 0])
            return
        }
        #expect(result.state.line == "DONE 100/1")
        #expect([result.created, result.failed] == [0, 1])
        expect(
            try await world.entries(),
            [#"1 ann {"Name":"Annie"} +0s local+updated sync 1 error INVALID_CROSS_REFERENCE_KEY"#])
        #expect(world.server.log.filter { $0.hasPrefix("push") } == ["push update ann Annie"])
    }

    @Test func `Deleting a record that is already gone succeeds`() async throws {
        let world = try await World()
        try await world.seed("Ann")
        try await world.delete("ann")
        world.server.remove("ann")
        _ = try await world.manager.create(world.up())
        expect(try await world.run("up"), ["RUNNING 0/-1", "RUNNING 0/1", "delete 1 ann ok", "DONE 100/1"])
        expect(try await world.entries(), [])
    }

    @Test func `A network error fails the run and changes no entry`() async throws {
        let world = try await World()
        for name in ["a", "b", "c"] { try await world.create(name) }
        _ = try await world.manager.create(world.up("up", ["maxBatchSize": 1]))
        world.server.with {
            $0.onPush = { number, _ in
                if number == 2 { throw SoupError(.network, "no connection") }
                return nil
            }
        }
        expect(
            try await world.run("up"),
            [
                "RUNNING 0/-1", "RUNNING 0/3", "create 1 s1 ok", "RUNNING 33/3", "FAILED 33/3",
            ])
        expect(
            try await world.dump(),
            """
            syncs:
              1 up FAILED 33/3 no mark error: no connection
            contacts:
              1 s1 {"Name":"a"} +0s clean
              2 local_2 {"Name":"b"} local+created
              3 local_3 {"Name":"c"} local+created
            server:
              s1 {"Name":"a"} +0s
            asked:
              push create a
              push create b
            """)
        // The server has received nothing, so the outcome is known, and the next run sends the changes.
        world.server.with { $0.onPush = nil }
        expect(try await world.run("up").last, "DONE 100/2")
        expect(try await world.syncs(), ["1 up DONE 100/2 no mark"])
        #expect(world.server.dump.count == 3)
    }

    @Test func `An entry without a server ID is not sent`() async throws {
        let world = try await World()
        try await world.store.upsert(
            ["Id": "local_7", "Name": "Ann", "__local__": true, "__locally_updated__": true], into: "contacts")
        _ = try await world.manager.create(world.up())
        expect(
            try await world.run("up"), ["RUNNING 0/-1", "RUNNING 0/1", "update 1 failed NO_SERVER_ID", "DONE 100/1"])
        #expect(world.server.log.isEmpty)
    }

    @Test func `A dirty entry without a kind of change is skipped`() async throws {
        let world = try await World()
        try await world.store.upsert(["Id": "a", "__local__": true], into: "contacts")
        _ = try await world.manager.create(world.up())
        expect(try await world.run("up"), ["RUNNING 0/-1", "RUNNING 0/1", "DONE 100/1"])
        #expect(world.server.log.isEmpty)
    }
}

/// The lines that several tasks add, in their order.
actor Counter {
    private(set) var lines: [String] = []
    func add(_ line: String) { lines.append(line) }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// Sync ups of parents with their children.
@Suite struct UpRunTreesTests {
    @Test func `New trees get server IDs on both levels`() async throws {
        let world = try await World()
        let parent = try await world.create("P", in: "accounts")
        try await world.create("C1", under: "local_\(parent)")
        try await world.create("C2", under: "local_\(parent)")
        try await world.create("orphan", under: "missing")
        _ = try await world.manager.create(world.treeUp())
        expect(
            try await world.run("treeUp"),
            [
                "RUNNING 0/-1", "RUNNING 0/2", "create 3 failed NO_PARENT", "create 1 s2 ok", "create 2 s3 ok",
                "create 1 s1 ok", "DONE 100/2",
            ])
        expect(
            try await world.dump(),
            """
            syncs:
              1 treeUp DONE 100/2 no mark
            accounts:
              1 s1 {"Name":"P"} +0s clean
            contacts:
              1 s2 {"Name":"C1","AccountId":"s1"} +0s clean
              2 s3 {"Name":"C2","AccountId":"s1"} +0s clean
              3 local_4 {"Name":"orphan","AccountId":"missing"} local+created error NO_PARENT
            server:
              s1 {"Name":"P"} +0s
              s2 under s1 {"Name":"C1"} +0s
              s3 under s1 {"Name":"C2"} +0s
            asked:
              push create P [create C1, create C2]
            """)
    }

    @Test func `Only the changed records of a tree are sent`() async throws {
        let world = try await World.withTwoTrees()
        try await world.edit("p1c1", "mine")
        try await world.delete("p1c2")
        try await world.edit("p2", "mine", in: "accounts")
        try await world.create("new", under: "p2")
        let passing = try await world.create("passing", under: "p2")
        try await world.store.delete(passing, in: "contacts")
        try await world.run("treeUp")
        #expect(
            world.server.log == [
                "push update p2 mine [create new]", "push none p1 p1 [update p1c1 mine, delete p1c2 p1c2]",
            ])
        expect(
            try await world.entries(of: "accounts") + world.entries(),
            [
                #"1 p1 {"Name":"p1"} +0s clean sync 1"#, #"2 p2 {"Name":"mine"} +20s clean sync 1"#,
                #"1 p1c1 {"AccountId":"p1","Name":"mine"} +20s clean sync 1"#,
                #"3 p2c1 {"Name":"p2c1","AccountId":"p2"} +0s clean sync 1"#,
                #"4 p2c2 {"Name":"p2c2","AccountId":"p2"} +0s clean sync 1"#,
                #"5 s1 {"Name":"new","AccountId":"p2"} +20s clean"#,
            ])
    }

    @Test(arguments: [RecordLayout.Relationship.masterDetail, .lookup])
    func `A deleted parent deletes its master-detail children only`(relationship: RecordLayout.Relationship)
        async throws
    {
        let world = try await World.withTwoTrees(mode: .overwrite, relationship: relationship)
        try await world.edit("p1c1", "mine")
        try await world.delete("p1", in: "accounts")
        try await world.run("treeUp")
        expect(try await world.entries(of: "accounts"), [#"2 p2 {"Name":"p2"} +0s clean sync 1"#])
        if relationship == .masterDetail {
            #expect(world.server.log == ["push delete p1 p1"])
            expect(try await world.entries().map { $0.prefix(6) }, ["3 p2c1", "4 p2c2"])
        } else {
            #expect(world.server.log == ["push delete p1 p1 [update p1c1 mine]"])
            expect(
                try await world.entries().prefix(2),
                [
                    #"1 p1c1 {"AccountId":"p1","Name":"mine"} +20s clean sync 1"#,
                    #"2 p1c2 {"Name":"p1c2","AccountId":"p1"} +0s clean sync 1"#,
                ])
        }
    }

    @Test func `A tree created and deleted locally is not sent`() async throws {
        let world = try await World()
        let parent = try await world.create("P", in: "accounts")
        try await world.create("C", under: "local_\(parent)")
        try await world.store.delete(parent, in: "accounts")
        _ = try await world.manager.create(world.treeUp())
        expect(try await world.run("treeUp"), ["RUNNING 0/-1", "RUNNING 0/1", "delete 1 ok", "DONE 100/1"])
        expect(try await world.entries(of: "accounts") + world.entries(), [])
        #expect(world.server.log.isEmpty)
    }

    @Test func `Each run reports the children without a parent`() async throws {
        let world = try await World.withTwoTrees()
        try await world.create("nowhere")
        try await world.edit("p2c1", "mine")
        try await world.edit("p1c2", "mine")
        let passing = try await world.create("passing", under: "p1")
        try await world.store.delete(passing, in: "contacts")
        let parent = try #require(try await world.store.lookup("p1", at: "Id", in: "accounts"))
        try await world.store.remove([parent], from: "accounts")
        for round in 1...2 {
            let result = try await world.manager.reSync(named: "treeUp").result
            #expect(result.state.line == (round == 1 ? "DONE 100/4" : "DONE 100/2"))
            #expect([result.failed, result.updated, result.deleted] == (round == 1 ? [2, 1, 1] : [2, 0, 0]))
            #expect(!result.isComplete)
        }
        expect(
            try await world.entries().filter { !$0.contains("clean") },
            [
                #"2 p1c2 {"AccountId":"p1","Name":"mine"} +0s local+updated sync 1 error NO_PARENT"#,
                #"5 local_1 {"Name":"nowhere"} local+created error NO_PARENT"#,
            ])
        #expect(world.server.log == ["push none p2 p2 [update p2c1 mine]"])
    }

    /// The parent is not in the store; the child is unchanged on the server, was changed there, or was deleted.
    @Test(arguments: [MergeMode.overwrite, .leaveIfChanged, .merge], ["unchanged", "changed", "deleted"])
    func `A deletion needs no parent`(mode: MergeMode, onServer state: String) async throws {
        let world = try await World.withTwoTrees(mode: mode)
        let parent = try #require(try await world.store.lookup("p1", at: "Id", in: "accounts"))
        try await world.store.remove([parent], from: "accounts")
        try await world.delete("p1c2")
        switch state {
        case "changed": world.server.put("p1c2", ["Name": "theirs"], parent: "p1")
        case "deleted": world.server.remove("p1c2")
        default: break
        }
        let isKept = state == "changed" && mode != .overwrite
        let result = try await world.manager.reSync(named: "treeUp").result
        #expect(result.state.line == "DONE 100/1")
        #expect([result.deleted, result.failed] == (isKept ? [0, 0] : [1, 0]))
        expect(
            try await world.entries(),
            [
                #"1 p1c1 {"Name":"p1c1","AccountId":"p1"} +0s clean sync 1"#,
                isKept ? #"2 p1c2 {"Name":"p1c2","AccountId":"p1"} +0s local+deleted sync 1"# : nil,
                #"3 p2c1 {"Name":"p2c1","AccountId":"p2"} +0s clean sync 1"#,
                #"4 p2c2 {"Name":"p2c2","AccountId":"p2"} +0s clean sync 1"#,
            ].compactMap { $0 })
        expect(
            try await world.manager.conflicts().map { "\($0.entryId) \($0.code)" }, isKept ? ["2 NEWER_ON_SERVER"] : [])
        #expect(world.server.with { $0.records["p1c2"] != nil } == isKept)
        #expect(world.server.with { $0.records.count } == (isKept ? 6 : 5))
    }

    /// The records of both levels have one soup.
    @Test func `A soup on two levels has each root once`() async throws {
        let world = try await World()
        let specs = try await world.store.indexSpecs(of: "accounts")
        try await world.store.alterSoup("accounts", to: specs + [IndexSpec("AccountId", .string)])
        try await world.create("P", in: "accounts")
        _ = try await world.manager.create(world.treeUp(["childSoup": "accounts"]))
        try await world.run("treeUp")
        #expect(world.server.dump.count == 1)
        #expect(world.server.log == ["push create P"])
    }

    @Test func `An undeleted child without a parent is reported`() async throws {
        let world = try await World.withTwoTrees()
        let parent = try #require(try await world.store.lookup("p1", at: "Id", in: "accounts"))
        try await world.store.remove([parent], from: "accounts")
        try await world.delete("p1c2")
        try await world.edit("p2", "mine", in: "accounts")
        let store = world.store
        world.server.with {
            $0.onPush = { _, _ in
                try await store.undelete(2, in: "contacts")
                try await store.edit(2, setting: ["Name": "mine"], in: "contacts")
                return nil
            }
        }
        expect(
            try await world.run("treeUp"),
            [
                "RUNNING 0/-1", "RUNNING 0/2", "update 2 p2 ok", "RUNNING 50/2", "update 2 failed NO_PARENT",
                "DONE 100/2",
            ])
        #expect(world.server.log == ["push update p2 mine"])
    }

    @Test func `LEAVE_IF_CHANGED skips the whole tree`() async throws {
        let world = try await World.withTwoTrees(mode: .leaveIfChanged)
        try await world.edit("p1", "mine", in: "accounts")
        try await world.edit("p2c1", "mine")
        // A clean child of p1 changed on the server.
        world.server.put("p1c2", ["Name": "theirs"], parent: "p1")
        expect(
            try await world.run("treeUp"),
            [
                "RUNNING 0/-1", "RUNNING 0/2", "update 1 p1 skipped NEWER_ON_SERVER", "RUNNING 50/2",
                "update 3 p2c1 ok", "DONE 100/2",
            ])
        #expect(
            world.server.log == ["ask for p1 p1c1 p1c2", "ask for p2 p2c1 p2c2", "push none p2 p2 [update p2c1 mine]"])
        expect(try await world.entries(of: "accounts")[0], #"1 p1 {"Name":"mine"} +0s local+updated sync 1"#)
    }

    @Test func `LEAVE_IF_CHANGED checks children moved to a new parent`() async throws {
        let world = try await World.withTwoTrees(mode: .leaveIfChanged)
        try await world.create("P", in: "accounts")
        try await world.store.edit(1, setting: ["AccountId": "local_1", "Name": "mine"], in: "contacts")
        world.server.put("p1c1", ["Name": "theirs"], parent: "p1")
        let before = world.server.dump
        let result = try await world.manager.reSync(named: "treeUp").result
        #expect([result.created, result.updated, result.failed] == [0, 0, 0])
        #expect(world.server.log == ["ask for p1c1"])
        #expect(world.server.dump == before)
        let child = try await world.entries()[0]
        #expect(child.contains("mine") && child.contains("local+updated"))
    }

    @Test func `Rejected children get the new ID of their parent`() async throws {
        let world = try await World()
        let parent = try await world.create("P", in: "accounts")
        try await world.create("bad", under: "local_\(parent)")
        try await world.create("good", under: "local_\(parent)")
        _ = try await world.manager.create(world.treeUp())
        try await world.run("treeUp")
        expect(
            try await world.entries(),
            [
                #"1 local_2 {"Name":"bad","AccountId":"s1"} local+created error BAD_NAME"#,
                #"2 s3 {"Name":"good","AccountId":"s1"} +0s clean"#,
            ])
        try await world.store.edit(1, setting: ["Name": "better"], in: "contacts")
        try await world.run("treeUp")
        #expect(world.server.log.last == "push none s1 P [create better]")
        expect(try await world.entries()[0], #"1 s4 {"AccountId":"s1","Name":"better"} +0s clean"#)
    }

    /// The app edits a child of a new parent during the push of both; only a moved child has another parent.
    @Test(arguments: [RecordChange.Kind.create, .update], [true, false])
    func `A child edited during the push keeps the app's parent`(_ kind: RecordChange.Kind, isMoved: Bool) async throws
    {
        let world = try await World()
        world.server.put("b1", ["Name": "B"])
        if kind == .update { world.server.put("c1", ["Name": "C"], parent: "b1") }
        _ = try await world.manager.create(world.treeDown())
        try await world.run("treeDown")
        _ = try await world.manager.create(world.treeUp())
        try await world.create("A", in: "accounts")
        if kind == .update {
            try await world.store.edit(1, setting: ["AccountId": "local_1"], in: "contacts")
        } else {
            try await world.create("C", under: "local_1")
        }
        let store = world.store
        world.server.with {
            $0.onPush = { number, _ in
                guard number == 1 else { return nil }
                try await store.edit(1, setting: isMoved ? ["AccountId": "b1"] : ["Name": "D"], in: "contacts")
                return nil
            }
        }
        try await world.run("treeUp")
        let id = kind == .update ? "c1" : "s2"
        let sync = kind == .update ? " sync 1" : ""
        let record = isMoved ? #"{"Name":"C","AccountId":"b1"}"# : #"{"Name":"D","AccountId":"s1"}"#
        expect(
            try await world.entries(of: "accounts"),
            [#"1 b1 {"Name":"B"} +0s clean sync 1"#, #"2 s1 {"Name":"A"} +0s clean"#])
        expect(try await world.entries(), ["1 \(id) \(record) +0s local+updated\(sync)"])
        try await world.run("treeUp")
        expect(try await world.entries(), ["1 \(id) \(record) +0s clean\(sync)"])
        let child = "\(id) under \(isMoved ? "b1" : "s1") {\"Name\":\"\(isMoved ? "C" : "D")\"} +0s"
        expect(
            world.server.dump.sorted(), [child, #"b1 {"Name":"B"} +0s"#, #"s1 {"Name":"A"} +0s"#].sorted())
    }

    @Test func `A child added during the push gets its parent's new ID`() async throws {
        let world = try await World()
        let parent = try await world.create("P", in: "accounts")
        _ = try await world.manager.create(world.treeUp())
        world.server.with {
            $0.onPush = { number, _ in
                if number == 1 { try await world.create("late", under: "local_\(parent)") }
                return nil
            }
        }
        try await world.run("treeUp")
        expect(try await world.entries(), [#"1 local_2 {"Name":"late","AccountId":"s1"} local+created"#])
        world.server.with { $0.onPush = nil }
        try await world.run("treeUp")
        #expect(world.server.dump == [#"s1 {"Name":"P"} +0s"#, #"s2 under s1 {"Name":"late"} +0s"#])
    }

    @Test func `A missing index on the parent ID is reported`() async throws {
        let world = try await World()
        try await world.store.write { writer in
            try writer.removeSoup("contacts")
            try writer.registerSoup("contacts", [IndexSpec("Id", .string)])
        }
        _ = try await world.manager.create(world.treeUp())
        let result = try await world.manager.reSync(named: "treeUp").result
        #expect(result.error?.code == .indexNotDefined)
        #expect(result.error?.hint == "Add {\"path\": \"AccountId\", \"type\": \"string\"} to the indexes of the soup.")
    }

    @Test func `A child that is undeleted during the push stays`() async throws {
        let world = try await World()
        world.server.put("a1", ["Name": "Acme"])
        _ = try await world.manager.create(world.treeDown())
        try await world.run("treeDown")
        try await world.edit("a1", "Acme2", in: "accounts")
        let child = try await world.create("Kid", under: "a1")
        try await world.store.delete(child, in: "contacts")
        let store = world.store
        world.server.with {
            $0.onPush = { _, _ in
                try await store.undelete(child, in: "contacts")
                return nil
            }
        }
        _ = try await world.manager.create(world.treeUp())
        try await world.run("treeUp")
        #expect(try await world.entries().count == 1)
        try await world.run("treeUp")
        #expect(try await world.entries().allSatisfy { $0.contains("clean") })
        #expect(world.server.log.contains { $0.contains("Kid") }, "the next run pushes the undeleted child")
    }

    @Test(arguments: [
        PushOutcome.skipped, .failed(PushFailure(code: "NO", message: "no", isGone: true)),
        .unknown(PushFailure(code: "LOST", message: "lost")),
    ])
    func `Children without outcomes get the outcome of their parent`(outcome: PushOutcome)
        async throws
    {
        let world = try await World.withTwoTrees(mode: .leaveIfChanged)
        try await world.edit("p1", "edited", in: "accounts")
        try await world.edit("p1c1", "edited")
        world.server.with { $0.onPush = { _, changes in changes.map { _ in outcome } } }
        let result = try await world.manager.reSync(named: "treeUp").result
        let counts = [result.skipped, result.failed, result.unknown]
        switch outcome.result {
        case .skipped: #expect(counts == [2, 0, 0])
        case .failed: #expect(counts == [0, 2, 0])
        default: #expect(counts == [0, 0, 2])
        }
        let dirty = try await world.entries().filter { !$0.contains("clean") }
        #expect(dirty.count == 1 && dirty[0].contains("local+updated") && !dirty[0].contains("BAD_TARGET"))
    }
}

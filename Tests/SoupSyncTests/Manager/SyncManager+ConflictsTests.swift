// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSync
import SoupStore
import SoupCore
import SoupTesting
import Testing

/// Changes that LEAVE_IF_CHANGED skips, and their resolution.
@Suite struct SyncManagerConflictsTests {
    /// A world in which a sync up has skipped three changes.
    ///
    /// Ann is edited on both sides, Bob is edited locally and deleted on the server, and Dan is deleted locally and
    /// edited on the server.
    private func withSkippedChanges(_ target: JSONValue = [:]) async throws -> World {
        let world = try await World()
        for name in ["Ann", "Bob", "Dan"] {
            world.server.put(name.lowercased(), ["Name": .string(name), "City": "Oslo"])
        }
        world.clock.advance(by: .seconds(10))
        _ = try await world.manager.create(world.down())
        try await world.run("down")
        world.clock.advance(by: .seconds(10))
        for name in ["ann", "bob"] { try await world.edit(name, "mine") }
        try await world.delete("dan")
        for name in ["ann", "dan"] { world.server.put(name, ["Name": "theirs", "City": "Bergen"]) }
        world.server.remove("bob")
        _ = try await world.manager.create(world.up("up", target, from: "contacts", mode: .leaveIfChanged))
        let result = try await world.manager.reSync(named: "up").result
        #expect([result.skipped, result.conflicted] == [3, 0])
        #expect(result.isComplete)
        world.clock.advance(by: .seconds(10))
        return world
    }

    private func conflicts(_ world: World) async throws -> [String] {
        try await world.manager.conflicts().map { conflict in
            func text(_ record: JSONText?) -> String {
                guard var object = record?.value.objectValue else { return "-" }
                let date = object["LastModifiedDate"]?.stringValue.flatMap { DateText.milliseconds($0) }
                for key in ["Id", "LastModifiedDate"] { object[key] = nil }
                return "\(JSONValue.object(object))" + (date.map { " \(Moment.text($0))" } ?? "")
            }
            let versions = [conflict.base, conflict.local, conflict.remote].map { text($0) }.joined(separator: " | ")
            return "\(conflict.soup) \(conflict.entryId) \(conflict.code) \(conflict.fields) \(versions)"
        }
    }

    @Test func `A skipped change is listed with all versions`() async throws {
        let world = try await withSkippedChanges()
        let lines = [
            #"contacts 1 NEWER_ON_SERVER ["Name"] {"Name":"Ann","City":"Oslo"} +0s | {"City":"Oslo","Name":"mine"} +0s"#
                + #" | {"Name":"theirs","City":"Bergen"} +20s"#,
            #"contacts 2 DELETED_ON_SERVER [] {"Name":"Bob","City":"Oslo"} +0s | {"City":"Oslo","Name":"mine"} +0s | -"#,
            #"contacts 3 NEWER_ON_SERVER [] {"Name":"Dan","City":"Oslo"} +0s | - | {"Name":"theirs","City":"Bergen"} +20s"#,
        ]
        expect(try await conflicts(world), lines)
        // The entries are unchanged, and the next run finds the same conflicts.
        expect(
            try await world.entries(),
            [
                #"1 ann {"City":"Oslo","Name":"mine"} +0s local+updated sync 1"#,
                #"2 bob {"City":"Oslo","Name":"mine"} +0s local+updated sync 1"#,
                #"3 dan {"Name":"Dan","City":"Oslo"} +0s local+deleted sync 1"#,
            ])
        try await world.run("up")
        expect(try await conflicts(world), lines)
    }

    /// The listed fields are those whose local changes are lost if the server's version wins.
    ///
    /// This includes fields changed after the run, and the case that the server's version cannot be fetched.
    @Test(arguments: [true, false]) func `A conflict lists the fields that REMOTE resets`(fetches: Bool) async throws {
        let world = try await World()
        world.server.put("ann", ["Name": "Ann", "City": "Oslo", "Zip": "1", "Fax": "1", "Web": "1"])
        world.clock.advance(by: .seconds(10))
        _ = try await world.manager.create(world.down())
        try await world.run("down")
        world.clock.advance(by: .seconds(10))
        try await world.store.edit(1, setting: ["Name": "mine", "Zip": "2", "Web": "2"], in: "contacts")
        world.server.put("ann", ["Name": "theirs", "City": "Bergen", "Fax": "1", "Web": "2"])
        _ = try await world.manager.create(
            world.up("up", ["fetches": .bool(fetches)], from: "contacts", mode: .leaveIfChanged))
        try await world.run("up")
        world.clock.advance(by: .seconds(10))
        try await world.store.edit(1, setting: ["Fax": "2"], in: "contacts")
        let conflict = try #require(try await world.manager.conflicts().first)
        expect(Set(conflict.fields), fetches ? ["Name", "Zip", "Fax"] : ["Name", "Zip", "Fax", "Web"])
        try await world.manager.resolveConflict(conflict, as: .remote)
        let entry = try #require(try await world.store.retrieve([1], from: "contacts").first)
        let (base, local) = (try #require(conflict.base?.value), try #require(conflict.local?.value))
        let lost = ["Name", "City", "Zip", "Fax", "Web"].filter { field in
            local[field] != base[field] && local[field] != entry[JSONPath(field)]
        }
        expect(Set(lost), Set(conflict.fields))
    }

    /// A run writes new conflicts only.
    @Test func `A known conflict is not written again`() async throws {
        let world = try await withSkippedChanges()
        func notes() async throws -> [String] {
            try await world.store.query(.all("syncs_conflicts", pageSize: 10)).entries.map { "\($0.stored)" }
        }
        func writes() async throws -> Int {
            let before = world.backend.controls.writes
            try await world.run("up")
            return world.backend.controls.writes - before
        }
        let first = try await notes()
        expect(first.count, 3)
        let usual = try await writes()
        expect(try await notes(), first)
        for name in ["ann", "dan"] { world.server.put(name, ["Name": "again", "City": "Bergen"]) }
        // Edits and deletions are in separate batches.
        expect(try await writes(), usual + 2)
        expect(try await notes().count, 3)
        expect(
            try await world.manager.conflicts().map { $0.remote?.value["Name"]?.stringValue ?? "-" },
            ["again", "-", "again"])
        expect(try await writes(), usual)
    }

    @Test func `Resolving as remote keeps the server's versions`() async throws {
        let world = try await withSkippedChanges()
        for conflict in try await world.manager.conflicts() {
            try await world.manager.resolveConflict(conflict, as: .remote)
        }
        expect(try await conflicts(world), [])
        try await world.run("up")
        expect(
            try await world.entries(),
            [
                #"1 ann {"Name":"theirs","City":"Bergen"} +20s clean sync 1"#,
                #"3 dan {"Name":"theirs","City":"Bergen"} +20s clean sync 1"#,
            ])
        expect(
            world.server.dump,
            [#"ann {"Name":"theirs","City":"Bergen"} +20s"#, #"dan {"Name":"theirs","City":"Bergen"} +20s"#])
    }

    @Test func `Resolving as local sends the local versions`() async throws {
        let world = try await withSkippedChanges()
        for conflict in try await world.manager.conflicts() {
            try await world.manager.resolveConflict(conflict, as: .local)
        }
        try await world.run("up")
        expect(try await conflicts(world), [])
        // The changes made only on the server stay.
        expect(
            try await world.entries(),
            [
                #"1 ann {"Name":"mine","City":"Bergen"} +30s clean sync 1"#,
                #"2 s1 {"City":"Oslo","Name":"mine"} +30s clean sync 1"#,
            ])
        expect(
            world.server.dump,
            [#"ann {"Name":"mine","City":"Bergen"} +30s"#, #"s1 {"City":"Oslo","Name":"mine"} +30s"#])
    }

    @Test func `Resolving as merged sends the merged versions`() async throws {
        let world = try await withSkippedChanges()
        let conflicts = try await world.manager.conflicts()
        try #require(conflicts.count == 3)
        try await world.manager.resolveConflict(conflicts[0], as: .merged(JSONText(#"{"Name":"both"}"#)))
        try await world.manager.resolveConflict(conflicts[2], as: .merged(JSONText(#"{"Name":"alive"}"#)))
        try await world.run("up")
        expect(try await self.conflicts(world).map { $0.prefix(28) }, ["contacts 2 DELETED_ON_SERVER"])
        expect(
            world.server.dump,
            [#"ann {"Name":"both","City":"Bergen"} +30s"#, #"dan {"Name":"alive","City":"Bergen"} +30s"#])
    }

    /// A user edits the whole local record, which lacks the server's change of another field.
    @Test func `A merged record keeps changes that only the server made`() async throws {
        let world = try await withSkippedChanges()
        let conflict = try #require(try await world.manager.conflicts().first)
        let local = try #require(conflict.local)
        try await world.manager.resolveConflict(
            conflict, as: .merged(local.setting([(name: "Name", value: .string("both"))])))
        try await world.run("up")
        #expect(world.server.dump.first == #"ann {"Name":"both","City":"Bergen"} +30s"#)
    }

    @Test func `Skipped changes can be discarded`() async throws {
        let world = try await withSkippedChanges()
        _ = try await world.manager.discardChanges(of: [1, 2, 3], in: "contacts")
        expect(try await conflicts(world), [])
        try await world.run("down")
        expect(try await world.manager.cleanResyncGhosts(named: "down"), 1)
        expect(
            try await world.entries(),
            [
                #"1 ann {"Name":"theirs","City":"Bergen"} +20s clean sync 1"#,
                #"3 dan {"Name":"theirs","City":"Bergen"} +20s clean sync 1"#,
            ])
    }

    /// If records cannot be fetched, only the modification date of the server's version is known.
    @Test func `Resolving as local needs the server's version`() async throws {
        let world = try await withSkippedChanges(["fetches": false])
        let conflict = try #require(try await world.manager.conflicts().first)
        expect(conflict.remote?.value, ["LastModifiedDate": .string(DateText.format(Moment.after(20)))])
        let before = try await world.dump()
        let error = await #expect(throws: SoupError.self) {
            try await world.manager.resolveConflict(conflict, as: .local)
        }
        #expect(error?.code == .notSupported)
        expect(try await world.dump(), before)
        try await world.manager.resolveConflict(conflict, as: .remote)
        expect(try await world.entries()[0], #"1 ann {"Name":"Ann","City":"Oslo"} +0s clean sync 1"#)
    }

    /// A pushed change is not in conflict, and a recorded conflict does not prevent a push with MERGE.
    @Test(arguments: MergeMode.allCases)
    func `A conflict ends when its change is sent`(mode: MergeMode) async throws {
        let world = try await World()
        try await world.seed("Ann")
        try await world.edit("ann", "mine")
        world.server.put("ann", ["Name": "theirs"])
        _ = try await world.manager.create(world.up("up", [:], from: "contacts", mode: .leaveIfChanged))
        try await world.run("up")
        expect(try await world.manager.conflicts().count, 1)
        world.server.put("ann", ["Name": "Ann"], at: Moment.start)
        _ = try await world.manager.create(world.up("other", [:], from: "contacts", mode: mode))
        expect(try await world.run("other").dropLast().last, "update 1 ann ok")
        expect(try await world.manager.conflicts(), [])
        expect(world.server.dump, [#"ann {"Name":"mine"} +20s"#])
    }

    /// The tree is skipped because of a child that only the server has changed.
    @Test func `A record that waits for its tree is listed`() async throws {
        let world = try await World.withTree()
        world.clock.advance(by: .seconds(10))
        try await world.edit("p1", "mine", in: "accounts")
        try await world.create("new", under: "p1")
        world.server.put("c1", ["Name": "theirs"], parent: "p1")
        _ = try await world.manager.create(world.treeUp([:], mode: .leaveIfChanged))
        try await world.run("treeUp")
        expect(
            try await conflicts(world),
            [
                #"accounts 1 NEWER_ON_SERVER ["Name"] {"Name":"p1"} +0s | {"Name":"mine"} +0s | {} +0s"#,
                #"contacts 2 NEWER_ON_SERVER [] - | {"Name":"new","AccountId":"p1"} | {}"#,
            ])
        for conflict in try await world.manager.conflicts() {
            try await world.manager.resolveConflict(conflict, as: .remote)
        }
        expect(try await conflicts(world), [])
        expect(
            try await world.entries(of: "accounts") + world.entries(),
            [#"1 p1 {"Name":"p1"} +0s clean sync 1"#, #"1 c1 {"Name":"c1","AccountId":"p1"} +0s clean sync 1"#])
    }

    /// A new child is skipped with its parent, then pushed with it, and then edited again.
    @Test(arguments: [true, false]) func `A conflict without a base ends with its push`(keepsBases: Bool) async throws {
        let world = try await World()
        if !keepsBases {
            let indexes = [IndexSpec("Id", .string), IndexSpec("AccountId", .string)]
            try await world.store.alterSoup("contacts", to: indexes)
        }
        world.server.put("p1", ["Name": "p1"])
        world.clock.advance(by: .seconds(10))
        _ = try await world.manager.create(world.treeDown())
        try await world.run("treeDown")
        try await world.edit("p1", "mine", in: "accounts")
        try await world.create("new", under: "p1")
        world.clock.advance(by: .seconds(10))
        world.server.put("p1", ["Name": "theirs"])
        _ = try await world.manager.create(world.treeUp([:], mode: .leaveIfChanged))
        try await world.run("treeUp")
        expect(try await world.manager.conflicts().map(\.soup), ["accounts", "contacts"])
        world.server.put("p1", ["Name": "p1"], at: Moment.start)
        world.clock.advance(by: .seconds(10))
        try await world.run("treeUp")
        expect(try await world.store.count(.all("syncs_conflicts", pageSize: 1)), 0)
        world.clock.advance(by: .seconds(10))
        try await world.edit("s1", "unrelated")
        expect(try await world.manager.conflicts(), [])
        expect(
            try await world.entries(), [#"1 s1 {"AccountId":"p1","Name":"unrelated"} +30s local+updated"#])
    }

    /// A conflict can also end without a push, when the app itself updates the record.
    @Test func `A conflict without a base ends when the entry changes`() async throws {
        let world = try await World()
        try await world.store.alterSoup("contacts", to: [IndexSpec("Id", .string)])
        try await world.seed("Ann")
        try await world.edit("ann", "mine")
        world.server.put("ann", ["Name": "theirs"])
        _ = try await world.manager.create(world.up("up", [:], from: "contacts", mode: .leaveIfChanged))
        try await world.run("up")
        let conflict = try #require(try await world.manager.conflicts().first)
        #expect(conflict.base == nil)
        // The app fetches the record itself.
        try await world.store.upsert(["_soupEntryId": 1, "Id": "ann", "Name": "theirs"], into: "contacts")
        expect(try await world.entries(), [#"1 ann {"Name":"theirs"} clean"#])
        world.clock.advance(by: .seconds(10))
        try await world.edit("ann", "unrelated")
        expect(try await world.manager.conflicts(), [])
        let before = try await world.dump()
        let error = await #expect(throws: SoupError.self) {
            try await world.manager.resolveConflict(conflict, as: .remote)
        }
        #expect(error?.code == .notInConflict)
        expect(try await world.dump(), before)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupKit
import SoupLocalOrg
import SoupTesting
import Testing

/// References to records that the server does not have yet, in any field and across soups and syncs.
@Suite struct LocalReferenceTests {
    static let targets = ["{}", #"{"type": "batch"}"#, #"{"type": "single"}"#]

    /// Creates `count` people, each of which refers to the next one, which is created after it.
    private func createChain(_ count: Int, in world: TeamWorld) async throws -> [String] {
        var ids: [String] = []
        for number in 1...count { ids.append(try await world.create("p\(number)")) }
        for number in 1..<count { try await world.edit("p\(number)", ["Boss__c": .string(ids[number])]) }
        return (1...count).map { $0 < count ? "p\($0), Boss__c p\($0 + 1)" : "p\($0)" }
    }

    @Test(arguments: targets) func `Records of a soup are sent after those to which they refer`(
        _ target: String
    ) async throws {
        let world = try await TeamWorld(target: target)
        let lines = try await createChain(5, in: world)
        let result = try await world.run("peopleUp")
        #expect([result.created, result.updated, result.failed] == [5, 0, 0])
        try await world.expectEqualSides(lines)
    }

    @Test(arguments: targets, [MergeMode.overwrite, .leaveIfChanged, .merge])
    func `A cycle is sent with a second update`(_ target: String, mode: MergeMode) async throws {
        let world = try await TeamWorld(target: target, mode: mode)
        let ann = try await world.create("ann")
        let bob = try await world.create("bob", ["Boss__c": .string(ann)])
        try await world.edit("ann", ["Boss__c": .string(bob)])
        let result = try await world.run("peopleUp")
        #expect([result.created, result.updated, result.failed] == [2, 1, 0])
        try await world.expectEqualSides(["ann, Boss__c bob", "bob, Boss__c ann"])
    }

    @Test func `A record waits for one of another soup`() async throws {
        let world = try await TeamWorld()
        let red = try await world.create("red", in: "teams")
        try await world.create("ann", ["Team__c": .string(red)])
        try await world.create("bob")
        let first = try await world.run("peopleUp")
        #expect([first.created, first.failed] == [1, 1])
        #expect(try world.orgLines() == ["bob"])
        #expect(try await world.dirty() == ["ann NO_PARENT", "red -"])
        try await world.run("teamsUp")
        // The reference has the server's ID together with its record, also for queries that join the soups.
        #expect(try await world.storeLines().contains("ann, Team__c red"))
        #expect(
            try await world.entries("people").allSatisfy { $0["Team__c"]?.stringValue.map(LocalId.isLocal) != true })
        let last = try await world.run("peopleUp")
        #expect([last.created, last.failed] == [1, 0])
        try await world.expectEqualSides(["ann, Team__c red", "bob", "red"])
    }

    @Test func `A cycle across soups is sent by three runs`() async throws {
        let world = try await TeamWorld()
        let red = try await world.create("red", in: "teams")
        let ann = try await world.create("ann", ["Team__c": .string(red)])
        try await world.edit("red", in: "teams", ["Lead__c": .string(ann)])
        let first = try await world.run("peopleUp")
        #expect([first.created, first.updated, first.failed] == [1, 0, 1])
        #expect(try await world.dirty() == ["ann NO_PARENT", "red -"])
        #expect(try await world.run("teamsUp").created == 1)
        #expect(try await world.run("peopleUp").updated == 1)
        try await world.expectEqualSides(["ann, Team__c red", "red, Lead__c ann"])
    }

    @Test func `Updates wait, too`() async throws {
        let world = try await TeamWorld()
        try await world.create("ann")
        try await world.run("peopleUp")
        let red = try await world.create("red", in: "teams")
        try await world.edit("ann", ["Team__c": .string(red)])
        #expect(try await world.run("peopleUp").failed == 1)
        #expect(try world.orgLines() == ["ann"])
        try await world.run("teamsUp")
        #expect(try await world.run("peopleUp").updated == 1)
        try await world.expectEqualSides(["ann, Team__c red", "red"])
    }

    @Test func `A reference that is saved late is replaced`() async throws {
        let world = try await TeamWorld()
        let red = try await world.create("red", in: "teams")
        try await world.run("teamsUp")
        // The app has read the team before the sync.
        try await world.create("ann", ["Team__c": .string(red)])
        #expect(try await world.run("peopleUp").created == 1)
        try await world.expectEqualSides(["ann, Team__c red", "red"])
    }

    @Test func `A field that is not sent does not hold a record`() async throws {
        let world = try await TeamWorld(fields: ["Title__c"])
        let red = try await world.create("red", in: "teams")
        try await world.create("ann", ["Team__c": .string(red)])
        #expect(try await world.run("peopleUp").created == 1)
        #expect(try world.orgLines() == ["ann"])
    }

    @Test func `A text that only begins like a local ID is sent`() async throws {
        let world = try await TeamWorld(fields: ["Title__c", "Note__c"])
        try await world.create("ann", ["Note__c": "local_council"])
        #expect(try await world.run("peopleUp").created == 1)
        #expect(try world.org.state(of: "Person__c").first?["Note__c"] == "local_council")
        #expect(try await world.dirty() == [])
    }

    /// Another device has stored its own local ID in a text field.
    @Test(arguments: [MergeMode.overwrite, .leaveIfChanged, .merge])
    func `A text that the server already has is no reference`(_ mode: MergeMode) async throws {
        let world = try await TeamWorld(mode: mode, fields: ["Title__c", "Note__c"])
        try await world.create("ann")
        try await world.run("peopleUp")
        let entry = try #require(try await world.entries("people").first)
        let text = JSONValue.string(LocalId.random())
        try world.org.edit("Person__c", id: entry["Id"]?.stringValue ?? "", ["Note__c": text])
        let row = try #require(try world.org.state(of: "Person__c").first)
        // As a sync down saves it.
        var record = entry.stored.value
        record["Note__c"] = text
        record["LastModifiedDate"] = row["LastModifiedDate"]
        let fetched = record
        _ = try await world.kit.store.write { writer in
            try writer.upsert(
                RecordBatch([try JSONText(fetched)]), into: "people", matching: .path("Id"), stamping: .clean,
                guarding: .none)
        }
        try await world.edit("ann", ["Title__c": "anna"])
        #expect(try await world.run("peopleUp").updated == 1)
        #expect(try world.org.state(of: "Person__c").map { $0["Note__c"] } == [text])
        try await world.expectEqualSides(["anna"])
    }

    @Test func `A reference to an entry that does not exist fails`() async throws {
        let world = try await TeamWorld()
        let red = try await world.create("red", in: "teams")
        let entry = try #require(try await world.entries("teams").first)
        try await world.create("ann", ["Team__c": .string(red)])
        try await world.kit.store.delete(entry.id, in: "teams")
        try await world.run("teamsUp")
        #expect(try await world.run("peopleUp").failed == 1)
        let failure = try #require(try await world.kit.syncs.failures().first)
        #expect(failure.failure.code == "NO_PARENT")
        #expect(failure.failure.message.contains("Team__c of entry 1 of soup \"people\" refers to \(red)"))
        #expect(try world.orgLines() == [])
        try await world.edit("ann", ["Team__c": .null])
        #expect(try await world.run("peopleUp").created == 1)
        try await world.expectEqualSides(["ann"])
    }

    @Test func `The own ID in another field is no reference`() async throws {
        let world = try await TeamWorld(
            target: #"{"externalIdFieldName": "Key__c"}"#, fields: ["Title__c", "Key__c", "Note__c"])
        let ann = try await world.create("ann")
        try await world.edit("ann", ["Note__c": .string(ann)])
        #expect(try await world.run("peopleUp").created == 1)
        #expect(try world.org.state(of: "Person__c").first?["Note__c"]?.stringValue == ann)
        #expect(try await world.entries("people").first?["Note__c"]?.stringValue == ann)
        // Also when the entry has the server's ID.
        try await world.edit("ann", ["Title__c": "anna"])
        #expect(try await world.run("peopleUp").updated == 1)
        #expect(try world.org.state(of: "Person__c").map { $0["Note__c"] } == [.string(ann)])
        #expect(try await world.entries("people").first?["Note__c"]?.stringValue == ann)
    }

    @Test func `A field that updates do not send is not left out`() async throws {
        let world = try await TeamWorld(
            target: #"{"createFieldlist": ["Title__c", "Boss__c"], "updateFieldlist": ["Title__c"]}"#)
        let ann = try await world.create("ann")
        let bob = try await world.create("bob", ["Boss__c": .string(ann)])
        try await world.edit("ann", ["Boss__c": .string(bob)])
        #expect(try await world.run("peopleUp").failed == 2)
        #expect(try world.orgLines() == [])
        #expect(try await world.dirty() == ["ann NO_PARENT", "bob NO_PARENT"])
        let failure = try #require(try await world.kit.syncs.failures().first).failure
        #expect(failure.message.contains("updates do not send the field"))
        try await world.edit("ann", ["Boss__c": .null])
        #expect(try await world.run("peopleUp").created == 2)
        try await world.expectEqualSides(["ann", "bob, Boss__c ann"])
    }

    /// Entries of every form stay changed until the second update; an earlier version recognized them by a stamp that
    /// changes nothing in an entry with these flags at its end.
    @Test(arguments: targets, [MergeMode.overwrite, .leaveIfChanged, .merge])
    func `A second update is sent for entries of any form`(_ target: String, mode: MergeMode) async throws {
        let world = try await TeamWorld(target: target, mode: mode)
        let (ann, bob) = (LocalId.random(), LocalId.random())
        for (id, title, boss) in [(ann, "ann", bob), (bob, "bob", ann)] {
            let text = #"""
                {"Id":"\#(id)","Title__c":"\#(title)","Boss__c":"\#(boss)","attributes":{"type":"Person__c"},
                "__locally_created__":true,"__locally_updated__":false,"__locally_deleted__":false,"__local__":true}
                """#
            _ = try await world.kit.store.write { writer in
                try writer.upsert(
                    RecordBatch([try JSONText(text.replacing("\n", with: ""))]), into: "people", matching: .entryId,
                    stamping: .none, guarding: .none)
            }
        }
        let result = try await world.run("peopleUp")
        #expect([result.created, result.updated, result.failed] == [2, 1, 0])
        try await world.expectEqualSides(["ann, Boss__c bob", "bob, Boss__c ann"])
    }

    /// The first attempt leaves entries as the engine writes them.
    @Test(arguments: targets) func `A second update is sent after a refused attempt`(_ target: String) async throws {
        let world = try await TeamWorld(target: target)
        let ann = try await world.create("ann")
        let bob = try await world.create("bob", ["Boss__c": .string(ann)])
        try await world.edit("ann", ["Boss__c": .string(bob)])
        world.org.add(OrgFault(.http(status: 503, code: "SERVER_UNAVAILABLE"), count: 1))
        _ = try await world.kit.syncs.reSync(named: "peopleUp").result
        _ = try await world.run("peopleUp")
        _ = try await world.run("peopleUp")
        try await world.expectEqualSides(["ann, Boss__c bob", "bob, Boss__c ann"])
    }

    /// The second update is a change that the engine keeps, not an edit of the app.
    @Test func `A refused record of a cycle shows its error`() async throws {
        let world = try await TeamWorld()
        let long = String(repeating: "x", count: 41)
        let ann = try await world.create(long)
        let bob = try await world.create("bob", ["Boss__c": .string(ann)])
        try await world.edit(long, ["Boss__c": .string(bob)])
        #expect(try await world.run("peopleUp").failed == 2)
        #expect(try await world.dirty() == ["bob NO_PARENT", "\(long) STRING_TOO_LONG"])
        try await world.edit(long, ["Title__c": "ann"])
        _ = try await world.run("peopleUp")
        try await world.expectEqualSides(["ann, Boss__c bob", "bob, Boss__c ann"])
    }

    @Test func `A refused record holds those that refer to it`() async throws {
        let world = try await TeamWorld()
        let long = String(repeating: "x", count: 41)
        let ann = try await world.create(long)
        try await world.create("bob", ["Boss__c": .string(ann)])
        try await world.create("cid")
        let result = try await world.run("peopleUp")
        #expect([result.created, result.failed] == [1, 2])
        #expect(try world.orgLines() == ["cid"])
        #expect(try await world.dirty().contains("bob NO_PARENT"))
        try await world.edit(long, ["Title__c": "ann"])
        #expect(try await world.run("peopleUp").created == 2)
        try await world.expectEqualSides(["ann", "bob, Boss__c ann", "cid"])
    }

    @Test func `A lost answer does not lose the second update`() async throws {
        let world = try await TeamWorld(
            target: #"{"externalIdFieldName": "Key__c"}"#, fields: ["Title__c", "Boss__c", "Key__c"])
        let ann = try await world.create("ann", ["Key__c": "a"])
        let bob = try await world.create("bob", ["Key__c": "b", "Boss__c": .string(ann)])
        try await world.edit("ann", ["Boss__c": .string(bob)])
        world.org.add(OrgFault(.drop(.afterCommit), count: 1))
        try await world.run("peopleUp")
        for _ in 1...2 { try await world.run("peopleUp") }
        try await world.expectEqualSides(["ann, Boss__c bob", "bob, Boss__c ann"])
    }

    // MARK: - Trees

    @Test(arguments: [MergeMode.overwrite, .leaveIfChanged, .merge])
    func `Records of a tree refer to each other`(_ mode: MergeMode) async throws {
        let world = try await TeamWorld(mode: mode)
        let red = try await world.create("red", in: "teams")
        let ann = try await world.create("ann", ["Team__c": .string(red)])
        let bob = try await world.create("bob", ["Team__c": .string(red), "Boss__c": .string(ann)])
        try await world.edit("ann", ["Boss__c": .string(bob)])
        try await world.edit("red", in: "teams", ["Lead__c": .string(ann)])
        let result = try await world.run("treeUp")
        #expect([result.created, result.updated, result.failed] == [3, 3, 0])
        try await world.expectEqualSides([
            "ann, Boss__c bob, Team__c red", "bob, Boss__c ann, Team__c red", "red, Lead__c ann",
        ])
    }

    /// Another user has changed the parent, so its reference to a new child is a conflict.
    @Test(arguments: [MergeMode.overwrite, .leaveIfChanged, .merge])
    func `A reference to a new child is not lost in a conflict`(_ mode: MergeMode) async throws {
        let world = try await TeamWorld(mode: mode)
        try await world.create("red", in: "teams", ["Lead__c": .null])
        try await world.run("treeUp")
        let red = try #require(try await world.entries("teams").first?["Id"]?.stringValue)
        world.clock.advance(by: .seconds(5))
        try world.org.edit("Team__c", id: red, ["Key__c": "theirs"])
        let ann = try await world.create("ann", ["Team__c": .string(red)])
        try await world.edit("red", in: "teams", ["Lead__c": .string(ann)])
        let result = try await world.run("treeUp")
        guard mode == .leaveIfChanged else {
            return try await world.expectEqualSides(["ann, Team__c red", "red, Lead__c ann"])
        }
        #expect(result.skipped == 2)
        #expect(try world.orgLines() == ["red"])
        #expect(try await world.storeLines() == ["ann, Team__c red", "red, Lead__c ann"])
        #expect(try await world.entries("teams").map { $0["__local__"] } == [true])
    }

    @Test func `Trees refer to each other`() async throws {
        let world = try await TeamWorld()
        let red = try await world.create("red", in: "teams")
        let blue = try await world.create("blue", in: "teams")
        let ann = try await world.create("ann", ["Team__c": .string(red)])
        let bob = try await world.create("bob", ["Team__c": .string(blue)])
        try await world.edit("red", in: "teams", ["Lead__c": .string(bob)])
        try await world.edit("blue", in: "teams", ["Lead__c": .string(ann)])
        let result = try await world.run("treeUp")
        #expect([result.created, result.updated, result.failed] == [4, 1, 0])
        try await world.expectEqualSides([
            "ann, Team__c red", "blue, Lead__c ann", "bob, Team__c blue", "red, Lead__c bob",
        ])
    }

    /// The other tree waits for a creation of this one, which waits for the other tree with an update only.
    @Test func `An update waits while the creations of its tree are sent`() async throws {
        let world = try await TeamWorld()
        try await world.create("red", in: "teams")
        try await world.run("treeUp")
        let red = try #require(try await world.entries("teams").first?["Id"])
        let ann = try await world.create("ann", ["Team__c": red])
        let blue = try await world.create("blue", in: "teams", ["Lead__c": .string(ann)])
        try await world.edit("red", in: "teams", ["Part_of__c": .string(blue)])
        let result = try await world.run("treeUp")
        #expect([result.created, result.failed] == [2, 0])
        try await world.expectEqualSides(["ann, Team__c red", "blue, Lead__c ann", "red, Part_of__c blue"])
    }

    // MARK: - Several syncs

    @Test func `Sync ups run in the order of their references`() async throws {
        let world = try await TeamWorld()
        let red = try await world.create("red", in: "teams")
        let ann = try await world.create("ann", ["Team__c": .string(red)])
        try await world.create("blue", in: "teams", ["Part_of__c": .string(red)])
        #expect(try await world.runAll(["peopleUp", "teamsUp"]) == ["teamsUp 2+0", "peopleUp 1+0"])
        try await world.expectEqualSides(["ann, Team__c red", "blue, Part_of__c red", "red"])
        // In a cycle, the first one runs again.
        let cid = try await world.create("cid")
        let green = try await world.create("green", in: "teams", ["Lead__c": .string(cid)])
        try await world.edit("cid", ["Team__c": .string(green), "Boss__c": .string(ann)])
        #expect(
            try await world.runAll(["peopleUp", "teamsUp"]) == [
                "peopleUp 1+0, 1 waiting", "teamsUp 1+0", "peopleUp 0+1",
            ])
        try await world.expectEqualSides([
            "ann, Team__c red", "blue, Part_of__c red", "cid, Boss__c ann, Team__c green", "green, Lead__c cid", "red",
        ])
    }

    /// The first sync cannot send its record without the reference, so the other one must begin.
    @Test(arguments: [["peopleUp", "teamsUp"], ["teamsUp", "peopleUp"]])
    func `A required reference is sent last`(_ names: [String]) async throws {
        let world = try await TeamWorld(requiresTeam: true)
        let red = try await world.create("red", in: "teams")
        let ann = try await world.create("ann", ["Team__c": .string(red)])
        try await world.edit("red", in: "teams", ["Lead__c": .string(ann)])
        _ = try await world.runAll(names)
        try await world.expectEqualSides(["ann, Team__c red", "red, Lead__c ann"])
    }

    // MARK: - Edits after a lost answer

    @Test func `An edit that only creations send is kept and reported`() async throws {
        let world = try await TeamWorld(
            target: #"{"externalIdFieldName": "Key__c", "createFieldlist": ["Title__c", "Key__c", "Note__c"], "#
                + #""updateFieldlist": ["Title__c"]}"#)
        try await world.create("ann", ["Key__c": "a", "Note__c": "first"])
        world.org.add(OrgFault(.drop(.afterCommit), count: 1))
        #expect(try await world.run("peopleUp").unknown == 1)
        try await world.edit("ann", ["Note__c": "second"])
        for _ in 1...2 {
            #expect(try await world.run("peopleUp").unknown == 1)
            let failure = try #require(try await world.kit.syncs.failures().first).failure
            #expect(failure.fields == ["Note__c"])
            #expect(failure.message.contains("Note__c was edited before its response could be looked up"))
            #expect(try world.org.state(of: "Person__c").map { $0["Note__c"] } == ["first"])
            #expect(try await world.entries("people").map { $0["Note__c"] } == ["second"])
        }
        // Fields that updates send do not matter.
        try await world.edit("ann", ["Note__c": "first", "Title__c": "anna"])
        let result = try await world.run("peopleUp")
        #expect([result.created, result.updated, result.unknown] == [1, 1, 0])
        try await world.expectEqualSides(["anna"])
    }

    @Test func `Such an edit is kept with transforms, too`() async throws {
        let world = try await TeamWorld(
            target: #"{"externalIdFieldName": "Key__c", "createFieldlist": ["Title__c", "Key__c", "Note__c"], "#
                + #""updateFieldlist": ["Title__c"]}"#,
            transforms: #"[{"type": "rename", "fields": {"Note__c": "note"}}]"#)
        try await world.create("ann", ["Key__c": "a", "note": "first"])
        world.org.add(OrgFault(.drop(.afterCommit), count: 1))
        #expect(try await world.run("peopleUp").unknown == 1)
        try await world.edit("ann", ["note": "second"])
        #expect(try await world.run("peopleUp").unknown == 1)
        #expect(try world.org.state(of: "Person__c").map { $0["Note__c"] } == ["first"])
        #expect(try await world.entries("people").map { $0["note"] } == ["second"])
        let failure = try #require(try await world.kit.syncs.failures().first).failure
        #expect(failure.fields == ["Note__c"])
    }

    @Test func `A renamed field refers to a record`() async throws {
        let world = try await TeamWorld(
            fields: ["Title__c", "Boss__c"], transforms: #"[{"type": "rename", "fields": {"Boss__c": "boss"}}]"#)
        let ann = try await world.create("ann")
        let bob = try await world.create("bob", ["boss": .string(ann), "Note__c": .string(LocalId.random())])
        try await world.edit("ann", ["boss": .string(bob)])
        let result = try await world.run("peopleUp")
        #expect([result.created, result.updated, result.failed] == [2, 1, 0])
        #expect(try world.orgLines() == ["ann, Boss__c bob", "bob, Boss__c ann"])
        #expect(try await world.dirty() == [])
    }

    // MARK: - Previews

    @Test func `A preview shows the changes that wait`() async throws {
        let world = try await TeamWorld()
        let red = try await world.create("red", in: "teams")
        let ann = try await world.create("ann")
        try await world.create("bob", ["Boss__c": .string(ann)])
        try await world.create("cid", ["Team__c": .string(red)])
        let before = try await world.storeLines()
        let preview = try #require(
            try await SoupClient.previews(of: ["peopleUp"], at: world.url, options: world.options).0.first)
        let effects = preview.records.sorted { $0.entryId < $1.entryId }.map {
            "\($0.entryId) \($0.effect) \($0.reason?.code ?? "-")"
        }
        #expect(effects == ["1 send -", "2 send -", "3 fail NO_PARENT"])
        // Together with the sync of the teams, all are sent.
        let both = try await SoupClient.previews(of: ["peopleUp", "teamsUp"], at: world.url, options: world.options).0
        #expect(both.flatMap(\.records).map { "\($0.effect)" } == Array(repeating: "send", count: 4))
        #expect(try await world.storeLines() == before)
        #expect(try world.orgLines() == [])
    }
}

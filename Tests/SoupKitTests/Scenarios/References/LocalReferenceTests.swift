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

    /// The engine replaces the reference in both entries, which is no local edit.
    @Test(arguments: targets) func `A reference that is not sent leaves no change`(_ target: String) async throws {
        let world = try await TeamWorld(target: target, fields: ["Title__c"])
        let ann = try await world.create("ann")
        try await world.create("bob", ["Boss__c": .string(ann)])
        let result = try await world.run("peopleUp")
        #expect([result.created, result.updated, result.failed] == [2, 0, 0])
        #expect(try await world.dirty() == [])
        let cid = try await world.create("cid")
        try await world.edit("bob", ["Title__c": "bobby", "Boss__c": .string(cid)])
        let second = try await world.run("peopleUp")
        #expect([second.created, second.updated, second.failed] == [1, 1, 0])
        #expect(try await world.dirty() == [])
        #expect(try world.orgLines() == ["ann", "bobby", "cid"])
    }

    /// The entry with the reference is sent before the one to which it refers.
    @Test(arguments: targets) func `A reference that is not sent gets the ID`(_ target: String) async throws {
        let world = try await TeamWorld(target: target, fields: ["Title__c"])
        try await world.create("ann")
        try await world.edit("ann", ["Boss__c": .string(try await world.create("bob"))])
        #expect(try await world.run("peopleUp").created == 2)
        #expect(try await world.storeLines() == ["ann, Boss__c bob", "bob"])
        #expect(try await world.dirty() == [])
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

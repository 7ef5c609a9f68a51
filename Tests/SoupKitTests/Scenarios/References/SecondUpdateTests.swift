// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupKit
import SoupLocalOrg
import SoupTesting
import Testing

/// Records that refer to each other: one is created without its reference, which an update sends.
@Suite struct SecondUpdateTests {
    @Test(arguments: LocalReferenceTests.targets, [MergeMode.overwrite, .leaveIfChanged, .merge])
    func `A cycle is sent with a second update`(_ target: String, mode: MergeMode) async throws {
        let world = try await TeamWorld(target: target, mode: mode)
        try await world.createCycle()
        let result = try await world.run("peopleUp")
        #expect([result.created, result.updated, result.failed] == [2, 1, 0])
        try await world.expectEqualSides(["ann, Boss__c bob", "bob, Boss__c ann"])
    }

    /// Updates of people do not send their teams, so the team of the cycle is created first.
    @Test func `A cycle begins where an update can end it`() async throws {
        let fields = #""createFieldlist": ["Title__c", "Team__c"], "updateFieldlist": ["Title__c"]"#
        let world = try await TeamWorld(peopleTarget: "{\(fields)}")
        let ann = try await world.create("ann")
        let red = try await world.create("red", in: "teams", ["Lead__c": .string(ann)])
        try await world.edit("ann", ["Team__c": .string(red)])
        let runs = try await world.runAll(["peopleUp", "teamsUp"])
        #expect(runs == ["peopleUp 0+0, 1 waiting", "teamsUp 1+0, 1 waiting", "peopleUp 1+0", "teamsUp 0+1"])
        try await world.expectEqualSides(["ann, Team__c red", "red, Lead__c ann"])
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

    @Test func `A field that updates do not send is not left out`() async throws {
        let world = try await TeamWorld(
            target: #"{"createFieldlist": ["Title__c", "Boss__c"], "updateFieldlist": ["Title__c"]}"#)
        try await world.createCycle()
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
    @Test(arguments: LocalReferenceTests.targets, [MergeMode.overwrite, .leaveIfChanged, .merge])
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
    @Test(arguments: LocalReferenceTests.targets) func `A second update is sent after a refused attempt`(
        _ target: String
    ) async throws {
        let world = try await TeamWorld(target: target)
        try await world.createCycle()
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
        try await world.createCycle(long)
        #expect(try await world.run("peopleUp").failed == 2)
        #expect(try await world.dirty() == ["bob NO_PARENT", "\(long) STRING_TOO_LONG"])
        try await world.edit(long, ["Title__c": "ann"])
        _ = try await world.run("peopleUp")
        try await world.expectEqualSides(["ann, Boss__c bob", "bob, Boss__c ann"])
    }

    @Test func `A lost answer does not lose the second update`() async throws {
        let world = try await TeamWorld(
            target: #"{"externalIdFieldName": "Key__c"}"#, fields: ["Title__c", "Boss__c", "Key__c"])
        try await world.createCycle()
        for name in ["ann", "bob"] { try await world.edit(name, ["Key__c": .string(name)]) }
        world.org.add(OrgFault(.drop(.afterCommit), count: 1))
        try await world.run("peopleUp")
        for _ in 1...2 { try await world.run("peopleUp") }
        try await world.expectEqualSides(["ann, Boss__c bob", "bob, Boss__c ann"])
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
}

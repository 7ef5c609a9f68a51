// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupKit
import SoupLocalOrg
import SoupTesting
import Testing

/// References between records that are pushed in trees.
@Suite struct ReferencesInTreesTests {
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

    /// The children refer to each other in a field that updates do not send, and their parent to a refused record.
    @Test(.timeLimit(.minutes(1))) func `A tree that cannot be sent without its references fails`() async throws {
        let world = try await TeamWorld(childUpdates: ["Title__c"])
        try await world.create("red", in: "teams")
        try await world.run("treeUp")
        let red = try #require(try await world.entries("teams").first?["Id"])
        let ann = try await world.create("ann", ["Team__c": red])
        try await world.create("bob", ["Team__c": red, "Boss__c": .string(ann)])
        let long = String(repeating: "x", count: 41)
        let blue = try await world.create(long, in: "teams")
        try await world.edit("red", in: "teams", ["Part_of__c": .string(blue)])
        #expect(try await world.run("treeUp").failed == 4)
        #expect(try world.orgLines() == ["red"])
        #expect(
            try await world.dirty() == ["ann NO_PARENT", "bob NO_PARENT", "red NO_PARENT", "\(long) STRING_TOO_LONG"])
    }
}

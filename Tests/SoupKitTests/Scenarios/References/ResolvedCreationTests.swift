// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupKit
import SoupLocalOrg
import SoupSync
import SoupTesting
import Testing

/// Creations with an unknown outcome that the user resolves, while others change the record.
@Suite struct ResolvedCreationTests {
    private static let fields = ["Title__c", "Note__c", "Key__c"]

    /// A world with a created record whose response was lost; its entry was edited since.
    private func world(_ mode: MergeMode, _ target: String) async throws -> (world: TeamWorld, id: String) {
        let world = try await TeamWorld(target: target, mode: mode, fields: Self.fields)
        try await world.create("ann", ["Note__c": "sent", "Key__c": "k"])
        world.org.add(OrgFault(.drop(.afterCommit), method: "POST", count: 1))
        #expect(try await world.run("peopleUp").unknown == 1)
        world.clock.advance(by: .seconds(60))
        let id = try #require(try world.org.state(of: "Person__c").first?["Id"]?.stringValue)
        return (world, id)
    }

    private func note(_ world: TeamWorld) throws -> JSONValue? {
        try world.org.state(of: "Person__c").first?["Note__c"]
    }

    @Test(arguments: MergeMode.thatDetectConflicts, LocalReferenceTests.targets)
    func `A change of another user is not overwritten`(mode: MergeMode, target: String) async throws {
        let (world, id) = try await world(mode, target)
        try world.org.edit("Person__c", id: id, ["Note__c": "theirs"])
        try await world.edit("ann", ["Note__c": "mine"])
        await #expect {
            _ = try await world.kit.syncs.verifyCreated(id, entryId: 1, soup: "people")
        } throws: {
            ($0 as? SoupError)?.code == .differentRecord
        }
        try await world.kit.syncs.resolveUnknown(entryId: 1, soup: "people", as: .created(id))
        world.clock.advance(by: .seconds(60))
        #expect(try await world.run("peopleUp").updated == 0)
        #expect(try note(world) == "theirs")
        #expect(try await world.kit.syncs.conflicts().map(\.serverId) == [id])
    }

    @Test(arguments: MergeMode.allCases, LocalReferenceTests.targets)
    func `Edits of a verified record are sent`(mode: MergeMode, target: String) async throws {
        let (world, id) = try await world(mode, target)
        try await world.edit("ann", ["Note__c": "mine"])
        guard
            case .verified(let date) = try await world.kit.syncs.verifyCreated(id, entryId: 1, soup: "people")
        else {
            Issue.record("not verified")
            return
        }
        #expect(date != nil)
        try await world.kit.syncs.resolveUnknown(
            entryId: 1, soup: "people", as: .created(id, modificationDate: date))
        world.clock.advance(by: .seconds(60))
        #expect(try await world.run("peopleUp").updated == 1)
        #expect(try note(world) == "mine")
        #expect(try await world.dirty() == [])
    }

    /// The created record lacks the field, or has null in it.
    @Test(arguments: MergeMode.thatDetectConflicts, [nil, JSONValue.null])
    func `A value that was not sent is not overwritten`(mode: MergeMode, sent: JSONValue?) async throws {
        let world = try await TeamWorld(mode: mode, fields: Self.fields)
        var fields: JSONObject = ["Key__c": "k"]
        fields["Note__c"] = sent
        try await world.create("ann", fields)
        world.org.add(OrgFault(.drop(.afterCommit), method: "POST", count: 1))
        #expect(try await world.run("peopleUp").unknown == 1)
        world.clock.advance(by: .seconds(60))
        let id = try #require(try world.org.state(of: "Person__c").first?["Id"]?.stringValue)
        try world.org.edit("Person__c", id: id, ["Note__c": "theirs"])
        try await world.edit("ann", ["Note__c": "mine"])
        let verification = try await world.kit.syncs.verifyCreated(id, entryId: 1, soup: "people")
        #expect(verification == .verified(modificationDate: nil))
        try await world.kit.syncs.resolveUnknown(entryId: 1, soup: "people", as: .created(id))
        world.clock.advance(by: .seconds(60))
        #expect(try await world.run("peopleUp").updated == 0)
        #expect(try note(world) == "theirs")
    }

    /// Most of its fields are equal.
    @Test func `A similar record is a different one`() async throws {
        let (world, _) = try await world(.merge, "{}")
        try world.org.insert("Person__c", ["Title__c": "bob", "Note__c": "sent", "Key__c": "k2"])
        let other = try #require(try world.org.state(of: "Person__c").last?["Id"]?.stringValue)
        await #expect {
            _ = try await world.kit.syncs.verifyCreated(other, entryId: 1, soup: "people")
        } throws: {
            ($0 as? SoupError)?.message.contains("other values than entry 1") == true
        }
    }
}

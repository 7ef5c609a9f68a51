// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupKit
import SoupLocalOrg
import SoupTesting
import Testing

/// Edits of a created record whose response was lost, in fields that only creations send.
@Suite struct EditAfterLostAnswerTests {
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
}

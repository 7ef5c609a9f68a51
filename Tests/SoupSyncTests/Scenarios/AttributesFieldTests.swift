// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupStore
import SoupTesting
import Testing

@testable import SoupSync

/// Servers whose records have a field `attributes`, as those of JSON:API have.
@Suite struct AttributesFieldTests {
    private static let theirs: JSONObject = ["Name": "Ann", "attributes": ["title": "theirs"]]

    private func world() async throws -> World {
        let world = try await World.withMerge()
        world.editContactRemotely(["Name": "Ann", "attributes": ["title": "old"]])
        try await world.run("down")
        try await world.editContact(["attributes": ["title": "mine"]])
        world.clock.advance(by: .seconds(10))
        return world
    }

    @Test(arguments: ["down", "up"]) func `Changes of both sides are a conflict`(sync: String) async throws {
        let world = try await world()
        world.editContactRemotely(Self.theirs)
        try await world.run(sync)
        let conflicts = try await world.manager.conflicts()
        #expect(conflicts.map(\.fields) == [["attributes"]])
        #expect(try await world.entries().allSatisfy { $0.contains(#""attributes":{"title":"mine"}"#) })
        #expect(world.server.dump.allSatisfy { $0.contains("theirs") })
    }

    @Test func `A change of one side is pushed`() async throws {
        let world = try await world()
        try await world.run("up")
        #expect(world.server.dump.contains { $0.contains("mine") }, "\(world.server.dump)")
        #expect(try await world.manager.conflicts().isEmpty)
    }

    @Test func `The object and the URL of a record are no field`() throws {
        for (text, isMetadata) in [
            (#"{"type":"Contact","url":"/x"}"#, true), (#"{"type":"Contact"}"#, true), ("{}", true), ("null", true),
            (#"{"type":"Contact","title":"x"}"#, false), ("[]", false), ("1", false),
        ] {
            #expect(RecordMetadata.isMetadata(try JSONText(text)) == isMetadata, "\(text)")
        }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SmartStore
import SoupCore
import SoupTesting
import Testing

@testable import MobileSync

/// IDs that no server gives: in the outcomes of targets, and in entries.
@Suite struct UnusableIdTests {
    @Test(arguments: [nil, "", " ", "local_1", "a\u{1}"] as [String?])
    func aCreationWithoutAnIdIsUnknown(told: String?) async throws {
        let world = try await World()
        try await world.create("Ann")
        _ = try await world.manager.create(world.up("up", ["canFind": true]))
        let server = world.server
        server.with {
            $0.onPush = { _, changes in
                _ = server.take(changes)
                return changes.map { _ in .ok(serverId: told) }
            }
        }
        let result = try await world.manager.reSync(named: "up").result()
        #expect([result.created, result.unknown] == [0, 1])
        #expect(try await world.manager.unknownCreations() == ["contacts": [1]])
        // It is looked up and not sent a second time.
        server.with { $0.onPush = nil }
        try await world.run("up")
        expect(server.log, ["push create Ann", "find Ann", "fetch s1"])
        expect(try await world.entries(), [#"1 s1 {"Name":"Ann"} +0s clean"#])
    }

    @Test func anUpdateKeepsTheIdOfItsEntry() async throws {
        let world = try await World()
        try await world.bring("Ann")
        try await world.edit("ann", "Anna")
        _ = try await world.manager.create(world.up())
        let server = world.server
        server.with {
            $0.onPush = { _, changes in
                _ = server.take(changes)
                return changes.map { _ in .ok(serverId: "") }
            }
        }
        try await world.run("up")
        expect(try await world.entries(), [#"1 ann {"Name":"Anna"} +0s clean sync 1"#])
    }

    @Test func aFoundCreationNeedsAnIdToo() async throws {
        let world = try await World()
        try await world.create("Ann")
        _ = try await world.manager.create(world.up("up", ["canFind": true]))
        world.server.loseAnswer()
        try await world.run("up")
        world.server.with { state in
            state.onPush = nil
            state.records["s1"]?.id = "local_1"
        }
        let result = try await world.manager.reSync(named: "up").result()
        #expect(result.unknown == 1)
        expect(world.server.log, ["push create Ann", "find Ann"])
    }

    /// The others of the batch are sent.
    @Test func anEntryWithAnImpossibleIdFailsAlone() async throws {
        let world = try await World()
        try await world.bring("Ann", "Bob")
        try await world.edit("ann", "Anna")
        try await world.edit("bob", "Bobby")
        try await world.store.edit(1, setting: ["Id": "a\u{1}"], in: "contacts")
        _ = try await world.manager.create(world.up())
        let result = try await world.manager.reSync(named: "up").result()
        #expect([result.updated, result.failed] == [1, 1])
        expect(world.server.log, ["push update bob Bobby"])
        let failures = try await world.manager.failures()
        #expect(failures.map(\.failure.code) == ["NO_SERVER_ID"])
        #expect(failures.first?.failure.message.contains("which cannot be an id of the server") == true)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// Conflict resolvers, which decide during a run with the merge mode MERGE.
@Suite struct MergePolicyResolversTests {
    @Test(arguments: ["down", "up"]) func `A resolver resolves conflicts during the run`(_ sync: String) async throws {
        let world = try await World.withMerge(#"{"Phone":"both"}"#)
        try await world.editContact(["Phone": "2", "City": "Bergen"])
        world.editContactRemotely(["Name": "Anna", "Phone": "3", "City": "Oslo"])
        if sync == "down" { try await world.run("down") }
        try await world.run("up")
        let record = #"{"Name":"Anna","Phone":"both","City":"Bergen"}"#
        expect(world.server.dump, ["ann \(record) +30s"])
        expect(try await world.entries(), ["1 ann \(record) +30s clean sync 1"])
        expect(try await world.manager.conflicts(), [])
    }

    @Test(arguments: ["error", "unresolved", "[1]"]) func `A failing resolver leaves the conflict`(
        _ answer: String
    ) async throws {
        let world = try await World.withMerge(answer)
        try await world.editContact(["Phone": "2"])
        world.editContactRemotely(["Name": "Ann", "Phone": "3", "City": "Oslo"])
        let result = try await world.manager.reSync(named: "down").result
        #expect(result.conflicted == 1 && result.state.status == .done)
        expect(try await world.manager.conflicts().count, 1)
        expect(
            try await world.entries(), [#"1 ann {"Name":"Ann","City":"Oslo","Phone":"2"} +0s local+updated sync 1"#])
    }

    @Test(arguments: ["local", "remote", #"{"City":"Bergen"}"#, "unresolved"])
    func `A resolver decides on a deletion and a remote change`(_ answer: String) async throws {
        let world = try await World.withMerge(answer)
        try await world.delete("ann")
        world.editContactRemotely(["Name": "Anna", "Phone": "1", "City": "Oslo"])
        try await world.run("down")
        try await world.run("up")
        let remote = #"{"Name":"Anna","Phone":"1","City":"Oslo"}"#
        switch answer {
        case "local":
            expect(world.server.dump, [])
            expect(try await world.entries(), [])
        case "remote":
            expect(world.server.dump, ["ann \(remote) +20s"])
            expect(try await world.entries(), ["1 ann \(remote) +20s clean sync 1"])
        case "unresolved":
            expect(world.server.dump, ["ann \(remote) +20s"])
            expect(
                try await world.entries(),
                [#"1 ann {"Name":"Ann","Phone":"1","City":"Oslo"} +0s local+deleted sync 1"#])
            expect(try await world.manager.conflicts().map(\.local), [nil])
        default:
            let merged = #"{"Name":"Anna","Phone":"1","City":"Bergen"}"#
            expect(world.server.dump, ["ann \(merged) +30s"])
            expect(try await world.entries(), ["1 ann \(merged) +30s clean sync 1"])
        }
    }

    @Test(arguments: ["local", "remote", #"{"City":"Bergen"}"#, "unresolved"])
    func `A resolver decides on a change and a remote deletion`(_ answer: String) async throws {
        let world = try await World.withMerge(answer)
        try await world.editContact(["Phone": "2"])
        world.server.remove("ann")
        try await world.run("up")
        switch answer {
        case "local":
            expect(world.server.dump, [#"s1 {"Name":"Ann","City":"Oslo","Phone":"2"} +20s"#])
            expect(
                try await world.entries(), [#"1 s1 {"Name":"Ann","City":"Oslo","Phone":"2"} +20s clean sync 1"#])
        case "remote":
            expect(world.server.dump, [])
            expect(try await world.entries(), [])
        case "unresolved":
            expect(world.server.dump, [])
            expect(
                try await world.entries(),
                [#"1 ann {"Name":"Ann","City":"Oslo","Phone":"2"} +0s local+updated sync 1"#])
            expect(try await world.manager.conflicts().map(\.remote), [nil])
        default:
            expect(world.server.dump, [#"s1 {"Name":"Ann","City":"Bergen","Phone":"2"} +20s"#])
            expect(
                try await world.entries(), [#"1 s1 {"Name":"Ann","City":"Bergen","Phone":"2"} +20s clean sync 1"#])
        }
    }

    /// The row of the sync contains the resolver.
    @Test func `A new process uses the same resolver`() async throws {
        let world = try await World.withMerge("remote")
        try await world.editContact(["Phone": "2"])
        world.editContactRemotely(["Name": "Ann", "Phone": "3", "City": "Oslo"])
        let reopened = try await world.reopened()
        try await reopened.run("down")
        expect(
            try await reopened.entries(), [#"1 ann {"Name":"Ann","Phone":"3","City":"Oslo"} +20s clean sync 1"#])
    }
}

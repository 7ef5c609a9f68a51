// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import SoupKit
import SoupLocalOrg
import SoupSync
import SoupTestApp
import SoupTesting
import Synchronization
import Testing

/// Another user changes a record after a sync up has compared it, and before its update reaches the server.
@Suite struct EditBeforeWriteTests {
    static let scenarios: [SyncScenario] = MergeMode.thatDetectConflicts.flatMap { mode in
        [
            .rows("single", mode), .rows("batch", mode), .rows("rest", mode, isStrict: true),
            .trees(mode, allOrNone: false), .trees(mode, allOrNone: true),
        ]
    }

    /// A transport that refuses every request with a precondition.
    private struct RefusedConditions: HTTPTransport {
        let base: any HTTPTransport

        func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
            guard request.headerFields[.ifUnmodifiedSince] == nil else {
                return HTTPAnswer(
                    HTTPResponse(status: .preconditionFailed),
                    body: Array(#"[{"errorCode": "PRECONDITION_FAILED", "message": "no"}]"#.utf8))
            }
            return try await base.send(request, body: body)
        }
    }

    /// Pushes a local change of the description, before which another user sets fields.
    private func pushed(
        _ scenario: SyncScenario, whileOtherSets fields: JSONObject
    ) async throws -> (MatrixWorld, SyncResult) {
        let (world, transport) = try await MatrixWorld.fetched(scenario) { UpdateInterruption($0) }
        try await world.edit("a1", ["Description": "mine"])
        let (org, clock, id) = (world.org, world.clock, world.id("a1"))
        transport.edit.withLock {
            $0 = {
                clock.advance(by: .seconds(2))
                try org.edit("Account", id: id, fields)
            }
        }
        return (world, try await world.kit.syncs.reSync(named: "up").result)
    }

    private func row(_ world: MatrixWorld) throws -> JSONValue? {
        try world.org.state(of: "Account").first { $0["Id"]?.stringValue == world.id("a1") }
    }

    @Test(arguments: scenarios) func `The other change is not overwritten`(scenario: SyncScenario) async throws {
        let (world, result) = try await pushed(scenario, whileOtherSets: ["Description": "theirs"])
        #expect(result.state.status == .done)
        #expect([result.updated, result.failed, result.unknown] == [0, 0, 0])
        #expect(try row(world)?["Description"] == "theirs")
        let conflicts = try await world.kit.syncs.conflicts()
        #expect(conflicts.map(\.serverId) == [world.id("a1")])
        // The user decides for the local change.
        try await world.kit.syncs.resolveConflict(try #require(conflicts.first), as: .local)
        world.clock.advance(by: .seconds(2))
        #expect(try await world.kit.syncs.reSync(named: "up").result.updated == 1)
        #expect(try row(world)?["Description"] == "mine")
        #expect(try await world.kit.syncs.conflicts() == [])
    }

    @Test(arguments: scenarios) func `Changes of other fields are merged`(scenario: SyncScenario) async throws {
        let (world, result) = try await pushed(scenario, whileOtherSets: ["Name": "theirs"])
        #expect(result.updated == (scenario.mode.mergesChanges ? 1 : 0))
        #expect(try row(world)?["Name"] == "theirs")
        #expect(try row(world)?["Description"] == (scenario.mode.mergesChanges ? "mine" : .null))
        #expect(try await world.kit.syncs.conflicts().count == (scenario.mode.mergesChanges ? 0 : 1))
    }

    /// The server accepts the other records of the tree.
    @Test(arguments: MergeMode.thatDetectConflicts)
    func `A conflict in a part of a tree is found in the same run`(mode: MergeMode) async throws {
        let (world, transport) = try await MatrixWorld.fetched(.trees(mode, allOrNone: false)) {
            UpdateInterruption($0)
        }
        let contact = try #require(try await world.kit.store.query(.all("contacts", pageSize: 1)).entries.first)
        let id = try #require(contact["Id"]?.stringValue)
        let account = try await world.kit.store.lookup(contact["AccountId"] ?? .null, at: "Id", in: "accounts")
        try await world.kit.store.edit(try #require(account), setting: ["Description": "mine"], in: "accounts")
        try await world.kit.store.edit(contact.id, setting: ["LastName": "mine"], in: "contacts")
        let (org, clock) = (world.org, world.clock)
        transport.edit.withLock {
            $0 = {
                clock.advance(by: .seconds(2))
                try org.edit("Contact", id: id, ["LastName": "theirs"])
            }
        }
        let result = try await world.kit.syncs.reSync(named: "up").result
        #expect([result.updated, result.failed, result.unknown] == [1, 0, 0])
        #expect(try world.org.state(of: "Contact").first { $0["Id"]?.stringValue == id }?["LastName"] == "theirs")
        #expect(
            try world.org.state(of: "Account").first { $0["Id"] == contact["AccountId"] }?["Description"] == "mine")
        #expect(try await world.kit.syncs.conflicts().map(\.serverId).contains(id))
        #expect(try await world.kit.syncs.failures() == [])
        let before = try world.org.state(of: "Contact")
        #expect(try await world.kit.syncs.reSync(named: "up").result.updated == 0)
        #expect(try world.org.state(of: "Contact") == before)
    }

    /// The server may compare another date than the engine.
    @Test func `A change is sent although the server sees another version`() async throws {
        let world = try await MatrixWorld(.rows("single", .leaveIfChanged)) { RefusedConditions(base: $0) }
        _ = try await world.kit.syncs.reSync(named: "down").result
        try await world.edit("a1", ["Description": "mine"])
        #expect(try await world.kit.syncs.reSync(named: "up").result.updated == 1)
        #expect(try row(world)?["Description"] == "mine")
    }

    @Test func `A deleted record is a conflict`() async throws {
        for scenario in Self.scenarios where scenario.mode == .leaveIfChanged {
            let (world, transport) = try await MatrixWorld.fetched(scenario) { UpdateInterruption($0) }
            try await world.edit("a1", ["Description": "mine"])
            let (org, id) = (world.org, world.id("a1"))
            transport.edit.withLock { $0 = { try org.delete("Account", id: id) } }
            #expect(try await world.kit.syncs.reSync(named: "up").result.updated == 0)
            // The next run compares the versions again.
            _ = try await world.kit.syncs.reSync(named: "up").result
            #expect(try await world.kit.syncs.conflicts().map(\.code) == ["DELETED_ON_SERVER"], "\(scenario)")
            #expect(try await world.kit.syncs.failures() == [], "\(scenario)")
            #expect(try row(world)?["IsDeleted"] == true)
        }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import SoupCore
import SoupKit
import SoupLocalOrg
import SoupSync
import SoupTestApp
import SoupTesting
import Synchronization
import Testing

/// Another user changes a record after the server has committed a push, and before its response arrives.
@Suite struct SlowPushTests {
    static let scenarios: [SyncScenario] = MergeMode.thatDetectConflicts.flatMap { mode in
        [
            .rows("single", mode), .rows("batch", mode), .rows("rest", mode), .rows("rest", mode, isStrict: true),
            .trees(mode, allOrNone: false), .trees(mode, allOrNone: true),
        ]
    }

    /// A transport whose responses to changes arrive later, with the time of their arrival.
    private final class SlowResponses: HTTPTransport {
        private let base: any HTTPTransport
        /// The change by another user, which returns the `Date` of the response; without one, the header is missing.
        let change = Mutex<(@Sendable () throws -> Date?)?>(nil)

        /// Called before the next request after the change; the request fails if it throws.
        let next = Mutex<(@Sendable () async throws -> Void)?>(nil)

        /// The numbers of entries with local changes, as ``next`` has found them.
        let dirtyCounts = Mutex<[Int]>([])

        init(_ base: any HTTPTransport) { self.base = base }

        func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
            if change.withLock({ $0 == nil }), let next = next.withLock({ $0 }) { try await next() }
            var answer = try await base.send(request, body: body)
            let text = String(decoding: body ?? [], as: UTF8.self)
            let isChange =
                request.method == .patch || text.contains(#""PATCH""#)
                || request.method == .post && text.contains(SlowPushTests.createdName)
            guard isChange,
                let change = change.withLock({ change in
                    defer { change = nil }
                    return change
                })
            else { return answer }
            let date = try change()
            answer.response.headerFields[.date] = date.map { DateText.formatHTTPDate($0) }
            return answer
        }
    }

    private static let createdName = "New and slow"

    private func description(_ world: MatrixWorld) throws -> JSONValue? {
        try world.org.state(of: "Account").first { $0["Id"]?.stringValue == world.id("a1") }?["Description"]
    }

    /// Pushes a change; meanwhile another user may change the record.
    private func push(
        _ world: MatrixWorld, _ transport: SlowResponses, other: String?, delay: Duration, ahead: TimeInterval? = 0
    ) async throws {
        try await world.edit("a1", ["Description": "first"])
        let (org, clock, id) = (world.org, world.clock, world.id("a1"))
        transport.change.withLock {
            $0 = {
                clock.advance(by: delay / 2)
                if let other { try org.edit("Account", id: id, ["Description": .string(other)]) }
                clock.advance(by: delay / 2)
                return ahead.map { clock.now.addingTimeInterval($0) }
            }
        }
        #expect(try await world.kit.syncs.reSync(named: "up").result.updated == 1)
        world.clock.advance(by: .seconds(10))
    }

    @Test(arguments: scenarios) func `An entry gets a change before the response`(
        scenario: SyncScenario
    ) async throws {
        let (world, transport) = try await MatrixWorld.fetched(scenario) { SlowResponses($0) }
        try await push(world, transport, other: "theirs", delay: .seconds(20))
        let entry = try await world.entry("a1")
        let stored = try await world.kit.store.retrieve([entry], from: "accounts").first
        #expect(stored?["Description"] == "theirs" && stored?["__local__"] == false)
        // The user has seen it, and replaces it.
        try await world.edit("a1", ["Description": "second"])
        #expect(try await world.kit.syncs.reSync(named: "up").result.updated == 1)
        #expect(try description(world) == "second")
        #expect(try await world.kit.syncs.conflicts() == [])
    }

    /// The app edits the entry again before the record is fetched.
    @Test(arguments: scenarios) func `A change before the response is not overwritten`(
        scenario: SyncScenario
    ) async throws {
        let (world, transport) = try await MatrixWorld.fetched(scenario) { SlowResponses($0) }
        transport.next.withLock {
            $0 = {
                transport.next.withLock { $0 = nil }
                try await world.edit("a1", ["Description": "second"])
            }
        }
        try await push(world, transport, other: "theirs", delay: .seconds(20))
        #expect(try await world.kit.syncs.reSync(named: "up").result.updated == 0)
        #expect(try description(world) == "theirs")
        #expect(try await world.kit.syncs.conflicts().map(\.serverId) == [world.id("a1")])
    }

    /// The process may be killed while the records are fetched, or the connection may break.
    @Test(arguments: scenarios) func `The outcome is saved before the dates are checked`(
        scenario: SyncScenario
    ) async throws {
        let (world, transport) = try await MatrixWorld.fetched(scenario) { SlowResponses($0) }
        let store = world.kit.store
        transport.next.withLock {
            $0 = {
                let count = try await store.read { try $0.dirtyIds(in: "accounts").count }
                transport.dirtyCounts.withLock { $0.append(count) }
                throw SoupError(.network, "no connection")
            }
        }
        try await push(world, transport, other: "theirs", delay: .seconds(20))
        #expect(transport.dirtyCounts.withLock { $0.first } == 0)
        transport.next.withLock { $0 = nil }
        try await world.edit("a1", ["Description": "second"])
        #expect(try await world.kit.syncs.reSync(named: "up").result.updated == 0)
        #expect(try description(world) == "theirs")
    }

    @Test(arguments: scenarios) func `Without another change the next edit is sent`(
        scenario: SyncScenario
    ) async throws {
        let (world, transport) = try await MatrixWorld.fetched(scenario) { SlowResponses($0) }
        try await push(world, transport, other: nil, delay: .seconds(20))
        try await world.edit("a1", ["Description": "second"])
        #expect(try await world.kit.syncs.reSync(named: "up").result.updated == 1)
        #expect(try description(world) == "second")
        #expect(try await world.kit.syncs.conflicts() == [])
    }

    /// The clock of a gateway is ahead.
    @Test(arguments: scenarios) func `A time in the future hides no change`(scenario: SyncScenario) async throws {
        let (world, transport) = try await MatrixWorld.fetched(scenario) { SlowResponses($0) }
        try await push(world, transport, other: nil, delay: .zero, ahead: 7200)
        try world.org.edit("Account", id: world.id("a1"), ["Description": "theirs"])
        world.clock.advance(by: .seconds(10))
        try await world.edit("a1", ["Description": "second"])
        #expect(try await world.kit.syncs.reSync(named: "up").result.updated == 0)
        #expect(try description(world) == "theirs")
        #expect(try await world.kit.syncs.conflicts().map(\.serverId) == [world.id("a1")])
    }

    /// The header is missing, or no time.
    @Test(arguments: scenarios, [nil, "theirs"])
    func `A response without a time hides no change`(scenario: SyncScenario, other: String?) async throws {
        let (world, transport) = try await MatrixWorld.fetched(scenario) { SlowResponses($0) }
        try await push(world, transport, other: nil, delay: .zero, ahead: nil)
        if let other { try world.org.edit("Account", id: world.id("a1"), ["Description": .string(other)]) }
        world.clock.advance(by: .seconds(10))
        try await world.edit("a1", ["Description": "second"])
        #expect(try await world.kit.syncs.reSync(named: "up").result.updated == (other == nil ? 1 : 0))
        #expect(try description(world) == .string(other ?? "second"))
        #expect(try await world.kit.syncs.conflicts().count == (other == nil ? 0 : 1))
    }

    // MARK: - Creations

    /// The record lacks the field that the other user sets, or has null in it.
    enum Unsent: Sendable, CaseIterable {
        case missing, null
    }

    /// Creates a record, whose `Description` another user sets before the response arrives.
    ///
    /// - Returns: the ID of the entry, and that of the record.
    private func create(
        _ unsent: Unsent, in world: MatrixWorld, _ transport: SlowResponses
    ) async throws -> (entry: Int64, id: String) {
        var fields: JSONObject = ["Name": .string(Self.createdName), "Code__c": "S1"]
        if unsent == .null { fields["Description"] = .null }
        let entry = try await world.kit.store.create(fields, type: "Account", in: "accounts")
        let (org, clock) = (world.org, world.clock)
        transport.change.withLock {
            $0 = {
                clock.advance(by: .seconds(10))
                try org.edit("Account", id: Self.createdId(org), ["Description": "theirs"])
                clock.advance(by: .seconds(10))
                return clock.now
            }
        }
        #expect(try await world.kit.syncs.reSync(named: "up").result.created == 1)
        world.clock.advance(by: .seconds(10))
        return (entry.id, try Self.createdId(org))
    }

    private static func createdId(_ org: LocalOrg) throws -> String {
        try org.state(of: "Account").first { $0["Name"]?.stringValue == createdName }?["Id"]?.stringValue ?? ""
    }

    @Test(arguments: scenarios, Unsent.allCases)
    func `A created entry gets the values of others`(scenario: SyncScenario, unsent: Unsent) async throws {
        let (world, transport) = try await MatrixWorld.fetched(scenario) { SlowResponses($0) }
        let (entry, id) = try await create(unsent, in: world, transport)
        let stored = try await world.kit.store.retrieve([entry], from: "accounts").first
        #expect(stored?["Description"] == "theirs" && stored?["Id"]?.stringValue == id)
        // The user has seen it, and replaces it.
        try await world.kit.store.edit(entry, setting: ["Description": "mine"], in: "accounts")
        #expect(try await world.kit.syncs.reSync(named: "up").result.updated == 1)
        #expect(try await world.kit.syncs.conflicts() == [])
    }

    @Test(arguments: scenarios, Unsent.allCases)
    func `An edit after a slow creation replaces nothing`(scenario: SyncScenario, unsent: Unsent) async throws {
        let (world, transport) = try await MatrixWorld.fetched(scenario) { SlowResponses($0) }
        let store = world.kit.store
        transport.next.withLock {
            $0 = {
                transport.next.withLock { $0 = nil }
                let name = JSONValue.string(Self.createdName)
                let entry = try #require(try await store.lookup(name, at: "Name", in: "accounts"))
                try await store.edit(entry, setting: ["Description": "mine"], in: "accounts")
            }
        }
        let (_, id) = try await create(unsent, in: world, transport)
        #expect(try await world.kit.syncs.reSync(named: "up").result.updated == 0)
        #expect(
            try world.org.state(of: "Account").first { $0["Id"]?.stringValue == id }?["Description"] == "theirs")
        #expect(try await world.kit.syncs.conflicts().map(\.serverId) == [id])
    }
}

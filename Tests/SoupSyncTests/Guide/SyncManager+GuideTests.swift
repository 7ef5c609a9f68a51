// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@testable import SoupSync

/// The functions for syncs as in the developer guide of Mobile SDK.
@Suite(.timeLimit(.minutes(2))) struct SyncManagerGuideTests {
    /// The values that callbacks report, in their order.
    private final class Recorder<T: Sendable>: Sendable {
        private let stream: AsyncStream<T>
        private let continuation: AsyncStream<T>.Continuation
        init() { (stream, continuation) = AsyncStream.makeStream() }
        @Sendable func record(_ value: T) { continuation.yield(value) }

        func until(_ isLast: (T) -> Bool) async -> [T] {
            var values: [T] = []
            for await value in stream {
                values.append(value)
                if isLast(value) { break }
            }
            return values
        }
    }

    private func ends(_ state: SyncState) -> Bool { ![.new, .running].contains(state.status) }

    @Test func `A sync by name reports its states`() async throws {
        let world = try await World()
        world.server.put("ann", ["Name": "Ann"])
        let manager = world.manager
        _ = try await manager.create(world.down())
        for _ in 1...2 {
            let recorder = Recorder<SyncState>()
            let first = try manager.reSync(named: "down") { recorder.record($0) }
            #expect(first.line == "RUNNING 0/-1" && first.name == "down")
            let states = await recorder.until(ends)
            #expect(states.map(\.status).last == .done && states.first == first)
        }
        let recorder = Recorder<SyncState>()
        _ = try manager.reSync(named: "down", update: recorder.record)
        #expect(await recorder.until(ends).last?.status == .done)
        let byId = Recorder<SyncState>()
        _ = try manager.reSync(id: 1, onUpdate: byId.record)
        #expect(await byId.until(ends).last?.status == .done)
        let error = #expect(throws: SoupError.self) { try manager.reSync(named: "doown") { _ in } }
        #expect(error?.code == .syncNotFound)
    }

    @Test func `One-time syncs report their states`() async throws {
        let world = try await World()
        world.server.put("ann", ["Name": "Ann"])
        let manager = world.manager
        let down = Recorder<SyncState>()
        _ = try manager.syncDown(
            target: TargetReference(["type": "fake"]), soupName: "contacts", onUpdate: down.record)
        #expect(await down.until(ends).last?.line == "DONE 100/1")
        try await world.edit("ann", "Anna")
        let up = Recorder<SyncState>()
        _ = try manager.syncUp(
            target: TargetReference(["type": "fakeUp"]), options: SyncOptions(), soupName: "contacts",
            onUpdate: up.record)
        #expect(await up.until(ends).last?.line == "DONE 100/1")
        expect(world.server.dump, ["ann {\"Name\":\"Anna\"} +0s"])
        #expect(try await manager.syncs() == [])
    }

    @Test func `Cleaning reports its status and count`() async throws {
        let world = try await World()
        try await world.seed("Ann", "Bob")
        world.server.remove("bob")
        let recorder = Recorder<String>()
        try world.manager.cleanResyncGhosts(forName: "down") { recorder.record("\($0.rawValue) \($1)") }
        #expect(await recorder.until { _ in true } == ["DONE 1"])
        world.server.with { $0.onLookUp = { throw SoupError(.network, "no connection") } }
        try world.manager.cleanResyncGhosts(forId: 1) { recorder.record("\($0.rawValue) \($1)") }
        #expect(await recorder.until { _ in true } == ["FAILED 0"])
        _ = try await world.manager.create(world.up())
        let error = #expect(throws: SoupError.self) {
            try world.manager.cleanResyncGhosts(forName: "up") { _, _ in }
        }
        #expect(error?.code == .notASyncDown)
    }

    @Test func `A sync without updates returns its result`() async throws {
        let world = try await World()
        try await world.seed("Ann")
        let recorder = Recorder<String>()
        @Sendable func text(_ result: Result<SyncState, MobileSyncError>) -> String {
            switch result {
            case .success(let state): state.line
            case .failure(.notStarted(let error)): "not started \((error as? SoupError)?.code.rawValue ?? "?")"
            case .failure(.failed(let state)): "failed \(state?.line ?? "?")"
            case .failure(let error): "\(error)"
            }
        }
        world.manager.reSyncWithoutUpdates(named: "down") { recorder.record(text($0)) }
        expect(await recorder.until { _ in true }, ["DONE 100/0"])
        world.manager.reSyncWithoutUpdates(named: "no") { recorder.record(text($0)) }
        #expect(await recorder.until { _ in true } == ["not started syncNotFound"])
        world.server.with { $0.onPage = { _ in throw SoupError(.network, "no connection") } }
        world.manager.reSyncWithoutUpdates(named: "down") { recorder.record(text($0)) }
        #expect(await recorder.until { _ in true } == ["failed FAILED 0/-1"])
        let counts = Recorder<UInt?>()
        world.manager.cleanGhosts(named: "down") { counts.record(try? $0.get()) }
        #expect(await counts.until { _ in true } == [0])
        world.manager.cleanGhosts(named: "no") { counts.record(try? $0.get()) }
        #expect(await counts.until { _ in true } == [nil])
    }

    /// Defines and deletes syncs in a synchronous function, as ported code does.
    private func define(_ manager: SyncManager) throws -> [Bool] {
        let down = try manager.createSyncDown(
            target: TargetReference(["type": "fake"]), options: SyncOptions(), soupName: "contacts", syncName: "d")
        _ = try manager.createSyncUp(
            target: TargetReference(["type": "fakeUp"]), options: SyncOptions(), soupName: "contacts", syncName: "u")
        var found = [down.status == .new, try manager.hasSync(forName: "d"), try manager.hasSync(forName: "x")]
        try manager.deleteSync(forName: "d")
        try manager.deleteSync(forId: down.id)
        found.append(try manager.hasSync(forName: "d"))
        return found
    }

    @Test func `Syncs are defined in synchronous code`() async throws {
        let world = try await World()
        #expect(try define(world.manager) == [true, true, false, false])
        #expect(try await world.manager.syncs().map(\.name) == ["u"])
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Synchronization

/// A store that simulates a crash: from a chosen write on, nothing reaches the backend.
struct CrashableStore: StoreBackend {
    enum CrashPoint: Sendable {
        /// The transaction is lost.
        case beforeCommit
        /// The transaction is committed, but its caller gets an error.
        case afterCommit
        /// The stores of a routed store are committed, except the default store with the state of the syncs.
        case betweenCommits
    }

    final class Controls: Sendable {
        struct State: Sendable {
            var writes = 0
            var lastWrite = Int.max
            var hasCrashed = false
            var crashPoint = CrashableStore.CrashPoint.beforeCommit
            var bulkLoads: [Bool] = []
            var onWrite: (@Sendable (Int) async -> Void)?
            var onRead: (@Sendable () async -> Void)?
            var onClaim: (@Sendable () async -> Void)?
            var isShared = false
            weak var lease: SyncLease?
        }

        let state = Mutex(State())

        /// The number of writes so far.
        var writes: Int { state.withLock { $0.writes } }
        /// Whether a write has reached the point of the crash.
        var hasCrashed: Bool { state.withLock { $0.hasCrashed } }
        /// The announcements of bulk loads by the engine: true for a begin, false for an end.
        var bulkLoads: [Bool] { state.withLock { $0.bulkLoads } }

        /// Crashes at a write, counted from the next one.
        func crash(atWrite number: Int, _ point: CrashableStore.CrashPoint = .beforeCommit) {
            state.withLock {
                $0.lastWrite = $0.writes + number
                $0.crashPoint = point
            }
        }

        /// Releases the claim on the syncs, as the end of the process does.
        func endProcess() { state.withLock { $0.lease }?.release() }

        /// Grants every claim from now on, as a store does that cannot see other processes.
        func grantEveryClaim() { state.withLock { $0.isShared = true } }

        /// Lets reads and writes reach the backend again.
        func recover() { state.withLock { $0.lastWrite = .max } }

        /// Runs `body` before each write with the number of the write, counted from the next one.
        func beforeEachWrite(_ body: @escaping @Sendable (Int) async -> Void) {
            state.withLock { state in
                let first = state.writes
                state.onWrite = { await body($0 - first) }
            }
        }
    }

    /// Runs `body` once, after the next read and before its result is returned.
    func afterNextRead(_ body: @escaping @Sendable () async -> Void) { controls.state.withLock { $0.onRead = body } }

    /// Runs `body` before every attempt to claim the syncs.
    func beforeEachClaim(_ body: @escaping @Sendable () async -> Void) { controls.state.withLock { $0.onClaim = body } }

    struct Crashed: Error {}

    let base: any StoreBackend
    /// The default store of a routed `base`; nil for another base.
    var main: LostCommitStore?
    let controls = Controls()

    struct Configuration: Decodable, Sendable {}
    static let name: PluginName = "crashable"

    static func open(_ configuration: Configuration, in context: StoreContext) async throws -> CrashableStore {
        throw Crashed()
    }

    init(_ base: any StoreBackend, main: LostCommitStore? = nil) {
        self.base = base
        self.main = main
    }

    var capabilities: Set<StoreCapability> { base.capabilities.subtracting([.composable, .foreignCommits]) }

    func write<T: Sendable>(_ body: @escaping @Sendable (any StoreWriter) throws -> T) async throws -> T {
        let (number, last, crashPoint, onWrite) = controls.state.withLock { state in
            state.writes += 1
            if state.writes >= state.lastWrite { state.hasCrashed = true }
            return (state.writes, state.lastWrite, state.crashPoint, state.onWrite)
        }
        await onWrite?(number)
        guard number < last || (number == last && crashPoint != .beforeCommit) else { throw Crashed() }
        if number == last, crashPoint == .betweenCommits { main?.loseNextCommit() }
        let result = try await base.write(body)
        if number == last { throw Crashed() }
        return result
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T {
        guard controls.state.withLock({ $0.writes < $0.lastWrite }) else { throw Crashed() }
        let result = try await base.read(body)
        let onRead = controls.state.withLock { state in
            defer { state.onRead = nil }
            return state.onRead
        }
        await onRead?()
        return result
    }

    func changes(in soups: Set<SoupName>) -> AsyncStream<StoreChange> { base.changes(in: soups) }

    func alterSoup(_ soup: SoupName, to specs: [IndexSpec], reIndex: Bool) async throws {
        try await base.alterSoup(soup, to: specs, reIndex: reIndex)
    }

    func claimSyncs() async throws -> SyncLease? {
        await controls.state.withLock { $0.onClaim }?()
        if controls.state.withLock({ $0.isShared }) { return SyncLease {} }
        let lease = try await base.claimSyncs()
        controls.state.withLock { $0.lease = lease }
        return lease
    }

    func close() async throws { try await base.close() }

    func bulkLoad(_ active: Bool) async { controls.state.withLock { $0.bulkLoads.append(active) } }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Synchronization

/// A store that dies: from a chosen write on nothing reaches the backend, as if the process had ended.
struct CrashableStore: StoreBackend {
    enum Moment: Sendable {
        /// The transaction is not kept.
        case beforeCommit
        /// The transaction is kept, and nobody hears of it.
        case afterCommit
    }

    final class Fate: Sendable {
        struct State: Sendable {
            var writes = 0
            var lastWrite = Int.max
            var moment = CrashableStore.Moment.beforeCommit
            var bulkLoads: [Bool] = []
            var onWrite: (@Sendable (Int) async -> Void)?
            var onRead: (@Sendable () async -> Void)?
            var onClaim: (@Sendable () async -> Void)?
            var isShared = false
            weak var lease: SyncLease?
        }

        let state = Mutex(State())

        /// How many writes there were.
        var writes: Int { state.withLock { $0.writes } }
        /// What the engine announced.
        var bulkLoads: [Bool] { state.withLock { $0.bulkLoads } }

        /// Dies at a write, counted from the next one.
        func die(atWrite number: Int, _ moment: CrashableStore.Moment = .beforeCommit) {
            state.withLock {
                $0.lastWrite = $0.writes + number
                $0.moment = moment
            }
        }

        /// Ends the process as far as others can see: what it had claimed is free.
        func endProcess() { state.withLock { $0.lease }?.release() }

        /// From now on every claim is granted, as by a store that is not told of other processes.
        func grantEveryClaim() { state.withLock { $0.isShared = true } }

        func revive() { state.withLock { $0.lastWrite = .max } }

        /// Has something done before each write, which gets its number, counted from the next one.
        func beforeEachWrite(_ body: @escaping @Sendable (Int) async -> Void) {
            state.withLock { state in
                let first = state.writes
                state.onWrite = { await body($0 - first) }
            }
        }
    }

    /// Has something done behind the next read, once, before its result is given.
    func afterNextRead(_ body: @escaping @Sendable () async -> Void) { fate.state.withLock { $0.onRead = body } }

    /// Has something done in front of every attempt to claim the syncs.
    func beforeEachClaim(_ body: @escaping @Sendable () async -> Void) { fate.state.withLock { $0.onClaim = body } }

    struct Dead: Error {}

    let base: any StoreBackend
    let fate = Fate()

    struct Configuration: Decodable, Sendable {}
    static let name: PluginName = "crashable"

    static func open(_ configuration: Configuration, in context: StoreContext) async throws -> CrashableStore {
        throw Dead()
    }

    init(_ base: any StoreBackend) { self.base = base }

    var capabilities: Set<StoreCapability> { base.capabilities }

    func write<T: Sendable>(_ body: @escaping @Sendable (any StoreWriter) throws -> T) async throws -> T {
        let (number, last, moment, onWrite) = fate.state.withLock { state in
            state.writes += 1
            return (state.writes, state.lastWrite, state.moment, state.onWrite)
        }
        await onWrite?(number)
        guard number < last || (number == last && moment == .afterCommit) else { throw Dead() }
        let result = try await base.write(body)
        if number == last { throw Dead() }
        return result
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T {
        guard fate.state.withLock({ $0.writes < $0.lastWrite }) else { throw Dead() }
        let result = try await base.read(body)
        let onRead = fate.state.withLock { state in
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
        await fate.state.withLock { $0.onClaim }?()
        if fate.state.withLock({ $0.isShared }) { return SyncLease {} }
        let lease = try await base.claimSyncs()
        fate.state.withLock { $0.lease = lease }
        return lease
    }

    func bulkLoad(_ active: Bool) async { fate.state.withLock { $0.bulkLoads.append(active) } }
}

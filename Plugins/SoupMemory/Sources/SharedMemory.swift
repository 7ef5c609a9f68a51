// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore
internal import Synchronization

/// The state that the copies of a ``MemoryStore`` share.
final class SharedMemory: Sendable {
    let observers = ChangeObservers()
    private let clock: any SoupClock
    private let writing = AsyncSemaphore(permits: 1)
    /// The soups after the last write; nil if the store is closed.
    private let state = Mutex<MemoryState?>(MemoryState())
    private let syncs = SyncLeases()

    init(clock: any SoupClock) { self.clock = clock }

    /// - Throws: ``SoupError`` with `storeUnusable` if the store is closed.
    func current() throws -> MemoryState {
        guard let state = state.withLock({ $0 }) else { throw SoupError.storeClosed }
        return state
    }

    func write<T: Sendable>(_ body: @Sendable (MemoryWriter) throws -> T) async throws -> T {
        try await writing.wait()
        defer { writing.signal() }
        let writer = MemoryWriter(state: try current(), now: clock.milliseconds)
        let result = try body(writer)
        if let failure = writer.failure { throw failure }
        state.withLock { $0 = writer.state }
        observers.send(writer.changedSoups)
        return result
    }

    func close() async {
        // Closing also completes in a cancelled task.
        await Task {
            do { try await writing.wait() } catch { return }
            state.withLock { $0 = nil }
            observers.finish()
            writing.signal()
        }.value
    }

    func claimSyncs() throws -> SyncLease? {
        _ = try current()
        return syncs.claim()
    }
}

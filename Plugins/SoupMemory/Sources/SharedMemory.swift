// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
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

    private let random: @Sendable () -> UInt64

    init(clock: any SoupClock, random: @escaping @Sendable () -> UInt64) {
        self.clock = clock
        self.random = random
    }

    /// - Throws: ``SoupError`` with `storeUnusable` if the store is closed.
    func current() throws -> MemoryState {
        guard let state = state.withLock({ $0 }) else { throw SoupError.storeClosed }
        return state
    }

    func write<T: Sendable>(_ body: @Sendable (MemoryWriter) throws -> T) async throws -> T {
        try await writing.wait()
        defer { writing.signal() }
        return try runWrite(body)
    }

    func writeBlocking<T>(at now: Int64?, _ body: (MemoryWriter) throws -> T) throws -> T {
        waitBlocking()
        defer { writing.signal() }
        return try runWrite(at: now, body)
    }

    /// Waits for the turn to write, on the calling thread.
    private func waitBlocking() {
        if writing.tryWait() { return }
        let hasTurn = DispatchSemaphore(value: 0)
        Task.detached { [writing] in
            // A detached task is not cancelled, so it gets the turn.
            try? await writing.wait()
            hasTurn.signal()
        }
        hasTurn.wait()
    }

    private func runWrite<T>(at now: Int64? = nil, _ body: (MemoryWriter) throws -> T) throws -> T {
        let random = random
        let writer = MemoryWriter(
            state: try current(), now: now ?? clock.milliseconds, nextGeneration: { String(random(), radix: 36) })
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

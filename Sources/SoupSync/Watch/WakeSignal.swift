// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore
internal import Synchronization

/// A signal that wakes a waiting task; several signals before a wait count as one.
final class WakeSignal: Sendable {
    /// Resolved by the first signal, and replaced when the next wait ends.
    private let promise = Mutex(Promise<Void>())

    /// Wakes the waiting task, or the next task that waits.
    func send() { promise.withLock { $0 }.resolve(()) }

    /// Waits for a signal; only one task may wait at a time.
    ///
    /// - Throws: `CancellationError`.
    func wait() async throws {
        try await promise.withLock { $0 }.wait()
        promise.withLock { $0 = Promise() }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore
internal import Synchronization

/// A signal that wakes a waiting task; several signals before a wait count as one.
final class WatchNews: Sendable {
    /// Resolved by the signals until the next wait ends; then replaced.
    private let promise = Mutex(Promise<Void>())

    func signal() { promise.withLock { $0 }.resolve(()) }

    /// Waits for a signal; only one task may wait at a time.
    ///
    /// - Throws: `CancellationError`.
    func next() async throws {
        try await promise.withLock { $0 }.wait()
        promise.withLock { $0 = Promise() }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// How many of the pool's readers are taken, so that nobody waits for one on a thread that others need.
final class ReaderSeats: Sendable {
    private let taken = Mutex(0)
    private let count: Int

    init(_ count: Int) { self.count = count }

    /// Takes a seat if one is free.
    ///
    /// - Returns: whether it was; then call ``leave()`` afterwards.
    func tryEnter() -> Bool {
        taken.withLock { taken in
            guard taken < count else { return false }
            taken += 1
            return true
        }
    }

    /// Takes a seat, or stands in the queue for one.
    func enter() { taken.withLock { $0 += 1 } }

    /// Gives no more seats to those who do not queue.
    func close() { taken.withLock { $0 += count } }

    func leave() { taken.withLock { $0 -= 1 } }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Counts the pool's readers in use, so that a read on a shared thread does not block while it waits for a reader.
final class ReaderSeats: Sendable {
    private let taken = Mutex(0)
    private let count: Int

    init(_ count: Int) { self.count = count }

    /// Takes a reader if one is free.
    ///
    /// - Returns: whether one was free; if true, call ``leave()`` afterwards.
    func tryEnter() -> Bool {
        taken.withLock { taken in
            guard taken < count else { return false }
            taken += 1
            return true
        }
    }

    /// Counts a read that takes a reader, or waits for one in the pool's queue.
    func enter() { taken.withLock { $0 += 1 } }

    /// Makes ``tryEnter()`` return false from now on.
    func close() { taken.withLock { $0 += count } }

    func leave() { taken.withLock { $0 -= 1 } }
}

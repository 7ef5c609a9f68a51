// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Counts the pool's readers in use, so that a read on a shared thread does not block while it waits for a reader.
final class ReaderSlots: Sendable {
    private let used = Mutex(0)
    private let count: Int

    init(_ count: Int) { self.count = count }

    /// Acquires a slot if a reader is free.
    ///
    /// - Returns: whether one was free; if true, call ``release()`` afterwards.
    func tryAcquire() -> Bool {
        used.withLock { used in
            guard used < count else { return false }
            used += 1
            return true
        }
    }

    /// Counts a read that uses a reader, or waits for one in the pool's queue.
    func acquire() { used.withLock { $0 += 1 } }

    /// Makes ``tryAcquire()`` return false from now on.
    func close() { used.withLock { $0 += count } }

    /// Releases an acquired slot.
    func release() { used.withLock { $0 -= 1 } }
}

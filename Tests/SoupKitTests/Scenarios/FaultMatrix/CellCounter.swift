// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A counter for several tasks, such as of the tested cells of a matrix.
final class CellCounter: Sendable {
    private let count = Mutex(0)

    /// Adds a number, and returns the sum so far.
    func add(_ more: Int) -> Int {
        count.withLock { count in
            count += more
            return count
        }
    }
}

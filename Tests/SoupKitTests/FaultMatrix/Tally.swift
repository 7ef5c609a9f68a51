// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Counts what several tasks do: how many cells of a matrix were played so far.
final class Tally: Sendable {
    private let count = Mutex(0)

    /// Adds some.
    ///
    /// - Returns: all so far.
    func add(_ more: Int) -> Int {
        count.withLock { count in
            count += more
            return count
        }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The schedule by which a watch looks for changes of other processes: pauses that grow while nothing changes.
final class WatchPoll: Sendable {
    private let pauses: [Int64]
    private let position = Mutex(0)

    /// - Parameter pauses: in milliseconds; the last one repeats.
    /// - Returns: nil without any: nothing is looked for.
    init?(_ pauses: [Int64]) {
        if pauses.isEmpty { return nil }
        self.pauses = pauses
    }

    /// The next pause.
    func next() -> Int64 {
        position.withLock { position in
            defer { position = min(position + 1, pauses.count - 1) }
            return pauses[position]
        }
    }

    /// Begins with the first pause again, because something changed.
    func restart() { position.withLock { $0 = 0 } }
}

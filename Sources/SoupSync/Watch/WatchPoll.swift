// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The schedule of the checks for changes of other processes, with pauses that grow while nothing changes.
final class WatchPoll: Sendable {
    private let pauses: [Duration]
    private let position = Mutex(0)

    /// - Parameter pauses: the pauses; the last one repeats.
    /// - Returns: `nil` if there are no pauses, so that no checks are made.
    init?(_ pauses: [Duration]) {
        if pauses.isEmpty { return nil }
        self.pauses = pauses
    }

    /// Returns the next pause.
    func next() -> Duration {
        position.withLock { position in
            defer { position = min(position + 1, pauses.count - 1) }
            return pauses[position]
        }
    }

    /// Returns to the first pause, because something changed.
    func restart() { position.withLock { $0 = 0 } }
}

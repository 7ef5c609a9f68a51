// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The events of a test, in their order.
final class Recorder: Sendable {
    private let events = Mutex<[String]>([])

    var all: [String] { events.withLock { $0 } }

    /// Adds an event, and returns the number of events so far.
    @discardableResult
    func note(_ event: String) -> Int {
        events.withLock { events in
            events.append(event)
            return events.count
        }
    }
}

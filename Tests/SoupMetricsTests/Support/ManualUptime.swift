// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A time that changes only when a test advances it.
final class ManualUptime: Sendable {
    private let time = Mutex(Duration.zero)

    var now: Duration { time.withLock { $0 } }

    func advance(by duration: Duration) { time.withLock { $0 += duration } }
}

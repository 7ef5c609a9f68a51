// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import Synchronization

/// A clock that does not advance; a sleep ends at once and is recorded.
final class FixedClock: SoupClock {
    let now: Date
    private let noted = Mutex<[Int64]>([])

    /// - Parameter now: milliseconds since 1970.
    init(now: Int64 = 1_705_320_000_000) { self.now = Date(millisecondsSince1970: now) }

    /// The requested durations of the sleeps in milliseconds.
    var sleeps: [Int64] { noted.withLock { $0 } }

    func sleep(for duration: Duration) async throws { noted.withLock { $0.append(duration.milliseconds) } }
}

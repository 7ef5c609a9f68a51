// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore

/// A clock that always returns the same time.
struct FixedClock: SoupClock {
    var now: Date

    /// - Parameter now: milliseconds since 1970.
    init(now: Int64) { self.now = Date(millisecondsSince1970: now) }

    func sleep(for duration: Duration) async throws {}
}

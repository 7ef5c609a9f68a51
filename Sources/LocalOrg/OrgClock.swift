// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The org's own time: another clock's, moved or standing still.
final class OrgClock {
    /// How the org's time follows from the other clock's.
    struct Position: Codable, Equatable {
        /// Where it stands still, in milliseconds since 1970.
        var frozen: Int64?
        /// How far it is ahead, in milliseconds.
        var offset: Int64 = 0
    }

    private let base: any SoupClock
    var position = Position()

    init(base: any SoupClock) { self.base = base }

    /// The time of the clock that this one follows, in milliseconds since 1970.
    var baseNow: Int64 { base.now }

    /// Milliseconds since 1970.
    var now: Int64 { position.frozen ?? base.now + position.offset }

    func freeze(at time: Int64) { position.frozen = time }

    /// Moves the time, whether it stands still or not.
    func advance(by milliseconds: Int64) {
        if let time = position.frozen {
            position.frozen = time + milliseconds
        } else {
            position.offset += milliseconds
        }
    }

    /// Follows the other clock again.
    func run() { position = Position() }
}

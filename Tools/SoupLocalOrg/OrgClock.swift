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
    ///
    /// Kept between the years 1 and 9999, which timestamps can be written of.
    var now: Int64 { Self.kept(position.frozen ?? base.now.plus(position.offset)) }

    private static func kept(_ time: Int64) -> Int64 { min(max(time, -62_135_596_800_000), 253_402_300_799_999) }

    func freeze(at time: Int64) { position.frozen = Self.kept(time) }

    /// Moves the time, whether it stands still or not.
    func advance(by milliseconds: Int64) {
        let time = Self.kept(now.plus(milliseconds))
        if position.frozen != nil {
            position.frozen = time
        } else {
            position.offset = time - Self.kept(base.now)
        }
    }

    /// Follows the other clock again.
    func run() { position = Position() }
}

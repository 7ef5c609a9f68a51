// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The org's own time: that of another clock, moved or stopped.
final class OrgClock {
    /// The relation of the org's time to the other clock.
    struct Position: Codable, Equatable {
        /// The time at which it is stopped, in milliseconds since 1970.
        var frozen: Int64?
        /// The offset to the other clock, in milliseconds.
        var offset: Int64 = 0
    }

    private let base: any SoupClock
    var position = Position()

    init(base: any SoupClock) { self.base = base }

    /// The time of the clock that this one follows, in milliseconds since 1970.
    var baseNow: Int64 { base.milliseconds }

    /// The org's time in milliseconds since 1970, within the years 1 to 9999, for which timestamps can be written.
    var now: Int64 { Self.kept(position.frozen ?? base.milliseconds.plus(position.offset)) }

    private static func kept(_ time: Int64) -> Int64 { min(max(time, -62_135_596_800_000), 253_402_300_799_999) }

    func freeze(at time: Int64) { position.frozen = Self.kept(time) }

    /// Moves the time, whether the clock is stopped or runs.
    func advance(by milliseconds: Int64) {
        let time = Self.kept(now.plus(milliseconds))
        if position.frozen != nil {
            position.frozen = time
        } else {
            position.offset = time - Self.kept(base.milliseconds)
        }
    }

    /// Makes the org's time follow the other clock again.
    func run() { position = Position() }
}

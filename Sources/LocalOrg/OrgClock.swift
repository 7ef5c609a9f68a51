// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The org's own time: another clock's, moved or standing still.
final class OrgClock {
    private let base: any SoupClock
    /// Where it stands, and how far it is ahead.
    struct State: Sendable {
        var frozen: Int64?
        var offset: Int64 = 0
    }

    var state = State()
    private var frozen: Int64? {
        get { state.frozen }
        set { state.frozen = newValue }
    }
    private var offset: Int64 {
        get { state.offset }
        set { state.offset = newValue }
    }

    init(base: any SoupClock) { self.base = base }

    /// The time of the clock that this one follows, in milliseconds since 1970.
    var baseNow: Int64 { base.now }

    /// Milliseconds since 1970.
    var now: Int64 { frozen ?? base.now + offset }

    func freeze(at time: Int64) { frozen = time }

    /// Moves the time, whether it stands still or not.
    func advance(by milliseconds: Int64) {
        if let time = frozen { frozen = time + milliseconds } else { offset += milliseconds }
    }

    /// Follows the other clock again.
    func run() {
        frozen = nil
        offset = 0
    }
}

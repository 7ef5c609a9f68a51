// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import ArgumentParser
internal import Foundation
internal import SoupKit

/// A time in the past: a date, or a duration before now.
struct TimeArgument: ExpressibleByArgument, Sendable, Equatable {
    let time: Date

    static let help = "2026-11-20 (its beginning in UTC), 2026-11-20T08:00:00Z, or 90m, 36h or 7d for as long ago"

    init?(argument: String) { self.init(argument, now: SystemClock().now) }

    /// - Parameter now: the end of a duration.
    init?(_ text: String, now: Date) {
        if let unit = text.last.flatMap({ ["m": 60.0, "h": 3600, "d": 86_400][$0] }),
            let count = UInt32(text.dropLast())
        {
            time = now.addingTimeInterval(-Double(count) * unit)
        } else if text.contains("T"), let date = DateText.parse(text) {
            time = date
        } else if let date = DateText.parse(text + "T00:00:00Z"), DateText.format(date, zone: "Z").hasPrefix(text) {
            // Days after the end of a month are no dates.
            time = date
        } else {
            return nil
        }
    }
}

#endif

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The decision about the time of a server, which a response reports in its header.
enum ServerTime {
    /// The difference between the two clocks up to which the earlier one counts: a day, in milliseconds.
    private static let longestDifference: Int64 = 86_400_000

    /// Returns the earliest time that the server's clock can have shown; `nil` if the clocks differ by more than a day.
    ///
    /// The header can come from a gateway whose clock is ahead. If that time alone decided up to when changes are
    /// known, later changes would never be fetched. A time that is too early only fetches some records again.
    ///
    /// - Parameters:
    ///   - time: the server's time in milliseconds since 1970.
    ///   - deviceTime: the device's time at the same moment or before.
    static func earliest(_ time: Int64, deviceTime: Int64) -> Int64? {
        let (difference, isBeyond) = time.subtractingReportingOverflow(deviceTime)
        guard !isBeyond, (-longestDifference...longestDifference).contains(difference) else { return nil }
        return min(time, deviceTime)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The limit of API calls a day: counts the calls of a day of the org's clock, and rejects those above the maximum.
///
/// ``OrgOptions/dailyLimit`` is the maximum. ``Authentication`` counts a call, ``LimitsHandler`` reports the rest.
struct DailyLimit: Sendable {
    private var day = Int64.min
    private var count = 0

    /// Returns the number of calls on the day of a time.
    ///
    /// - Parameter now: the org's time, in milliseconds since 1970.
    func calls(at now: Int64) -> Int { day == Self.day(of: now) ? count : 0 }

    /// Counts a call.
    ///
    /// - Throws: ``OrgError`` if the day already has the maximum number of calls.
    mutating func countCall(at now: Int64, maximum: Int) throws {
        if calls(at: now) >= maximum {
            throw OrgError(403, "REQUEST_LIMIT_EXCEEDED", message: "TotalRequests Limit exceeded.")
        }
        add(1, at: now)
    }

    /// Counts calls without checking the limit.
    mutating func add(_ calls: Int, at now: Int64) {
        count = self.calls(at: now) + calls
        day = Self.day(of: now)
    }

    private static func day(of time: Int64) -> Int64 { time / 86_400_000 }
}

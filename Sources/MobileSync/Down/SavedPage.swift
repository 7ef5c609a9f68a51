// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// What became of the records of a page.
struct SavedPage: Sendable, Hashable {
    /// Records of the page; for trees: parents.
    var count = 0
    var saved = 0
    var unchanged = 0
    var skipped = 0
    /// Records whose changes were merged with local ones, which are still to be sent.
    var merged = 0
    /// Records that are in conflict with local changes.
    var conflicted = 0
    /// Of the saved ones, those that replaced local changes.
    var replaced = 0
    /// Records of this date or a later one may have changed when the query had begun already; nil when nobody knows.
    var horizon: Int64?
    /// The highest modification date before the horizon of the records that are in the store.
    var highest: Int64?
    /// Whether a record that is in the store has a date of the horizon or later.
    var hasLaterChange = false
    /// The lowest modification date of the records that local changes kept out.
    var lowestSkipped: Int64?
    var skippedWithoutDate = false
    /// For trees: what the children of each part behind the first have shown.
    var parts: [SeenDates] = []

    /// Takes note of the date of a record that decides about the high-water mark.
    mutating func note(_ date: Int64?, isSkipped: Bool) {
        if !isSkipped {
            if let date, let horizon, date >= horizon {
                hasLaterChange = true
            } else {
                highest = [highest, date].compactMap { $0 }.max()
            }
        } else if let date {
            lowestSkipped = min(lowestSkipped ?? date, date)
        } else {
            skippedWithoutDate = true
        }
    }
}

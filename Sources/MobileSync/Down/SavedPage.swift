// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// What became of the records of a page.
struct SavedPage: Sendable, Hashable {
    /// Records of the page; for trees: parents.
    var count = 0
    var saved = 0
    var unchanged = 0
    var skipped = 0
    /// The highest modification date of the records that are in the store.
    var highest: Int64?
    /// The lowest modification date of the records that local changes kept out.
    var lowestSkipped: Int64?
    var skippedWithoutDate = false

    /// Takes note of the date of a record that decides about the high-water mark.
    mutating func note(_ date: Int64?, isSkipped: Bool) {
        if !isSkipped {
            highest = [highest, date].compactMap { $0 }.max()
        } else if let date {
            lowestSkipped = min(lowestSkipped ?? date, date)
        } else {
            skippedWithoutDate = true
        }
    }
}

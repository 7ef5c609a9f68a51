// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// What became of the records of a page.
struct SavedPage: Sendable, Hashable {
    /// Records of the page; for trees: parents.
    var count = 0
    /// What became of the records, those aside that an earlier page brought.
    var tally = RecordTally()
    /// Those of them that were written, by their soups.
    var savedBySoup: [SoupName: Int] = [:]
    /// Records of this date or a later one may have changed when the query had begun already; nil when nobody knows.
    var horizon: Int64?
    /// What the dates of the records show; for trees: of the parents.
    var seen = SeenDates()
    /// For trees: what the children of each part behind the first have shown.
    var parts: [SeenDates] = []
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The results of saving a page.
struct SavedPage: Sendable, Hashable {
    /// The number of records of the page; for trees, the number of parents.
    var count = 0
    /// The results of the records, except those that an earlier page already returned.
    var tally = RecordTally()
    /// The number of written records, by soup.
    var savedBySoup: [SoupName: Int] = [:]
    /// The date from which records may have changed after the query began; `nil` if unknown.
    var horizon: Int64?
    /// The dates of the records; for trees, of the parents.
    var seen = WatermarkAccumulator()
    /// For trees: the dates of the children, one element for each part after the first.
    var parts: [WatermarkAccumulator] = []
}

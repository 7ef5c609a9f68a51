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
    /// What the dates of the records show; for trees: of the parents.
    var seen = SeenDates()
    /// For trees: what the children of each part behind the first have shown.
    var parts: [SeenDates] = []
}

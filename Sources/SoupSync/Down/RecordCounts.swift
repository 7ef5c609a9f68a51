// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The number of records of a page, or of a run, for each result.
///
/// A number of a page is negative if the page changed the results of records that earlier pages returned.
struct RecordCounts: Sendable, Hashable {
    var saved = 0
    var unchanged = 0
    var skipped = 0
    /// Records that were merged with local changes, which still have to be pushed.
    var merged = 0
    /// Records that are in conflict with local changes.
    var conflicted = 0
    /// The number of saved records that replaced local changes.
    var replaced = 0

    static func += (left: inout RecordCounts, right: RecordCounts) {
        left.saved += right.saved
        left.unchanged += right.unchanged
        left.skipped += right.skipped
        left.merged += right.merged
        left.conflicted += right.conflicted
        left.replaced += right.replaced
    }
    static func -= (left: inout RecordCounts, right: RecordCounts) {
        left.saved -= right.saved
        left.unchanged -= right.unchanged
        left.skipped -= right.skipped
        left.merged -= right.merged
        left.conflicted -= right.conflicted
        left.replaced -= right.replaced
    }
}

extension RecordCounts {
    /// Counts one record with an effect.
    init(_ effect: RecordWrite.Effect) {
        switch effect {
        case .saved: saved = 1
        case .unchanged: unchanged = 1
        case .merged: merged = 1
        case .conflicted: conflicted = 1
        case .skipped: skipped = 1
        }
    }
}

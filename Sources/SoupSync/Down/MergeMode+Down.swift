// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The effect of the merge mode on a sync down.
extension MergeMode {
    /// Returns the guard of the entries that keep their local changes when a page is saved.
    ///
    /// - Parameter start: the modification date of the store at which the first run of the query began.
    func writeGuard(since start: Int64) -> WriteGuard {
        switch self {
        case .overwrite: .dirtySince(start)
        case .leaveIfChanged, .merge: .dirty
        }
    }

    /// Whether fetched records are merged with the entries that keep their local changes.
    ///
    /// If `false`, such an entry does not change, and its record counts as skipped.
    var mergesFetchedRecords: Bool {
        switch self {
        case .overwrite, .leaveIfChanged: false
        case .merge: true
        }
    }
}

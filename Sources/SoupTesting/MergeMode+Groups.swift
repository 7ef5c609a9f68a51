// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import SoupCore

/// The groups of merge modes that the tests of this package distinguish.
///
/// A test that expects the same of every mode uses `allCases`. Any other test uses a group, so that a new mode is
/// assigned here once for all tests.
extension MergeMode {
    /// The modes with which a sync up compares a change with the server's version before it sends the change.
    package static let thatDetectConflicts = allCases.filter(\.detectsConflicts)

    /// The modes with which a sync up sends a change although another user has changed other records of its tree.
    package static let thatIgnoreUnchangedRecords = allCases.filter { !$0.comparesUnchangedRecords }

    /// Whether a sync merges the changes of both sides if they are in different fields of a record.
    package var mergesChanges: Bool {
        switch self {
        case .overwrite, .leaveIfChanged: false
        case .merge: true
        }
    }

    /// Whether a newer version of a record without local changes holds its tree back.
    package var comparesUnchangedRecords: Bool {
        switch self {
        case .overwrite, .merge: false
        case .leaveIfChanged: true
        }
    }

    /// The mode for the sync down of an app whose sync up has this mode; it never replaces local changes.
    package var pullMode: MergeMode {
        switch self {
        case .overwrite, .leaveIfChanged: .leaveIfChanged
        case .merge: .merge
        }
    }
}

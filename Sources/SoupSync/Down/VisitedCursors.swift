// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The cursors of the pages that a query has returned, to detect pages that lead back to an earlier page.
///
/// It keeps a bounded number of hashes. When it is full, it is emptied. A cycle that is shorter than the bound is still
/// detected, one round later.
struct VisitedCursors: Sendable {
    static let limit = 65_536

    private var hashes: Set<Int> = []

    /// Returns whether a cursor has not been visited yet.
    func isNew(_ cursor: PageCursor) -> Bool { !hashes.contains(cursor.hashValue) }

    /// Adds a cursor.
    ///
    /// - Returns: whether the cursor is new.
    mutating func insert(_ cursor: PageCursor) -> Bool {
        if hashes.count == Self.limit { hashes = [] }
        return hashes.insert(cursor.hashValue).inserted
    }
}

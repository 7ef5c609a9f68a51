// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The cursors that a query has followed, to detect pages that lead back to an earlier page.
///
/// It keeps a bounded number of hashes. When it is full, it starts again empty. A cycle that is shorter than the bound
/// is still detected, one round later.
struct CursorTrail: Sendable {
    static let limit = 65_536

    private var seen: Set<Int> = []

    /// Whether a cursor has not been followed yet.
    func isNew(_ cursor: PageCursor) -> Bool { !seen.contains(cursor.hashValue) }

    /// Records that a cursor is followed.
    ///
    /// - Returns: whether the cursor is new.
    mutating func follow(_ cursor: PageCursor) -> Bool {
        if seen.count == Self.limit { seen = [] }
        return seen.insert(cursor.hashValue).inserted
    }
}

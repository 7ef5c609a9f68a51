// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The cursors that a query has followed, so that pages that lead back to an earlier one do not go on for ever.
///
/// It keeps hashes, and a bounded number of them: when it is full it starts anew, and still finds every circle that is
/// shorter than the bound, one round later.
struct CursorTrail: Sendable {
    static let limit = 65_536

    private var seen: Set<Int> = []

    /// Whether a cursor was not followed yet.
    func isNew(_ cursor: PageCursor) -> Bool { !seen.contains(cursor.hashValue) }

    /// Takes note of a cursor that is followed.
    ///
    /// - Returns: whether it is a new one.
    mutating func follow(_ cursor: PageCursor) -> Bool {
        if seen.count == Self.limit { seen = [] }
        return seen.insert(cursor.hashValue).inserted
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore
internal import Synchronization

/// How many records of a page, or of a run, came to which end.
struct RecordTally: Sendable, Hashable {
    var saved = 0
    var unchanged = 0
    var skipped = 0
    /// Records whose changes were merged with local ones, which are still to be sent.
    var merged = 0
    /// Records that are in conflict with local changes.
    var conflicted = 0
    /// Of the saved ones, those that replaced local changes.
    var replaced = 0

    static func += (left: inout RecordTally, right: RecordTally) {
        left.saved += right.saved
        left.unchanged += right.unchanged
        left.skipped += right.skipped
        left.merged += right.merged
        left.conflicted += right.conflicted
        left.replaced += right.replaced
    }
}

/// The records that a run has counted.
///
/// A server returns a record twice if it changes while the pages are fetched, and a child twice if its parent changed
/// too: with the parent, and with the children that changed. It is counted once.
final class CountedRecords: Sendable {
    /// Hashes of what was counted.
    ///
    /// Beyond the maximum a record that comes twice is counted twice: the memory of a run does not grow with what it
    /// brings.
    private let seen = Mutex<Set<Int>>([])
    private static let maximum = 500_000

    /// Whether so many records were counted that later ones may be counted twice.
    var isFull: Bool { seen.withLock { $0.count >= Self.maximum } }

    /// Whether a record has not come before; a record without an ID counts as new.
    func isNew(_ id: (some Hashable)?, part: Int) -> Bool {
        guard let id else { return true }
        var hasher = Hasher()
        hasher.combine(part)
        hasher.combine(id)
        let hash = hasher.finalize()
        return seen.withLock { seen in
            guard seen.count < Self.maximum else { return !seen.contains(hash) }
            return seen.insert(hash).inserted
        }
    }
}

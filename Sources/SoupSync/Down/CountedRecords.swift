// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore
internal import Synchronization

/// The records that a run has counted.
///
/// A server can return a record twice: if the record changes while the pages are fetched, or, for a child, if its
/// parent changes too. In the second case the child is returned with its parent and with the changed children. It is
/// counted once.
final class CountedRecords: Sendable {
    /// Hashes of the counted records.
    ///
    /// Beyond the maximum, a record that is returned twice is counted twice, so that memory use does not grow with the
    /// number of fetched records.
    private let seen = Mutex<Set<Int>>([])
    private static let maximum = 500_000

    /// Whether the maximum has been reached, so that later records may be counted twice.
    var isFull: Bool { seen.withLock { $0.count >= Self.maximum } }

    /// Returns whether a record has not been counted before, by its ID in a tree, or else by its entry.
    func isNew(_ write: RecordWrite, of level: Int) -> Bool {
        guard let link = write.record.link else { return isNew(write.result?.id, level: level) }
        return isNew(link.id, level: level)
    }

    /// Returns whether a record has not been counted before; a record without an ID counts as new.
    func isNew(_ id: (some Hashable)?, level: Int) -> Bool {
        guard let id else { return true }
        var hasher = Hasher()
        hasher.combine(level)
        hasher.combine(id)
        let hash = hasher.finalize()
        return seen.withLock { seen in
            guard seen.count < Self.maximum else { return !seen.contains(hash) }
            return seen.insert(hash).inserted
        }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore
internal import Synchronization

/// The records that a run has counted, with their effects.
///
/// A server can return a record twice: if the record changes while the pages are fetched, or, for a child, if its
/// parent changes too. In the second case the child is returned with its parent and with the changed children. It is
/// counted once, by what all pages together did: a record that a page skipped and a later page saved counts as saved.
final class CountedRecords: Sendable {
    /// The effects of the counted records, by a hash of the record.
    ///
    /// Beyond the maximum, a record that is returned twice is counted twice, so that memory use does not grow with the
    /// number of fetched records.
    private let effects = Mutex<[Int: RecordWrite.Effect]>([:])
    private static let maximum = 500_000

    /// Whether the maximum has been reached, so that later records may be counted twice.
    var isFull: Bool { effects.withLock { $0.count >= Self.maximum } }

    /// Notes the effect of a record, which is identified by its ID in a tree, or else by its entry.
    ///
    /// - Returns: whether no earlier page returned the record, and what it adds to the counts of the run: -1 for an
    ///   earlier effect that this one replaces.
    func note(_ write: RecordWrite, of level: Int) -> (isNew: Bool, counts: RecordCounts) {
        guard let link = write.record.link else { return note(write, id: write.result?.id, level: level) }
        return note(write, id: link.id, level: level)
    }

    /// - Parameter id: nil if the record has none; it then counts as new.
    private func note(_ write: RecordWrite, id: (some Hashable)?, level: Int) -> (isNew: Bool, counts: RecordCounts) {
        guard let id else { return (true, write.counts) }
        var hasher = Hasher()
        hasher.combine(level)
        hasher.combine(id)
        let hash = hasher.finalize()
        return effects.withLock { effects in
            guard let earlier = effects[hash] else {
                if effects.count < Self.maximum { effects[hash] = write.effect }
                return (true, write.counts)
            }
            guard write.effect.weight > earlier.weight else { return (false, RecordCounts()) }
            effects[hash] = write.effect
            var counts = write.counts
            counts -= RecordCounts(earlier)
            return (false, counts)
        }
    }
}

extension RecordWrite.Effect {
    /// The order in which an effect replaces an earlier one of the same record in the counts.
    fileprivate var weight: Int {
        switch self {
        case .skipped: 0
        case .unchanged: 1
        case .conflicted: 2
        case .merged: 3
        case .saved: 4
        }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The write of one record of a page, and its effect on the store.
struct RecordWrite: Sendable, Hashable {
    /// The effect of a record on the store.
    enum Effect: Sendable, Hashable {
        case saved
        case unchanged
        /// The record was merged with local changes, which still have to be pushed.
        case merged
        /// The record is in conflict with local changes, and the conflict is saved.
        case conflicted
        /// The record's entry was removed, or local changes prevented the write.
        ///
        /// - Parameter isKnown: whether the record contains nothing that has to be fetched again.
        case skipped(isKnown: Bool)
    }

    let record: PageRecord
    /// Whether the record may be written.
    let access: BlockedTrees.Access
    /// The result of the upsert; `nil` if the record was not written.
    var result: UpsertResult?
    /// The effect; before the write, the record counts as skipped.
    var effect = Effect.skipped(isKnown: false)

    /// Whether an entry of the record, which was not written, has another parent.
    var hasOtherParent = false

    init(_ record: PageRecord, _ access: BlockedTrees.Access) {
        self.record = record
        self.access = access
    }

    /// Sets the result of the upsert and its effect.
    mutating func finish(_ result: UpsertResult) {
        self.result = result
        effect =
            switch result.outcome {
            case .inserted, .updated: .saved
            case .unchanged: .unchanged
            case .skipped: .skipped(isKnown: false)
            }
    }

    /// Whether the record must be fetched again; if so, the high-water mark does not exceed its date.
    var isMissing: Bool { effect == .skipped(isKnown: false) }

    /// The record's contribution to the counts of a page.
    var counts: RecordCounts {
        var counts = RecordCounts(effect)
        if result?.replacesLocalChanges ?? false { counts.replaced = 1 }
        return counts
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A writer that applies the decisions and outcomes of a sync up to the store, inside one transaction.
///
/// A run creates it in one place, ``UpRun/transact(creations:isBatch:_:)``.
struct UpWriter {
    let plan: PushPlan
    let runState: UpRunState
    let writer: any StoreWriter
    let entries: EntryWriter
    var relinker: Relinker

    /// The creations of the batch that must not be sent again until their outcome is known.
    var unrepeatable: Set<EntryKey> = []
    /// The creations of the batch for which the server assigns an ID that no other record has.
    var withNewID: Set<EntryKey> = []
    /// The store's date of the marks of the batch's creations, which were saved before they were sent; `nil` without
    /// creations.
    ///
    /// If an entry had the ID of such a creation before that time, the ID belongs to another record.
    var sentAt: Int64?

    /// The dates of records of the batch that replace the reported ones (``UpRun/UncertainDate``).
    var dates: [EntryKey: JSONText] = [:]
    /// The records of the batch that the server refused because of their versions, and that are decided again.
    var refused: Set<EntryKey> = []

    /// The times at which creations were sent, by the clock, in milliseconds since 1970.
    var times: [EntryKey: Int64] = [:]

    /// The results of the transaction.
    private(set) var changes = Changes()
    private var rootsToReadAgain: [EntryKey] = []
    private var lostMarks: [InFlightCreates.Mark] = []
    /// The entries that the server has as they were pushed; conflicts about them have ended.
    private var confirmed: [EntryKey] = []

    struct Changes: Sendable {
        var outcomes: [RecordOutcome] = []
        /// The trees that the run has finished.
        var finished = 0
        /// The trees that the run has to push as well: children of deleted records that the server still has.
        var added = 0
        /// The roots of trees that the run has to read again, with their changes at the end of the transaction.
        var again: [(root: EntryKey, pending: TreeReader.Pending)] = []
        /// The records that were turned into creations.
        var recreated: Set<EntryKey> = []
        /// The local IDs that were replaced by the server's.
        var replacedIds: Set<String> = []
        /// The creations that have an unknown outcome and are not sent again.
        var lost: Set<EntryKey> = []
        /// The error that ended a push before everything was sent.
        var stop: SoupError?
    }

    init(_ plan: PushPlan, state runState: UpRunState, writer: any StoreWriter) {
        self.plan = plan
        self.runState = runState
        self.writer = writer
        entries = EntryWriter(layout: plan.layout, writer: writer, keepsSyncedCopies: plan.keepsSyncedCopies)
        relinker = Relinker(
            layout: plan.layout, otherTrees: runState.otherTrees, referrers: runState.referrers, writer: writer,
            keepsSyncedCopies: plan.keepsSyncedCopies)
    }

    // MARK: - Results

    mutating func finish(trees count: Int) { changes.finished += count }

    /// Updates the children of a record that was deleted on the server, and pushes those that are still there.
    mutating func finishDeletion(ofChildrenOf record: PushRecord) throws {
        let deletions = try entries.finishDeletion(ofChildrenOf: record)
        changes.added += deletions.count
        rootsToReadAgain += deletions
    }

    mutating func readAgain(_ root: EntryKey) { rootsToReadAgain.append(root) }

    mutating func stop(with error: SoupError) { changes.stop = changes.stop ?? error }

    mutating func recreate(_ key: EntryKey) { changes.recreated.insert(key) }

    /// Records that the server has an entry as it was pushed.
    mutating func confirm(_ key: EntryKey) { confirmed.append(key) }

    /// Records the outcome of a change.
    ///
    /// - Parameter id: the server's ID, if it is new.
    mutating func report(
        _ record: PushRecord, as result: RecordOutcome.Result, because failure: PushFailure? = nil, id: String? = nil
    ) {
        let action: RecordOutcome.Action? =
            switch record.kind {
            case .create: .create
            case .update: .update
            case .delete: .delete
            case .none: nil
            }
        guard let action else { return }
        var outcome = RecordOutcome(
            soup: record.key.soup, entryId: record.key.id, id: id ?? record.serverId, action: action, result: result,
            error: failure)
        outcome.omittedFields = record.dropped.sorted()
        report(outcome)
    }

    mutating func report(_ outcome: RecordOutcome) { changes.outcomes.append(outcome) }

    /// Records a change that could not be sent, or that the server refused.
    mutating func fail(_ record: PushRecord, _ failure: PushFailure) throws {
        try entries.stampError(record, failure)
        report(record, as: .failed, because: failure)
    }

    /// Records that the outcome of a change is unknown.
    ///
    /// The error is written into the entry once, and again if the app has overwritten it with an edit.
    ///
    /// - Parameter mayRepeat: whether the creation may be sent again if it is repeatable.
    mutating func setUnknown(_ record: PushRecord, _ failure: PushFailure, mayRepeat: Bool = true) throws {
        let text = "\(failure.json)"
        let entry = try entries.entry(record.key)
        var version = entry?.version
        let isUnedited = version == record.version
        if let entry, entry[JSONPath(EntryField.lastError)]?.stringValue != text {
            try entries.stamp(record.key, RecordBatch.Stamp().setting(EntryField.lastError, .string(text)))
            // The stored error is a write of the engine, so the pushed version is now the one after this write.
            version = try entries.entry(record.key)?.version
        }
        if record.kind == .create || unrepeatable.contains(record.key) {
            let isRepeatable = mayRepeat && !unrepeatable.contains(record.key)
            lostMarks.append(
                InFlightCreates.Mark(
                    key: record.key, version: isUnedited ? version ?? record.version : record.version,
                    record: record.record, isLost: true, isRepeatable: isRepeatable, time: times[record.key],
                    dropped: record.dropped))
            if !isRepeatable { changes.lost.insert(record.key) }
        }
        report(record, as: .unknown, because: failure)
    }

    /// Completes the transaction: updates the in-flight marks and the conflict notes after the outcomes.
    ///
    /// The trees to read again are looked at here. If that were done after the transaction, a cancelled run could end
    /// in between: its creations would have marks, although they were not sent.
    ///
    /// - Parameter creations: the creations that have marks.
    mutating func complete(creations: some Sequence<EntryKey>) throws {
        let kept = changes.lost.union(runState.sentAgain.subtracting(confirmed))
        try InFlightCreates.clear(creations.filter { !kept.contains($0) }, in: writer)
        try InFlightCreates.set(lostMarks, in: writer)
        try relinker.finish()
        changes.replacedIds = relinker.replacedIds
        try ConflictStore.clear(confirmed, in: writer)
        var runState = runState
        runState.blocked.formUnion(changes.lost)
        let pending = try plan.reader(runState).pending(rootsToReadAgain, in: writer)
        changes.again = Array(zip(rootsToReadAgain, pending))
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import SoupCore

extension UpRun {
    // MARK: - Send

    /// Sends a batch and waits for the response, even if the run is cancelled; a cancellation ends pauses.
    ///
    /// - Returns: the outcomes of the trees with a change to send, in order, and the duration of the longest request in
    ///   milliseconds.
    mutating func send(_ batch: SentBatch) async throws -> (outcomes: [PushOutcome], duration: Int64) {
        let refused = runState.refused
        let changes = batch.trees.filter { !$0.isEmpty }.map { $0.change.checked(refused) }
        guard !changes.isEmpty else { return ([], 0) }
        let target = plan.target
        var context = context
        let recorder = RequestTimeRecorder(context.transport, clock: services.clock)
        context.transport = recorder
        let server = ServerQuestions(target: target, context: context, observation: observation)
        do {
            let outcomes = pausedByLimit(try await pushing { try await server.push(changes) })
            let checked = PushOutcome.checked(
                services.masked(outcomes), for: changes, mayShareID: target.mayFindExistingRecord)
            return (checked, recorder.longest)
        } catch is CancellationError {
            // The run does not cancel requests in flight, so another part of the program did, at an unknown time.
            let failure = PushFailure(code: "CANCELLED", message: "the request was cancelled", retry: .inLaterRun)
            let outcomes = PushOutcome.checked(
                changes.map { _ in .unknown(failure) }, for: changes, mayShareID: target.mayFindExistingRecord)
            return (outcomes, recorder.longest)
        } catch {
            // The server has none of the changes, so the marks end.
            _ = try await transact(creations: batch.creations, isBatch: false) { _ in }
            throw error
        }
    }

    /// Returns the outcomes of a push; if it ended because the limit of requests was reached, with that error.
    private func pausedByLimit(_ outcomes: [PushOutcome]) -> [PushOutcome] {
        do {
            try services.checkRequestLimit(of: plan.target.connectionName)
        } catch let error as SoupError where !Task.isCancelled {
            return outcomes.map { if case .notSent = $0.result { .notSent(error) } else { $0 } }
        } catch {}
        return outcomes
    }

    // MARK: - Apply

    /// Applies the outcomes of a batch and saves the progress of the run, in one transaction.
    ///
    /// Trees for which a retry can succeed are pushed again in this run, as if they had not been sent.
    ///
    /// - Parameter duration: the duration of the longest request of the push in milliseconds.
    mutating func apply(
        _ outcomes: [PushOutcome], to batch: SentBatch, sentWithin duration: Int64
    ) async throws {
        guard !batch.isEmpty else { return progress.reportState() }
        let results = Array(zip(batch.trees.filter { !$0.isEmpty }, outcomes))
        let refused = refusals(in: results)
        runState.refused.formUnion(refused.records)
        let repeated = queue.retry(results.map { (tree: $0, outcome: $1) }, batch.kind)
        let retried = repeated.union(refused.trees)
        let onServer = await recordsOnServer(results)
        let uncertain = uncertainDates(in: results, sentWithin: duration)
        let outcomes = Dictionary(results.map { ($0.key, $1) }, uniquingKeysWith: { first, _ in first })
        try await write(creations: batch.creations, isBatch: true) { writer in
            writer.unrepeatable = batch.unrepeatable
            writer.withNewID = batch.withNewID
            writer.sentAt = batch.sentAt
            writer.refused = refused.records
            writer.dates = Dictionary(uncertain.compactMap { date in date.earliest.map { (date.key, $0) } }) { $1 }
            for key in batch.creations { writer.times[key] = batch.time }
            for tree in batch.trees where !retried.contains(tree.key) {
                try writer.apply(outcomes[tree.key] ?? .skipped, to: tree, onServer: onServer)
            }
            for (tree, reason) in batch.held { try writer.hold(tree, because: reason) }
            for (record, failure) in batch.failed { try writer.fail(record, failure) }
            writer.finish(trees: batch.failedTrees)
        }
        try await confirm(uncertain)
        let again = refused.trees.filter { !repeated.contains($0) }
        if !again.isEmpty { try await enqueue(again) }
    }

    /// The records that the server refused because of their versions, or because it no longer has them; they are
    /// decided again in this run, with the server's versions.
    private struct Refusals {
        var records: Set<EntryKey> = []
        /// The trees of these records of which the server accepted nothing; they are sent again as a whole.
        var trees: [EntryKey] = []
    }

    private func refusals(in results: [(PushTree, PushOutcome)]) -> Refusals {
        var refusals = Refusals()
        guard plan.policy.detectsConflicts else { return refusals }
        // Nothing was asked about these before they were sent.
        let conditional = plan.conditionalChanges(in: results.map(\.0), except: runState.refused)
        for (tree, outcome) in results {
            let outcomes = tree.outcomes(outcome)
            let refused = tree.records.filter { record in
                guard let own = outcomes[record.key], !runState.refused.contains(record.key) else { return false }
                return own.isConflict || (own.isGone && record.kind == .update && conditional.contains(record.key))
            }.map(\.key)
            refusals.records.formUnion(refused)
            let isUnsaved = tree.records.allSatisfy { outcomes[$0.key]?.mayBeSaved != true }
            if !refused.isEmpty, isUnsaved { refusals.trees.append(tree.key) }
        }
        return refusals
    }

    /// Returns the records that failures report as deleted but that the server may still have; none if the policy does
    /// not recreate deleted records.
    ///
    /// A failure can refer to another deleted record, for example an owner. If the record were recreated, it would
    /// exist twice. Therefore the server is asked about the record itself. Without a clear response, the record is not
    /// recreated. If the target cannot report states, the failures have to be believed.
    private func recordsOnServer(_ results: [(PushTree, PushOutcome)]) async -> Set<EntryKey> {
        guard plan.policy.recreatesDeletedRecords else { return [] }
        let records = results.flatMap { tree, outcome in tree.recordsThatSeemDeleted(tree.outcomes(outcome)) }
        guard !records.isEmpty else { return [] }
        let server = server
        do {
            let states = try await pushing { try await server.states(of: records.map { $0.change() }) }
            guard let states else { return [] }
            return Set(zip(records, states).filter { _, state in state != .deleted }.map(\.0.key))
        } catch {
            services.logger.warning(
                "sync \(row.state.id): the server could not be asked which records were deleted: \(error)")
            return Set(records.map(\.key))
        }
    }

    // MARK: - Store

    /// Changes the store in one transaction, even if the run is cancelled, and reports the outcomes.
    ///
    /// Trees that have to be read again are enqueued.
    ///
    /// - Parameters:
    ///   - creations: the creations with in-flight marks whose outcomes are applied.
    ///   - isBatch: whether these are the outcomes of a batch, so that the progress of the run is saved and reported.
    /// - Throws: the error that ended a push early, after its outcomes are saved; the errors of the store.
    @discardableResult
    mutating func write<T: Sendable>(
        creations: [EntryKey] = [], isBatch: Bool = false,
        _ body: @escaping @Sendable (inout UpWriter) throws -> T
    ) async throws -> T {
        let (value, changes, row) = try await transact(creations: creations, isBatch: isBatch, body)
        progress.add(trees: changes.added)
        progress.finish(trees: changes.finished, row: row)
        progress.apply(changes.outcomes)
        if isBatch { progress.reportState() }
        if let stop = changes.stop { throw stop }
        for (root, pending) in changes.again { enqueue(root, pending) }
        return value
    }

    /// Changes the store in one transaction, without reporting the outcomes.
    ///
    /// This is the only place that creates an ``UpWriter``.
    mutating func transact<T: Sendable>(
        creations: [EntryKey], isBatch: Bool, _ body: @escaping @Sendable (inout UpWriter) throws -> T
    ) async throws -> (value: T, changes: UpWriter.Changes, row: SyncRow) {
        let (plan, runState, progress) = (plan, runState, progress)
        let (backend, sharing, syncId) = (services.backend, services.sharing, row.state.id)
        let result = try await shielded {
            try await backend.write { writer in
                var up = UpWriter(plan, state: runState, writer: writer)
                let value = try body(&up)
                try up.complete(creations: creations)
                if up.changes.outcomes.contains(where: { $0.result == .ok }) {
                    let downs = try sharing.others(than: syncId, of: plan.layout.soups, in: writer)
                    try SyncsSoup.removeResumePoints(of: downs.values.reduce(into: []) { $0.formUnion($1) }, in: writer)
                }
                var progress = progress
                progress.add(trees: up.changes.added)
                let row = isBatch ? progress.row(afterFinishing: up.changes.finished) : progress.row
                if isBatch { try SyncsSoup.save(row, in: writer) }
                return (value: value, changes: up.changes, row: row)
            }
        }
        self.runState.recreated.formUnion(result.changes.recreated)
        self.runState.verified.formUnion(result.changes.recreated)
        self.runState.blocked.formUnion(result.changes.lost)
        self.runState.replacedIds.formUnion(result.changes.replacedIds)
        return result
    }

    /// Adds trees to the queue, by the current flags of their roots.
    mutating func enqueue(_ roots: [EntryKey]) async throws {
        let reader = plan.reader(runState)
        let pending = try await services.backend.read { try reader.pending(roots, in: $0) }
        for (root, pending) in zip(roots, pending) { enqueue(root, pending) }
    }

    mutating func enqueue(_ root: EntryKey, _ pending: TreeReader.Pending) {
        switch pending {
        case .tree(let kind): queue.add(root, kind)
        case .localOnly: queue.addLocalOnly(root)
        case .nothing: progress.finish(trees: 1)
        case .failed(let failure):
            progress.finish(trees: 1)
            progress.apply([RecordOutcome(unsent: root, failure)])
        }
    }
}

extension RecordChange {
    /// Returns the change, marked as checked if its record is among these, and its children likewise.
    fileprivate func checked(_ records: Set<EntryKey>) -> RecordChange {
        guard !records.isEmpty else { return self }
        var change = self
        change.isChecked = records.contains(EntryKey(soup: soup, id: entryId))
        change.children = children.map { $0.checked(records) }
        return change
    }
}

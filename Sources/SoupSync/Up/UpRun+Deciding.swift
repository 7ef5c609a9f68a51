// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import SoupCore

extension UpRun {
    // MARK: - Read

    /// Reads the trees of a batch, up to the maximum size of a request.
    ///
    /// - Parameter completes: whether references are replaced in the store by the server's IDs if those are known by
    ///   now, missing client keys are set, and deletions wait for moves; a preview does none of these.
    mutating func read(
        _ roots: [EntryKey], _ kind: RecordChange.Kind, completes: Bool = true
    ) async throws -> PushBatch {
        let reader = plan.reader(runState)
        var found = try await services.backend.read { try reader.read(roots, in: $0) }
        try await readDescriptions(for: found.trees)
        if completes {
            if try await relinkReferences(in: found) {
                found = try await services.backend.read { try reader.read(roots, in: $0) }
            }
            if try await setClientKeys(in: found) {
                found = try await services.backend.read { try reader.read(roots, in: $0) }
            }
        }
        let departed = completes ? try await departedDetails(of: found.trees) : nil
        var batch = PushBatch(kind)
        var bytes = 0
        for (position, (root, entry)) in zip(roots, found).enumerated() {
            // An entry that the app changed since the run began may have another kind of change now.
            guard case .tree(var tree) = entry, tree.root.kind == kind else {
                enqueue(root, entry.pending)
                continue
            }
            if let departed, !postpone(deletionsIn: &tree, with: departed) { continue }
            let sendable: PushTree
            switch self.sendable(tree) {
            case .now(let tree): sendable = tree
            case .afterOthers(let ids):
                queue.wait(root, for: ids)
                continue
            }
            bytes += sendable.byteCount
            if bytes > plan.target.maxBatchBytes, !batch.trees.isEmpty || batch.failedTrees > 0 {
                queue.putBack(roots[position...], kind)
                break
            }
            batch.add(sendable)
        }
        for (tree, checked) in zip(batch.trees, try await writable(batch.trees)) { batch.apply(checked, to: tree.key) }
        try await readFacts(of: &batch)
        return batch
    }

    /// Reads the facts about the records of a batch that are in the store.
    private func readFacts(of batch: inout PushBatch) async throws {
        let recreations = batch.recreations.filter { $0.isDirty && !runState.verified.contains($0.key) }
        let changed =
            plan.policy.detectsConflicts ? batch.trees.flatMap(\.records).filter(\.isDirty).map(\.key) : []
        var known = TreeFacts()
        known.merged = runState.merged
        known.verified = runState.verified
        known.refused = runState.refused
        known.versionedSoups = Set(plan.layout.levels.filter { $0.versionField != nil }.map(\.soup))
        known.conditional = plan.conditionalChanges(in: batch.trees, except: runState.refused)
        if !recreations.isEmpty || !changed.isEmpty {
            let store = try await services.backend.read { reader in
                let unchanged = try recreations.filter { try reader.syncedRecord(of: $0.key) == $0.record }
                let notes = try ConflictStore.notes(of: changed, in: reader).values
                    .filter { try ConflictStore.isOpen($0, in: reader) }
                return (unchanged: unchanged.map(\.key), notes: notes)
            }
            known.unchanged = Set(store.unchanged)
            known.inConflict = Set(store.notes.filter { !$0.isWhole }.map(\.key))
            known.decided = Set(store.notes.filter(\.isDecided).map(\.key))
        }
        for tree in batch.trees { batch.facts[tree.key] = known }
    }

    // MARK: - Ask and decide

    /// Decides about the trees of a batch that are not decided yet, by the facts that are known so far.
    ///
    /// - Returns: the questions of the policy about trees for which it needs more facts; such a tree is not decided.
    func decide(_ batch: inout PushBatch) -> [(tree: PushTree, question: ServerQuestion)] {
        var questions: [(tree: PushTree, question: ServerQuestion)] = []
        for tree in batch.trees where batch.decisions[tree.key] == nil {
            switch plan.policy.decide(tree, knowing: batch.facts[tree.key] ?? TreeFacts()) {
            case .ask(let question): questions.append((tree, question))
            case let decision: batch.decisions[tree.key] = decision
            }
        }
        return questions
    }

    /// Asks the server, and adds its answers to the facts about the trees.
    ///
    /// - Throws: the target's error, if no request can succeed.
    func ask(
        _ questions: [(tree: PushTree, question: ServerQuestion)], about batch: inout PushBatch
    ) async throws {
        var states: [(tree: EntryKey, record: PushRecord)] = []
        var records: [(tree: EntryKey, record: PushRecord)] = []
        for (tree, question) in questions {
            switch question {
            case .states(let asked): states += asked.map { (tree.key, $0) }
            case .records(let asked): records += asked.map { (tree.key, $0) }
            }
        }
        if !states.isEmpty {
            do {
                let answers = try await server.states(of: states.map(\.record.changeToLookUp))
                if answers == nil, plan.policy.detectsConflicts {
                    services.logger.warning(
                        "sync \(row.state.id): target \"\(plan.target.pluginName)\" does not report the states of records on the server, so changes are pushed without a comparison"
                    )
                }
                for (position, asked) in states.enumerated() {
                    batch.facts[asked.tree]?.states[asked.record.key] = answers?[position] ?? .unknown
                }
            } catch  where !ServerQuestions.endsRun(error) && (error as? SoupError)?.code != .badTarget {
                services.logger.warning(
                    "sync \(row.state.id): the server could not be asked for its versions: \(error)")
                let known = SoupError(wrapping: services.masked(error))
                let failure = PushFailure(code: known.code.rawValue, message: known.message, retry: .inLaterRun)
                for asked in states { batch.facts[asked.tree]?.failure = failure }
            }
        }
        guard !records.isEmpty else { return }
        let answers = try await server.records(of: records.map(\.record.changeToLookUp))
        for (asked, fetched) in zip(records, answers) {
            if plan.policy.requiresServerRecords, case .failed(let error) = fetched { throw error }
            batch.facts[asked.tree]?.records[asked.record.key] = fetched
        }
    }

    // MARK: - Mark

    /// Applies the decisions, and saves marks for the creations that are about to be sent.
    ///
    /// Repeatable creations are marked too: if the app changes such an entry meanwhile, sending it again would no
    /// longer be the same creation, so the sent record is looked up first. Entries may have changed since they were
    /// read; such trees are read again. If a tree already has a mark of another run, it is in flight there and is held.
    ///
    /// - Returns: the trees to send, and those that are held.
    mutating func mark(_ batch: PushBatch) async throws -> SentBatch {
        var sent = SentBatch(batch)
        let creations = sent.trees.flatMap(\.creations)
        sent.unrepeatable = Set(creations.filter { !plan.target.isIdempotent($0.change()) }.map(\.key))
        sent.withNewID = Set(creations.filter { !plan.target.mayFindExistingRecord($0.change()) }.map(\.key))
        sent.time = services.clock.milliseconds
        recordChecks(batch)
        let hasConflicts = try await hasNewConflicts(batch)
        if hasConflicts || !batch.resolved.isEmpty || !creations.isEmpty {
            let marked = sent
            let results = try await write { try $0.mark(marked, of: batch) }
            recordResolutions(batch, written: results.written)
            sent.apply(results)
        }
        for position in sent.trees.indices { sent.trees[position].keepIncompleteRecords() }
        return sent
    }

    /// Returns whether held trees have conflicts that are not saved yet.
    ///
    /// A repeated run writes nothing about conflicts that an earlier one has saved.
    private func hasNewConflicts(_ batch: PushBatch) async throws -> Bool {
        guard batch.decisions.values.contains(where: { if case .hold = $0 { true } else { false } }) else {
            return false
        }
        let plan = plan
        return try await services.backend.read { reader in
            try !HeldConflicts(plan: plan, reader: reader).notes(about: batch).isEmpty
        }
    }

    /// Records which records of a batch were checked before they are recreated; each is checked once in a run.
    private mutating func recordChecks(_ batch: PushBatch) {
        for tree in batch.trees {
            let states = batch.facts[tree.key]?.states ?? [:]
            let checked = RecreationCheck.records(in: tree).map(\.key).filter { states[$0] != nil }
            runState.verified.formUnion(checked)
        }
    }

    /// Records the results of the resolutions in a batch.
    ///
    /// - Parameter written: the records whose entries were written.
    private mutating func recordResolutions(_ batch: PushBatch, written: Set<EntryKey>) {
        for resolution in batch.resolved.flatMap(\.resolutions) {
            let key = resolution.record.key
            switch resolution.action {
            case .merge:
                runState.merged.insert(key)
                // The merged entry is based on the server's version.
                runState.refused.remove(key)
            case .keepOnServer, .update, .recreate:
                // An entry that was edited meanwhile is read and checked again.
                if !written.contains(key) {
                    runState.verified.remove(key)
                } else if resolution.action == .keepOnServer {
                    runState.independent.insert(key)
                }
            case .finishDeletion, .markClean: break
            }
        }
    }
}

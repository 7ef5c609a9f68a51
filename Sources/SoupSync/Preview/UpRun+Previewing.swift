// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension UpRun {
    /// Reads and decides the local changes as a run does; if the preview shows them, notes the requests.
    ///
    /// - Parameter others: the layouts of the other sync ups of the call; the store may not have their rows yet.
    mutating func preview(_ detail: SyncPreview.Detail, with others: [RecordLayout]) async throws -> SyncPreview {
        var preview = SyncPreview(row.state.definition)
        let (layout, backend) = (plan.layout, services.backend)
        let exist = try await backend.read { reader in
            try layout.levels.allSatisfy { try reader.soupExists($0.soup) }
        }
        // A soup that does not exist has no changes. The run registers the soups of the configuration first.
        guard exist else { return preview }
        do {
            try await checkSoups()
        } catch let error as SoupError {
            preview.error = error
            return preview
        }
        runState.pushedLayouts = try await services.pushedLayouts(and: [layout] + others)
        runState.otherTrees = runState.pushedLayouts.places(beside: layout)
        try await previewLostCreations(&preview)
        let reader = plan.reader(runState)
        let changes = try await backend.read { try reader.changes(in: $0) }
        preview.records += changes.orphans.map { $0.preview(.fail, .noParent) }
        let pending = try await backend.read { try reader.pending(changes.roots, in: $0) }
        for (root, pending) in zip(changes.roots, pending) {
            if case .failed(let failure) = pending {
                preview.records.append(
                    SyncPreview.Record(
                        soup: root.soup, entryId: root.id, action: .update, effect: .fail, reason: failure))
            }
            enqueue(root, pending)
        }
        while let work = queue.next() {
            try Task.checkCancellation()
            switch work {
            case .remove(let roots): try await previewRemovals(roots, &preview)
            case .push(let roots, let kind):
                do {
                    try await previewBatch(roots, of: kind, showing: detail, &preview)
                } catch let error as SoupError {
                    preview.error = SoupError(wrapping: services.masked(error))
                    return preview
                }
            }
        }
        let soups = ([layout] + others).reduce(into: Set()) { $0.formUnion($1.soups) }
        try await previewWaiting(pushing: soups, &preview)
        try await previewPostponedDeletions(&preview)
        return preview
    }

    /// Adds the records that refer to records without a server ID: they are sent after those of this run, and after
    /// those of the other runs of the call.
    private mutating func previewWaiting(
        pushing soups: Set<SoupName>, _ preview: inout SyncPreview
    ) async throws {
        guard let waiting = queue.takeWaiting() else { return }
        let (plan, reader, layouts) = (plan, plan.reader(runState), runState.pushedLayouts)
        let (trees, pending, replaced) = try await services.backend.read { store in
            let trees = try reader.read(waiting, in: store).trees
            let replaced = try ReplacedIds.currentIds(of: plan.referencedIds(in: trees), in: layouts, store)
            return (trees, try PendingCreations(layouts, in: store), replaced)
        }
        for tree in trees {
            let failures = plan.references(in: tree).flatMap { record, references in
                references.compactMap { reference -> PushFailure? in
                    let other = pending.entries[reference.id]
                    guard replaced[reference.id] == nil, other != nil || reference.isCertain,
                        !(other.map { soups.contains($0.soup) } ?? false)
                    else { return nil }
                    return .noReference(reference, of: record, pending)
                }
            }
            let failure = failures.first
            preview.records += tree.records.filter(\.isDirty).map {
                $0.preview(failure == nil ? .send : .fail, failure)
            }
        }
    }

    /// Notes the deletions that wait for moves of details that the run does not send.
    private func previewPostponedDeletions(_ preview: inout SyncPreview) async throws {
        let layout = plan.layout
        let stuck = Set(preview.records.filter(\.effect.isStuck).map { EntryKey(soup: $0.soup, id: $0.entryId) })
        guard !stuck.isEmpty, preview.records.contains(where: { $0.action == .delete && $0.effect == .send }) else {
            return
        }
        let departed = try await services.backend.read { try DepartedDetails(of: layout, in: $0) }
        for (position, record) in preview.records.enumerated() where record.action == .delete && record.effect == .send
        {
            guard let level = layout.levels.firstIndex(where: { $0.soup == record.soup }) else { continue }
            let key = EntryKey(soup: record.soup, id: record.entryId)
            let details = departed.details(below: key, level: level).intersection(stuck)
            guard !details.isEmpty else { continue }
            preview.records[position].effect = .fail
            preview.records[position].reason = .movedDetails(details)
            preview.records[position].requests = []
        }
    }

    /// Notes the creations that wait for a look-up, which are not read any further.
    private mutating func previewLostCreations(_ preview: inout SyncPreview) async throws {
        let layout = plan.layout
        let marks = try await services.backend.read { try InFlightCreates.marks(of: layout.soups, in: $0) }
        for mark in marks {
            preview.records.append(
                SyncPreview.Record(soup: mark.key.soup, entryId: mark.key.id, action: .create, effect: .lookUp))
        }
        runState.blocked.formUnion(marks.map(\.key))
    }

    private func previewRemovals(_ roots: [EntryKey], _ preview: inout SyncPreview) async throws {
        let reader = plan.reader(runState)
        for case .localOnly(let record) in try await services.backend.read({ try reader.read(roots, in: $0) }) {
            preview.records.append(record.preview(.remove))
        }
    }

    /// Decides a batch, and adds its records.
    ///
    /// - Throws: the target's error, if no request can succeed.
    private mutating func previewBatch(
        _ roots: [EntryKey], of kind: RecordChange.Kind, showing detail: SyncPreview.Detail,
        _ preview: inout SyncPreview
    ) async throws {
        try await previewBatch(try await read(roots, kind, completes: false), showing: detail, &preview)
    }

    private func previewBatch(
        _ batch: PushBatch, showing detail: SyncPreview.Detail, _ preview: inout SyncPreview
    ) async throws {
        var batch = batch
        var questions = decide(&batch)
        while !questions.isEmpty {
            try await ask(questions, about: &batch)
            questions = decide(&batch)
        }
        preview.records += batch.failed.map { $0.record.preview(.fail, $0.failure) }
        for tree in batch.trees {
            let dirty = tree.records.filter(\.isDirty)
            switch batch.decisions[tree.key] {
            case .hold(let reason):
                preview.records += dirty.map { $0.preview(reason.isConflict ? .conflict : .hold, reason.failure) }
            case .resolve(let resolutions):
                preview.records += dirty.map { $0.preview(.resolve) }
                try await previewMovedDetails(
                    of: resolutions.filter { $0.action == .finishDeletion }.map(\.record), showing: detail, &preview)
            case .push, .ask, nil:
                var records = dirty.map { $0.preview(.send) }
                if detail == .requests, !tree.isEmpty, !records.isEmpty {
                    records[0].requests = await requests(for: tree.change)
                }
                preview.records += records
                try await previewMovedDetails(of: dirty, showing: detail, &preview)
            }
        }
    }

    /// Adds the details that become deletions of their own when these records are deleted.
    private func previewMovedDetails(
        of records: [PushRecord], showing detail: SyncPreview.Detail, _ preview: inout SyncPreview
    ) async throws {
        let deletions = records.filter { $0.kind == .delete }
        guard !deletions.isEmpty else { return }
        let (layout, reader) = (plan.layout, plan.reader(runState))
        let moved = try await services.backend.read { store in
            let moved = MovedDetails(layout: layout, reader: store)
            return try deletions.flatMap { try moved.details(below: $0) }
        }
        var batch = PushBatch(.delete)
        for (entry, level) in moved where !entry.flags.created {
            batch.add(PushTree(root: reader.record(entry, .delete, level: level, isDirty: true)))
        }
        if !batch.trees.isEmpty { try await previewBatch(batch, showing: detail, &preview) }
    }

    /// Returns the requests of a change, as the target makes them before the first response.
    private func requests(for change: RecordChange) async -> [SyncPreview.Request] {
        let transport = PreviewTransport(instead: context.transport)
        var previewed = context
        previewed.transport = transport
        _ = try? await plan.target.push([change], in: previewed)
        return transport.requests
    }
}

extension PushRecord {
    fileprivate func preview(_ effect: SyncPreview.Effect, _ reason: PushFailure? = nil) -> SyncPreview.Record {
        let action: RecordOutcome.Action =
            switch kind {
            case .create: .create
            case .delete: .delete
            case .update, .none: .update
            }
        return SyncPreview.Record(
            soup: key.soup, entryId: key.id, id: serverId, action: action, effect: effect, reason: reason)
    }
}

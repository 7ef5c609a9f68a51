// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension UpWriter {
    /// Applies the outcome of a pushed tree.
    ///
    /// - Parameters:
    ///   - outcome: the checked outcome (``PushOutcome/checked(_:for:mayShareID:)``).
    ///   - onServer: the records that failures report as deleted but that the server may still have; they are not
    ///     recreated.
    mutating func apply(_ outcome: PushOutcome, to tree: PushTree, onServer: Set<EntryKey>) throws {
        let tree = relinker.withRelinkedVersions(tree)
        let outcomes = tree.outcomes(outcome)
        let stops = tree.records.compactMap { record -> SoupError? in
            if case .notSent(let error)? = outcomes[record.key]?.result { error } else { nil }
        }
        if let error = stops.first { stop(with: error) }
        let recreated =
            plan.policy.recreatesDeletedRecords
            ? tree.recordsThatSeemDeleted(outcomes).filter {
                !runState.recreated.contains($0.key) && !onServer.contains($0.key)
            } : []
        let recreatedKeys = Set(recreated.map(\.key))
        try removeLocalOnlyChildren(of: tree)
        try applyToChildren(of: tree, outcomes, recreated: recreatedKeys)
        if !recreatedKeys.contains(tree.key), tree.root.kind != .none {
            try apply(outcomes[tree.key] ?? .skipped, to: tree.root, newParentID: nil)
        }
        for record in tree.records where !recreatedKeys.contains(record.key) {
            try applyToStoredChildren(of: record, outcomes[record.key] ?? .skipped)
        }
        guard !recreated.isEmpty else {
            // An update sends the members that were left out.
            let isAccepted = tree.records.allSatisfy { $0.kind == .none || outcomes[$0.key]?.result == .ok }
            if isAccepted, !tree.incompleteRecords.isEmpty { return readAgain(tree.key) }
            // The server accepted the rest of the tree.
            if tree.records.contains(where: { refused.contains($0.key) }) { return readAgain(tree.key) }
            return finish(trees: stops.isEmpty ? 1 : 0)
        }
        let accepted = Set(tree.records.map(\.key).filter { outcomes[$0]?.result == .ok })
        for record in recreated {
            recreate(record.key)
            try Recreation(layout: plan.layout, writer: writer)
                .recreate(record.key, id: record.id, level: record.level, except: accepted)
        }
        readAgain(tree.key)
    }

    private mutating func applyToChildren(
        of tree: PushTree, _ outcomes: [EntryKey: PushOutcome], recreated: Set<EntryKey>
    ) throws {
        let ancestors = tree.ancestors
        for child in tree.children where !recreated.contains(child.key) {
            let outcome = outcomes[child.key] ?? .skipped
            let above = ancestors[child.key] ?? []
            // A failed record below a deleted one is recreated together with that record.
            if outcome.failure != nil, above.contains(where: { recreated.contains($0.key) }) { continue }
            var newParentID: String?
            if let parent = above.first, parent.kind == .create, let parentOutcome = outcomes[parent.key],
                parentOutcome.result == .ok
            {
                newParentID = parentOutcome.serverId
            }
            if child.isDirty {
                try apply(outcome, to: child, newParentID: newParentID)
            } else if newParentID != nil {
                if outcome.result != .ok { try entries.stamp(child.key, .update) }
                try apply(outcome, to: child, newParentID: newParentID)
            }
        }
    }

    /// Applies the outcome of a single record.
    ///
    /// - Parameter newParentID: for children, the ID that their parent got from this push.
    private mutating func apply(_ outcome: PushOutcome, to record: PushRecord, newParentID: String?) throws {
        if refused.contains(record.key) { return }
        switch outcome.result {
        case .ok: try applySuccess(outcome, to: record, newParentID: newParentID)
        case .failed(let failure) where failure.isGone && record.kind == .delete:
            try applySuccess(outcome, to: record, newParentID: newParentID)
        case .failed(let failure), .conflict(let failure): try fail(record, failure.asMissingReference(of: record))
        case .skipped: report(record, as: .skipped)
        case .unknown(let failure): try setUnknown(record, failure)
        case .notSent: break
        }
    }

    private mutating func applySuccess(_ outcome: PushOutcome, to record: PushRecord, newParentID: String?) throws {
        let level = plan.layout.levels[record.level]
        var values = RecordBatch.Stamp().setting(EntryField.lastError, nil)
        if let date = dates[record.key] ?? outcome.modificationDate.flatMap(level.value(ofDate:)) {
            values = values.setting(level.modificationDateField, date)
        }
        if record.kind != .none { values = values.merging(level.stamp(ofVersion: outcome.version)) }
        var link = RecordBatch.Stamp()
        if let newParentID, let field = level.parentIdField {
            link = link.setting(field, try writer.idValue(newParentID, at: field, in: level.soup))
        }
        switch record.kind {
        case .create:
            if let id = outcome.serverId, let sentAt, withNewID.contains(record.key),
                let other = try entries.copy(of: record, serverId: id), other.version < sentAt
            {
                return try setUnknown(record, .idOfAnotherEntry(id, other.id))
            }
            guard try adopt(outcome.serverId, for: record, values: values, link: link) else { return }
            report(record, as: .ok, id: outcome.serverId)
        case .update, .none:
            if let id = outcome.serverId, id != record.id {
                values = try entries.replaceId(of: record, by: id).merging(values)
            }
            try entries.stampPushed(
                record, .clean.merging(record.restored), ifEdited: RecordBatch.Stamp(), values: values, link: link)
            report(record, as: .ok, id: outcome.serverId)
        case .delete:
            try entries.finishDeletion(record)
            report(record, as: .ok)
        }
        confirm(record.key)
    }

    /// Sets the server's ID of a creation; if another edited entry has it, the creation stays unknown.
    ///
    /// - Returns: whether the creation is resolved.
    mutating func adopt(
        _ serverId: String?, for record: PushRecord, values: RecordBatch.Stamp,
        link: RecordBatch.Stamp = RecordBatch.Stamp(),
        latest: EntryWriter.Latest = .pushed
    ) throws -> Bool {
        let adoption = try entries.adopt(serverId, for: record, values: values, link: link, latest: latest)
        guard case .conflict(let copy) = adoption, let serverId else { return true }
        try setUnknown(record, .twoCopies(serverId, entryId: copy.id), mayRepeat: false)
        return false
    }

    /// Updates the children of a record in the store after its outcome, including those that were not in the tree.
    private mutating func applyToStoredChildren(of record: PushRecord, _ outcome: PushOutcome) throws {
        switch (record.kind, outcome.result) {
        case (.create, .ok):
            if let id = outcome.serverId { try relinker.relink(record, to: id) }
        case (.update, .ok):
            // If two entries have the record, the entry keeps its form of the ID, and so do its children.
            let path = JSONPath(plan.layout.levels[record.level].idField)
            guard let id = outcome.serverId, id != record.id, try entries.entry(record.key)?[path]?.idText == id else {
                return
            }
            try relinker.relink(record, to: id)
        case (.delete, .ok): try finishDeletion(ofChildrenOf: record)
        case (.delete, .failed(let failure)) where failure.isGone: try finishDeletion(ofChildrenOf: record)
        default: break
        }
    }

    /// Removes children that were never on the server, unless the app changed them meanwhile.
    private func removeLocalOnlyChildren(of tree: PushTree) throws {
        for child in tree.localOnlyChildren where try entries.delete(child) {
            try entries.deleteLocalChildren(of: child)
        }
    }
}

extension PushTree {
    /// Returns the records that were deleted on the server, according to the outcomes, and would be recreated.
    func recordsThatSeemDeleted(_ outcomes: [EntryKey: PushOutcome]) -> [PushRecord] {
        let ancestors = ancestors
        let withLostParent = children.filter { outcomes[$0.key]?.failure?.isRelatedGone ?? false }
        let reportedParents = Set(withLostParent.compactMap { ancestors[$0.key]?.first?.key })
        return records.filter { record in
            guard record.kind == .update || record.kind == .none,
                // Records below a record that is being deleted are not recreated.
                !(ancestors[record.key] ?? []).contains(where: { $0.kind == .delete })
            else { return false }
            let outcome = outcomes[record.key]
            if outcome?.failure?.isGone ?? false { return true }
            if outcome?.result == .ok, record.kind == .update { return false }
            return reportedParents.contains(record.key)
        }
    }
}

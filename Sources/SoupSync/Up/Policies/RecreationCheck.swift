// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A check of records that are to be recreated, and of records that would get the new ID of such a record.
///
/// They were assumed to be deleted, with their parents or because of an outdated response. If such a record exists, its
/// creation becomes an update, or the record becomes clean if it has no local changes. An unchanged record below a
/// parent that is recreated is recreated if it was deleted, and is left unchanged if another user has changed it since.
/// Without an answer the tree waits for the next run, because the creation of a second record cannot be undone.
enum RecreationCheck {
    /// Returns the decision about such records; `nil` if there are none, or if none of them has to change.
    static func decide(_ tree: PushTree, knowing facts: TreeFacts) -> PushDecision? {
        let records = records(in: tree).filter { !facts.verified.contains($0.key) }
        guard !records.isEmpty else { return nil }
        if let failure = facts.failure { return .hold(.failure(failure)) }
        guard records.allSatisfy({ facts.states[$0.key] != nil }) else { return .ask(.states(records)) }
        let resolutions = records.compactMap { record in
            action(for: record, knowing: facts).map { PushDecision.Resolution(record: record, action: $0) }
        }
        return resolutions.isEmpty ? nil : .resolve(resolutions)
    }

    /// Returns the creations that have a server ID, and the updates directly below them.
    static func records(in tree: PushTree) -> [PushRecord] {
        let parents = tree.ancestors.compactMapValues(\.first)
        return tree.records.filter { record in
            guard record.serverId != nil else { return false }
            if record.kind == .create { return true }
            guard record.kind == .update, let parent = parents[record.key] else { return false }
            return parent.kind == .create && parent.serverId != nil
        }
    }

    private static func action(for record: PushRecord, knowing facts: TreeFacts) -> PushDecision.Action? {
        let isUnchanged = !record.isDirty || facts.unchanged.contains(record.key)
        let state = facts.states[record.key]
        switch (record.kind, state) {
        case (.create, .modified): return isUnchanged ? .keepOnServer : .update
        case (.update, .deleted) where isUnchanged: return .recreate
        case (.update, .modified) where isUnchanged && !record.mayReplace(state): return .keepOnServer
        default: return nil
        }
    }
}

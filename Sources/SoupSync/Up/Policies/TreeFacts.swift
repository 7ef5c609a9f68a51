// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// What is known about the records of a tree when a policy decides about it.
struct TreeFacts: Sendable {
    /// The server's states of records, if they were requested; `unknown` if the target cannot report states.
    var states: [EntryKey: ServerState] = [:]
    /// The server's versions of records, if they were requested.
    var records: [EntryKey: FetchedRecord] = [:]
    /// The reason why the server did not answer a question about the tree.
    var failure: PushFailure?
    /// The entries that are equal to their last synced version although they have local flags.
    var unchanged: Set<EntryKey> = []
    /// The entries with an open conflict in some fields.
    var inConflict: Set<EntryKey> = []
    /// The entries whose changes the user decided to push although the server has newer versions in their tree.
    var decided: Set<EntryKey> = []
    /// The entries that this run has already merged with the server's version.
    var merged: Set<EntryKey> = []
    /// The entries whose existence on the server this run has already checked.
    var verified: Set<EntryKey> = []
}

/// The server's version of a record, as a target returned it.
enum FetchedRecord: Sendable, Hashable {
    case record(JSONText)
    /// The server does not have the record.
    case missing
    /// The target cannot fetch records.
    case unsupported
    /// The request failed.
    case failed(SoupError)

    /// The record, if it was fetched.
    var record: JSONText? { if case .record(let record) = self { record } else { nil } }
    /// The error, if the request failed.
    var error: SoupError? { if case .failed(let error) = self { error } else { nil } }
}

extension PushTree {
    /// The unchanged parents that were deleted on the server, by the records below them that need them.
    ///
    /// Deletions do not need a parent and are left out.
    func lostParents(_ facts: TreeFacts) -> [EntryKey: [PushRecord]] {
        ancestors.filter { child, _ in children.first { $0.key == child }?.kind != .delete }
            .mapValues { $0.filter { !$0.isDirty && facts.states[$0.key] == .deleted } }
            .filter { !$0.value.isEmpty }
    }

    /// Returns the deletions of records that are already deleted on the server and can be completed.
    ///
    /// A deletion stays in the tree if other changes are below it.
    ///
    /// - Parameter isAtomic: whether it also stays if there is any other change in the tree, because the tree is then
    ///   pushed as a whole or not at all.
    func finishedDeletions(_ facts: TreeFacts, isAtomic: Bool) -> [PushDecision.Resolution] {
        let deleted = (records + unchangedChildren).filter { $0.kind == .delete && facts.states[$0.key] == .deleted }
        guard !deleted.isEmpty else { return [] }
        let keys = Set(deleted.map(\.key))
        let others = records.filter { $0.isDirty && !keys.contains($0.key) }
        if isAtomic, !others.isEmpty { return [] }
        let ancestors = ancestors
        let needed = Set(others.flatMap { ancestors[$0.key] ?? [] }.map(\.key))
        return deleted.filter { !needed.contains($0.key) }.map { .init(record: $0, action: .finishDeletion) }
    }

    /// The records whose server versions decide whether the tree can be pushed.
    ///
    /// Below a root that the server does not have yet, only changed records can also have been changed by another user.
    var recordsToCheck: [PushRecord] {
        guard !isEmpty else { return [] }
        return (records + (root.kind == .create ? [] : unchangedChildren))
            .filter { $0.kind != .create && $0.serverId != nil }
    }
}

extension PushRecord {
    /// Whether the change may replace the server's version.
    func mayReplace(_ state: ServerState?) -> Bool {
        switch state {
        case nil, .unknown: return true
        case .deleted: return kind == .delete
        case .modified(let text):
            guard let local = localDate.flatMap({ DateText.milliseconds($0) }) else { return true }
            guard let server = DateText.milliseconds(text) else { return false }
            return local >= server
        }
    }
}

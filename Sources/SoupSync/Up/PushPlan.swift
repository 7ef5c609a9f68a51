// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The fixed values of one sync up run.
struct PushPlan: Sendable {
    let target: any SyncUpTarget
    let layout: RecordLayout
    let mergeMode: MergeMode
    let policy: any PushPolicy
    /// Resolves the conflicts that remain after a merge by field.
    let decideConflict: @Sendable (RecordConflict) -> ConflictResolution
    /// Whether the store keeps synced copies of all soups of the layout.
    let keepsSyncedCopies: Bool
    /// The members of records that a push can send, by the position of the level; without a value for a kind of change,
    /// any member.
    ///
    /// They have the names that the server uses: those after the transforms.
    let sentMembers: [[RecordChange.Kind: Set<String>]]
    /// The descriptions of objects in the store, by name; `nil` for objects without one.
    ///
    /// They are read when the first record of an object is pushed.
    var objects: [String: WritableFields?] = [:]
    /// The objects on the server, if the target names them, by the position of the level.
    let objectTypes: [[RecordChange.Kind: String]]

    init(
        _ definition: SyncDefinition, target: any SyncUpTarget, resolver: (any ConflictResolver)?,
        services: RunServices
    ) {
        self.target = target
        decideConflict = services.decision(by: resolver)
        layout = target.recordLayout(for: definition.soup)
        mergeMode = definition.options.mergeMode
        policy = mergeMode.policy(for: layout)
        keepsSyncedCopies = services.keepsSyncedCopies(of: layout)
        let lists = layout.levels.indices.map { position in
            target.pushedFields(level: position, with: definition.options)
        }
        sentMembers = lists.map { lists in Dictionary(lists.map { ($0.kind, Set($0.members)) }) { $0.union($1) } }
        objectTypes = lists.map { lists in
            Dictionary(lists.compactMap { list in list.objectType.map { (list.kind, $0) } }) { first, _ in first }
        }
    }

    /// The maximum number of trees in a batch.
    var batchSize: Int { max(1, target.maxBatchSize) }

    /// Returns the values that a push of a record sends, by the names that the server uses; without the link to the
    /// parent, which targets send in the way of their API.
    ///
    /// - Parameter record: the content; by default that of the record itself.
    func valuesToSend(_ pushed: PushRecord, as record: JSONText? = nil) -> [(key: String, value: JSONText)] {
        var change = pushed.change()
        if let record { (change.record, change.base) = (record, nil) }
        if let target = target as? TransformedUpTarget {
            // The push reports an error of a transform.
            guard let transformed = try? target.transformed(change) else { return [] }
            change = transformed
        }
        let (link, listed) = (layout.levels[pushed.level].parentIdField, sentMembers[pushed.level][pushed.kind])
        return (target.record(toSend: change).members ?? []).filter {
            $0.key != link && listed?.contains($0.key) != false
        }
    }

    /// Returns whether an update can send a member, by the name that the server uses.
    func isSentByUpdates(_ name: String, level: Int) -> Bool {
        sentMembers[level][.update]?.contains(name) != false
    }

    /// Returns whether updates send members of records that creations do not send.
    func updatesSendMore(level: Int) -> Bool {
        guard let created = sentMembers[level][.create] else { return false }
        return sentMembers[level][.update].map { !$0.isSubset(of: created) } ?? true
    }

    /// Returns the changes whose push asks the server to compare the versions of their records.
    func conditionalChanges(in trees: [PushTree], except refused: Set<EntryKey>) -> Set<EntryKey> {
        guard policy.detectsConflicts else { return [] }
        let records = trees.flatMap(\.records).filter { record in
            (record.kind == .update || record.kind == .delete) && !refused.contains(record.key)
                && target.isConditional(record.change(), under: mergeMode)
        }
        return Set(records.map(\.key))
    }

    /// Returns a reader of the changes to push.
    func reader(_ runState: UpRunState) -> TreeReader {
        TreeReader(
            layout: layout, blocked: runState.blocked, independent: runState.independent,
            readsUnchangedChildren: policy.readsUnchangedChildren, readsBases: policy.readsBases,
            keepsSyncedCopies: keepsSyncedCopies)
    }
}

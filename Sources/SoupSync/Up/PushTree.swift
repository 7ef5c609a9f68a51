// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// An entry as it was read for the push.
struct PushRecord: Sendable, Hashable {
    var key: EntryKey
    /// The position of its level in the target's layout.
    var level: Int
    var kind: RecordChange.Kind
    /// The `version` of the entry at that time; if it differs later, the entry was edited in flight.
    var version: Int64
    /// The value of the ID field: a temporary ID or the server's.
    var id: String?
    /// The modification date in the entry.
    var localTime: Int64?
    /// Whether the entry has local changes.
    ///
    /// It is `false` for children that are included only because their parent gets a new ID, or as parents of other
    /// children.
    var isDirty: Bool
    /// The entry without the fields that SoupKit manages.
    var record: JSONText
    /// For updates, if the policy reads it: the last synced version.
    var base: JSONText?
    /// For children: the parent in the tree.
    var parent: EntryKey?
    /// Whether an update changes the record's parent; `nil` if the last synced version is unknown.
    var isMoved: Bool?
    /// The `version` of the entry of a record that is sent incomplete; `nil` for the others.
    ///
    /// Such a record has a ``version`` that no entry has, so its entry always counts as edited since, and stays
    /// changed.
    var incompleteVersion: Int64?
    /// The members that are left out, because they refer to records without a server ID; an update sends them later.
    var omitted: Set<String> = []
    /// The members that are left out because the user cannot write them on the server.
    var dropped: Set<String> = []
    /// The values of these members in the last synced version, which an update restores; without one, nothing.
    var restored = RecordBatch.Stamp.none

    /// The server's ID; `nil` for temporary IDs and for texts that no server can have issued (``ServerId``).
    var serverId: String? { id.flatMap { ServerId.isPossible($0) ? $0 : nil } }

    /// Whether the change cannot be sent, because the record's server ID is unknown.
    var lacksServerId: Bool { kind != .create && serverId == nil }

    /// Returns the change as it is passed to a target.
    func change(with children: [RecordChange] = []) -> RecordChange {
        var change = RecordChange(
            kind, soup: key.soup, entryId: key.id, serverId: kind == .create ? nil : serverId, record: record,
            base: base, children: children, level: level)
        change.isMoved = isMoved
        return change
    }
}

/// A record tree to push: an entry, and the changed entries below it.
///
/// In most syncs a tree is a single entry.
struct PushTree: Sendable, Hashable {
    var root: PushRecord
    /// The children on all levels, each after its parent.
    var children: [PushRecord] = []
    /// Children without changes, if the policy reads them: their versions are compared, but they are never pushed.
    var unchangedChildren: [PushRecord] = []
    /// Children that were created and deleted locally.
    var localOnlyChildren: [PushRecord] = []

    init(root: PushRecord) { self.root = root }

    /// The key of the root, which identifies the tree in a run.
    var key: EntryKey { root.key }

    /// The root and its children, each after its parent.
    var records: [PushRecord] { [root] + children }

    /// The records that the server does not have yet.
    var creations: [PushRecord] { records.filter { $0.kind == .create } }

    /// The records that are sent without some of their members.
    var incompleteRecords: [PushRecord] { records.filter { !$0.omitted.isEmpty } }

    /// Whether there is no change to send.
    var isEmpty: Bool { root.kind == .none && children.allSatisfy { $0.kind == .none } }

    /// The total number of bytes of its records.
    var byteCount: Int { records.reduce(0) { $0 + $1.record.bytes.count } }

    /// The change of the root, with those of its children, as it is passed to a target.
    var change: RecordChange { change(of: root, childrenByParent: childrenByParent) }

    private func change(of record: PushRecord, childrenByParent: [EntryKey: [PushRecord]]) -> RecordChange {
        record.change(
            with: (childrenByParent[record.key] ?? []).map { change(of: $0, childrenByParent: childrenByParent) })
    }

    /// The direct children of each record.
    private var childrenByParent: [EntryKey: [PushRecord]] {
        children.isEmpty ? [:] : Dictionary(grouping: children) { $0.parent ?? root.key }
    }

    /// The ancestors of each child, nearest first.
    var ancestors: [EntryKey: [PushRecord]] {
        var ancestors: [EntryKey: [PushRecord]] = [:]
        var known: [EntryKey: PushRecord] = [root.key: root]
        for child in children {
            guard let parent = known[child.parent ?? root.key] else { continue }
            ancestors[child.key] = [parent] + (ancestors[parent.key] ?? [])
            known[child.key] = child
        }
        return ancestors
    }

    /// Returns the outcome of each record from the outcome of the tree, which must have the same shape.
    func outcomes(_ outcome: PushOutcome) -> [EntryKey: PushOutcome] {
        var outcomes: [EntryKey: PushOutcome] = [:]
        let childrenByParent = childrenByParent
        func add(_ outcome: PushOutcome, of record: PushRecord) {
            outcomes[record.key] = outcome
            for (child, childOutcome) in zip(childrenByParent[record.key] ?? [], outcome.children) {
                add(childOutcome, of: child)
            }
        }
        add(outcome, of: root)
        return outcomes
    }

    /// Removes the children that cannot be sent, with everything below them.
    ///
    /// - Returns: the removed children.
    mutating func removeChildrenWithoutID() -> [PushRecord] {
        removeChildren(where: \.lacksServerId)
    }

    /// Removes children with everything below them.
    ///
    /// - Returns: the removed children.
    @discardableResult
    mutating func removeChildren(where isRemoved: (PushRecord) -> Bool) -> [PushRecord] {
        var removed: [EntryKey: PushRecord] = [:]
        for child in children where isRemoved(child) || child.parent.map({ removed[$0] != nil }) ?? false {
            removed[child.key] = child
        }
        guard !removed.isEmpty else { return [] }
        defer { children.removeAll { removed[$0.key] != nil } }
        return children.filter { removed[$0.key] != nil }
    }
}

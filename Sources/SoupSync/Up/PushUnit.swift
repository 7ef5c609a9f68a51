// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// An entry as it was when it was read for the push.
struct PushMember: Sendable, Hashable {
    var key: EntryKey
    /// The position of its part in the target's layout.
    var part: Int
    var kind: RecordChange.Kind
    /// The `lastModified` of the entry at that time; if it differs later, the entry was edited in flight.
    var version: Int64
    /// The value of the ID field: a temporary ID or the server's.
    var id: String?
    /// The modification date in the entry.
    var localDate: String?
    /// Whether the entry has local changes.
    ///
    /// It is `false` for children that are included only because their parent gets a new ID, or as parents of other
    /// children.
    var isDirty: Bool
    /// The entry without the fields that SoupKit manages.
    var record: JSONText
    /// For updates under MERGE: the last synced version.
    var base: JSONText?
    /// For children: the position of the parent among the children of the unit; `nil` for children of the root.
    var parent: Int?
    /// Whether an update changes the record's parent; `nil` if the last synced version is unknown.
    var isMoved: Bool?

    /// The server's ID; `nil` for temporary IDs and for texts that no server can have issued (``ServerId``).
    var serverId: String? { id.flatMap { ServerId.isPossible($0) ? $0 : nil } }

    /// Whether the change cannot be sent, because the record's server ID is unknown.
    var lacksServerId: Bool { kind != .create && serverId == nil }

    func change(_ children: [RecordChange] = []) -> RecordChange {
        var change = RecordChange(
            kind, soup: key.soup, entryId: key.id, serverId: kind == .create ? nil : serverId, record: record,
            base: base, children: children, part: part)
        change.isMoved = isMoved
        return change
    }
}

/// A unit that is pushed as a whole: an entry, or the root of a tree with the changes below it.
struct PushUnit: Sendable, Hashable {
    var root: PushMember
    /// The children, each after its parent; see ``PushMember/parent``.
    var children: [PushMember] = []
    /// Children without changes: checked before a push with LEAVE_IF_CHANGED, but never pushed.
    var bystanders: [PushMember] = []
    /// Children that were created and deleted locally.
    var removals: [PushMember] = []

    /// The positions of the children, by the position of their parent; `nil` stands for the root.
    var positions: [Int?: [Int]] { Dictionary(grouping: children.indices) { children[$0].parent } }

    var change: RecordChange {
        let positions = positions
        func changes(under parent: Int?) -> [RecordChange] {
            (positions[parent] ?? []).map { children[$0].change(changes(under: $0)) }
        }
        return root.change(changes(under: nil))
    }

    /// Whether there is no change to send.
    var isEmpty: Bool { root.kind == .none && children.allSatisfy { $0.kind == .none } }

    var members: [PushMember] { [root] + children }

    /// Returns, for each child, its ancestors among `keys`, nearest first; children without any are left out.
    func ancestors(among keys: Set<EntryKey>) -> [EntryKey: [PushMember]] {
        let members = members
        var ancestors: [EntryKey: [PushMember]] = [:]
        for start in members.indices.dropFirst() {
            var position = start
            while position > 0 {
                position = parent(of: position)
                guard keys.contains(members[position].key) else { continue }
                ancestors[members[start].key, default: []].append(members[position])
            }
        }
        return ancestors
    }

    /// The members that the server does not have yet.
    var creations: [PushMember] { members.filter { $0.kind == .create } }

    /// Removes the children that cannot be sent, with everything below them.
    ///
    /// - Returns: the removed children.
    mutating func removeUnreachable() -> [PushMember] {
        guard children.contains(where: \.lacksServerId) else { return [] }
        var removed: [PushMember] = []
        var kept: [PushMember] = []
        var newPositions: [Int: Int] = [:]
        for (position, child) in children.enumerated() {
            var child = child
            let parent = child.parent.map { newPositions[$0] }
            guard !child.lacksServerId, parent != .some(nil) else {
                removed.append(child)
                continue
            }
            child.parent = parent ?? nil
            newPositions[position] = kept.count
            kept.append(child)
        }
        children = kept
        return removed
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// An entry as it was when it was read to be pushed.
struct PushMember: Sendable, Hashable {
    var key: EntryKey
    /// The position of its part in the target's layout.
    var part: Int
    var kind: RecordChange.Kind
    /// The `lastModified` of the entry then: an entry that has another one by now was edited in flight.
    var version: Int64
    /// The value of the id field; a temporary id, or the server's.
    var id: String?
    /// The modification date that the entry carries.
    var localDate: String?
    /// False for the children that go along only because their parent gets a new id, or to lead to others.
    var isDirty: Bool
    /// The entry without the fields that SoupKit keeps in it.
    var record: JSONText
    /// For updates under MERGE: what the server had when it had the same.
    var base: JSONText?
    /// For children: the position of the parent among the children of the unit; nil for those of the root.
    var parent: Int?
    /// For updated children: whether they are under another parent than before; nil when nobody knows.
    var isMoved: Bool?

    /// The server's id; nil for temporary ones, and for texts that no server gives (``ServerId``).
    var serverId: String? { id.flatMap { ServerId.isPossible($0) ? $0 : nil } }

    /// Whether the server cannot be told about it, because nobody knows its id there.
    var lacksServerId: Bool { kind != .create && serverId == nil }

    func change(_ children: [RecordChange] = []) -> RecordChange {
        var change = RecordChange(
            kind, soup: key.soup, entryId: key.id, serverId: kind == .create ? nil : serverId, record: record,
            base: base, children: children, part: part)
        change.isMoved = isMoved
        return change
    }
}

/// What is pushed and settled as one: an entry, or the root of a tree with what changed below it.
struct PushUnit: Sendable, Hashable {
    var root: PushMember
    /// Each behind its parent; see ``PushMember/parent``.
    var children: [PushMember] = []
    /// Children without changes: asked about before a push with LEAVE_IF_CHANGED, never pushed.
    var bystanders: [PushMember] = []
    /// Children that were made and deleted here.
    var removals: [PushMember] = []

    /// The positions of children by that of their parent, nil for the root.
    var positions: [Int?: [Int]] { Dictionary(grouping: children.indices) { children[$0].parent } }

    var change: RecordChange {
        let positions = positions
        func changes(under parent: Int?) -> [RecordChange] {
            (positions[parent] ?? []).map { children[$0].change(changes(under: $0)) }
        }
        return root.change(changes(under: nil))
    }

    /// Whether there is nothing to tell the server.
    var isEmpty: Bool { root.kind == .none && children.allSatisfy { $0.kind == .none } }

    var members: [PushMember] { [root] + children }

    /// For each child the members above it that are among these, nearest first; children without any are left out.
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

    /// Takes children out that the server cannot be told about, with everything below them.
    ///
    /// - Returns: what was taken out.
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

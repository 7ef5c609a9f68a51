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
    /// False for the children that go along only because their parent gets a new id.
    var isDirty: Bool
    /// The entry without the fields that SoupKit keeps in it.
    var record: JSONText
    /// For updates under MERGE: what the server had when it had the same.
    var base: JSONText?

    /// The server's id; nil for temporary ones.
    var serverId: String? { id.flatMap { LocalId.isLocal($0) ? nil : $0 } }

    /// Whether the server cannot be told about it, because nobody knows its id there.
    var lacksServerId: Bool { kind != .create && serverId == nil }

    func change(_ children: [RecordChange] = []) -> RecordChange {
        RecordChange(
            kind, soup: key.soup, entryId: key.id, serverId: kind == .create ? nil : serverId, record: record,
            base: base,
            children: children, part: part)
    }
}

/// What is pushed and settled as one: an entry, or a parent with those of its children that changed.
struct PushUnit: Sendable, Hashable {
    var root: PushMember
    var children: [PushMember] = []
    /// Children without changes: asked about before a push with LEAVE_IF_CHANGED, never pushed.
    var bystanders: [PushMember] = []
    /// Children that were made and deleted here.
    var removals: [PushMember] = []

    var change: RecordChange { root.change(children.map { $0.change() }) }

    /// Whether there is nothing to tell the server.
    var isEmpty: Bool { root.kind == .none && children.isEmpty }

    var members: [PushMember] { [root] + children }
}

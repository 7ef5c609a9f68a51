// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A local change to send to the server.
public struct RecordChange: Sendable, Hashable {
    /// The operation for the server, from the local flags: deletion before creation, creation before update.
    public enum Kind: String, Sendable, Hashable {
        /// The server does not have the record.
        case create
        /// The server has an older version of the record.
        case update
        /// The record must be deleted on the server too.
        case delete
        /// A parent without changes, included only because of its children.
        case none
    }

    /// The kind of the change; the same throughout a batch, while children have their own.
    public var kind: Kind
    /// The soup of the entry; for a child, that of its level.
    public var soup: SoupName
    /// The `_soupEntryId`, for logs; the server does not know it.
    public var entryId: Int64
    /// The server's ID; nil for records that the server does not have.
    ///
    /// It is never a temporary ID.
    public var serverId: String?
    /// The entry without system fields.
    public var record: JSONText
    /// For updates under MERGE: the record as last synced, without system fields.
    ///
    /// The target must send only fields whose values differ from it; if it is nil, all fields.
    public var base: JSONText?
    /// For trees: the children to push with this record.
    ///
    /// Each has its own kind.
    public var children: [RecordChange]
    /// The position of its level in the target's layout.
    ///
    /// A pushed change is of the first level, 0, and those below it are its ``children``. Only a deletion of another
    /// level is also pushed alone, if the store does not contain the parent.
    public var level: Int
    /// For updates of children: whether the entry has another parent than in the last synced version.
    ///
    /// Nil if that version is unknown.
    public var isMoved: Bool?
    /// Whether the engine has compared the record with the server's version after the server refused the change.
    ///
    /// The target then must not ask the server to compare versions again, because the two compare in different ways.
    /// Default: false.
    public var isChecked = false

    /// Creates a change without checks; for the engine and for tests of targets.
    public init(
        _ kind: Kind, soup: SoupName, entryId: Int64, serverId: String? = nil, record: JSONText, base: JSONText? = nil,
        children: [RecordChange] = [], level: Int = 0
    ) {
        self.kind = kind
        self.soup = soup
        self.entryId = entryId
        self.serverId = serverId
        self.record = record
        self.base = base
        self.children = children
        self.level = level
    }
}

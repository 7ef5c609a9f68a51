// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Decides what becomes of a record that was changed here and on the server.
///
/// A sync with the merge mode `MERGE` names one in its options, by its name or by an object with a `type` and whatever
/// else it reads: `"conflictResolver": "local"`. It is asked only about what a merge by field leaves open. Without a
/// resolver such conflicts stay until somebody resolves them.
///
/// ```swift
/// struct LongerText: ConflictResolver {
///     struct Configuration: Decodable, Sendable { var field: String }
///     static let name: PluginName = "longerText"
///     let field: JSONPath
///     init(configuration: Configuration) { field = JSONPath(configuration.field) }
///
///     func resolve(_ conflict: RecordConflict) -> ConflictResolution {
///         guard conflict.fields == [field.rawValue] else { return .unresolved }
///         func length(_ record: JSONText?) -> Int { record?[field]?.stringValue?.count ?? 0 }
///         return length(conflict.local) < length(conflict.remote) ? .remote : .local
///     }
/// }
/// ```
public protocol ConflictResolver: SyncPlugin {
    /// What is to become of a record.
    ///
    /// Called while the store is being written to: answer from what the conflict holds, quickly, and the same for the
    /// same conflict. An error leaves the conflict unresolved; the log tells it.
    func resolve(_ conflict: RecordConflict) throws -> ConflictResolution
}

/// A record that was changed here and on the server, in a way that cannot be merged by field, or that the merge mode of
/// the sync does not merge.
public struct RecordConflict: Sendable, Hashable {
    /// The soup of the entry.
    public var soup: SoupName
    /// The `_soupEntryId`.
    public var entryId: Int64
    /// The server's id.
    public var serverId: String?
    /// The record as it was when both sides were the same last; nil when nobody kept it.
    public var base: JSONText?
    /// The record as it is here, without what SoupKit keeps in it; nil when it was deleted here.
    public var local: JSONText?
    /// The record as the server has it, as far as it was asked for; nil when it was deleted there.
    ///
    /// Nothing but its modification date, or not even that, when nobody could ask, and when the entry only waits for
    /// another one of its tree.
    public var remote: JSONText?
    /// The members that the conflict is about, in the order of the local record; empty when one side deleted the
    /// record, and when there are none.
    ///
    /// Under MERGE those that have three different values. LEAVE_IF_CHANGED keeps or takes back a record's changes
    /// together: there it is all that was changed here, or, where nobody knows that, what the server has otherwise.
    public var fields: [String]
    /// What keeps the local change from being sent: `CONFLICT` under MERGE, `NEWER_ON_SERVER` or `DELETED_ON_SERVER`
    /// under LEAVE_IF_CHANGED, and where a target cannot fetch records to merge with; `PARENT_DELETED_ON_SERVER` where
    /// the record has no parent there any more.
    public var code: String
    /// When the entry was last written here, in milliseconds since 1970, by this device's clock.
    public var localTime: Int64
    /// When the record was last changed on the server, in milliseconds since 1970; nil when that is not known.
    public var remoteTime: Int64?

    /// Made by the engine, and by tests of resolvers; nothing is checked.
    public init(
        soup: SoupName, entryId: Int64, serverId: String? = nil, base: JSONText?, local: JSONText?, remote: JSONText?,
        fields: [String] = [], code: String = "CONFLICT", localTime: Int64 = 0, remoteTime: Int64? = nil
    ) {
        self.soup = soup
        self.entryId = entryId
        self.serverId = serverId
        self.base = base
        self.local = local
        self.remote = remote
        self.fields = fields
        self.code = code
        self.localTime = localTime
        self.remoteTime = remoteTime
    }

    /// The conflict for scripts: `{"soup", "entryId", "id", "code", "fields", "base", "local", "remote"}`; what is not
    /// there is null.
    public var json: JSONValue {
        [
            "soup": .string(soup.rawValue), "entryId": .int(entryId), "id": serverId.map { .string($0) } ?? .null,
            "code": .string(code), "fields": .array(fields.map { .string($0) }), "base": base?.value ?? .null,
            "local": local?.value ?? .null,
            "remote": remote?.value ?? .null,
        ]
    }
}

/// What becomes of a conflict.
public enum ConflictResolution: Sendable, Hashable {
    /// The local values of the fields of the conflict, or the local deletion; the next sync up sends them. A record
    /// that the server deleted is made there again.
    case local
    /// The server's values of the fields in conflict, or its deletion. Other fields keep their local changes, but for a
    /// sync that does not merge: then the local changes go.
    case remote
    /// These members, put over the record as `local` would leave it; they are a local change. A record that was deleted
    /// on one side lives on with them.
    case merged(JSONText)
    /// The conflict stays: the entry keeps its local changes and is not sent.
    case unresolved
}

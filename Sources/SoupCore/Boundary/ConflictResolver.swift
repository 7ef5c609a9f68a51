// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A type that decides the outcome for a record that was changed both locally and on the server.
///
/// A sync with the merge mode `MERGE` names a resolver in its options, by its name or by an object with a `type` and
/// the resolver's other options: `"conflictResolver": "local"`. It receives the conflicts that a merge by field cannot
/// resolve.
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
///
/// Plug-in interface: version 1. ``PluginInterface`` states what may change within it.
public protocol ConflictResolver: SyncPlugin {
    /// Returns the resolution of a conflict.
    ///
    /// It is called during a write to the store: use only the contents of the conflict, return quickly, and return the
    /// same result for the same conflict. An error means ``ConflictResolution/unresolved``, and is logged.
    func resolve(_ conflict: RecordConflict) throws -> ConflictResolution
}

/// A record that was changed both locally and on the server and that is not merged by field.
///
/// Either a merge by field is not possible, or the merge mode of the sync does not merge.
public struct RecordConflict: Sendable, Hashable {
    /// The soup of the entry.
    public var soup: SoupName
    /// The `_soupEntryId`.
    public var entryId: Int64
    /// The server's ID of the record.
    public var serverId: String?
    /// The record as last synced, when both sides were equal; nil if no synced copy exists.
    public var base: JSONText?
    /// The local record, without SoupKit's system fields; nil if it was deleted locally.
    public var local: JSONText?
    /// The server's version of the record, with the fields that were requested; nil if it was deleted on the server.
    ///
    /// It has only its modification date, or no member at all, if the server could not be queried, or if the entry only
    /// waits for another entry of its tree.
    public var remote: JSONText?
    /// The members in conflict, in the order of the local record.
    ///
    /// Empty if one side deleted the record, and if no member is in conflict. Under MERGE these are the members with
    /// three different values. LEAVE_IF_CHANGED keeps or reverts all changes of a record together: there these are all
    /// locally changed members or, if those are unknown, all members whose server values differ.
    public var fields: [String]
    /// The reason why the local change is not sent.
    ///
    /// `CONFLICT` under MERGE; `NEWER_ON_SERVER` or `DELETED_ON_SERVER` under LEAVE_IF_CHANGED, and if the target
    /// cannot fetch records to merge with; `PARENT_DELETED_ON_SERVER` if the record's parent no longer exists on the
    /// server.
    public var code: String
    /// The time of the last local write to the entry, by this device's clock.
    public var localTime: Date
    /// The time of the record's last change on the server; nil if unknown.
    public var remoteTime: Date?

    /// Creates a conflict without checks; for the engine and for tests of resolvers.
    public init(
        soup: SoupName, entryId: Int64, serverId: String? = nil, base: JSONText?, local: JSONText?, remote: JSONText?,
        fields: [String] = [], code: String = "CONFLICT", localTime: Date = Date(timeIntervalSince1970: 0),
        remoteTime: Date? = nil
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

    /// The conflict as JSON for scripts; missing values are null.
    ///
    /// `{"soup", "entryId", "id", "code", "fields", "base", "local", "remote"}`
    public var json: JSONValue {
        [
            "soup": .string(soup.rawValue), "entryId": .int(entryId), "id": serverId.map { .string($0) } ?? .null,
            "code": .string(code), "fields": .array(fields.map { .string($0) }), "base": base?.value ?? .null,
            "local": local?.value ?? .null,
            "remote": remote?.value ?? .null,
        ]
    }
}

/// The outcome of a conflict.
public enum ConflictResolution: Sendable, Hashable {
    /// Keeps the local values of the fields in conflict, or the local deletion; the next sync up sends them.
    ///
    /// A record that the server deleted is created there again.
    case local
    /// Takes the server's values of the fields in conflict, or its deletion.
    ///
    /// Other fields keep their local changes. If the sync does not merge, all local changes of the record are
    /// discarded.
    case remote
    /// Writes these members over the result of `local`; they count as a local change.
    ///
    /// A member that is not in conflict and equals that of the local record is left out, so that the server's change of
    /// it stays. A record that one side deleted continues to exist with the members.
    case merged(JSONText)
    /// Leaves the conflict: the entry keeps its local changes and is not sent.
    case unresolved
}

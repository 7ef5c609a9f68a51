// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The result for one record of a sync up, or the reason why an entry of a sync down was left out.
public struct RecordOutcome: Sendable, Hashable {
    /// The requested operation; a record that was deleted on the server and is recreated counts as created.
    public enum Action: String, Sendable, Hashable, Codable {
        case create
        case update
        case delete
        /// Sync down: fetching a record; only for entries whose records cannot be requested (`IMPOSSIBLE_ID`).
        case fetch
    }

    /// The result of the push for this record, regardless of other records.
    public enum Result: String, Sendable, Hashable, Codable {
        /// The server has the change, and the entry is clean unless it was edited during the push.
        case ok
        /// The change was not sent, and the entry is unchanged.
        ///
        /// There are three reasons. The server's version of the record or of its parent is newer or was deleted, which
        /// ``SyncManager/conflicts()`` lists. Or the change waits for another one of its tree (`WAITS_FOR_TREE`). Or
        /// the target chose not to send it.
        case skipped
        /// The change conflicts with a change on the server, or the record's parent was deleted there (MERGE).
        ///
        /// The entry is unchanged and is not sent before ``SyncManager/resolveConflict(_:as:)`` is called.
        case conflicted
        /// The server rejected the change; the entry stays dirty and keeps the error in `__last_error__`.
        case failed
        /// The response was lost, so it is unknown whether the server has the change.
        ///
        /// A creation is not sent again before it has been looked up or
        /// ``SyncManager/resolveUnknown(entryId:soup:as:idField:)`` has been called.
        case unknown
    }

    /// The soup of the entry; for trees, the soup of the parent or of a child.
    public var soup: SoupName
    /// The ID of the entry in the soup; the entry may have been removed since.
    public var entryId: Int64
    /// The server's ID of the record; after a creation, the new ID; `nil` if there is none.
    public var id: String?
    /// The action, from the local flags of the entry when it was pushed.
    ///
    /// It is also `update` for a child whose parent got its ID.
    public var action: Action
    /// The result; it is also `ok` if the record to delete was already deleted or never existed on the server.
    public var result: Result
    /// The reason why the result is not `ok`.
    public var error: PushFailure?

    /// The fields that were not sent, because the server computes them or the user cannot write them.
    ///
    /// The description of the object in the soup of ``MetadataCache`` says so. Nothing is lost: their values are those
    /// of the last sync, or the server computes them.
    public var omittedFields: [String] = []

    /// Creates an outcome; sync runs make them, and the values are not checked.
    public init(
        soup: SoupName, entryId: Int64, id: String?, action: Action, result: Result, error: PushFailure? = nil
    ) {
        self.soup = soup
        self.entryId = entryId
        self.id = id
        self.action = action
        self.result = result
        self.error = error
    }

    /// The outcome for scripts: `{"soup", "entryId", "id", "action", "result", "error"?, "omittedFields"?}`; a missing
    /// `id` is null.
    public var json: JSONValue {
        var object: JSONObject = [
            "soup": .string(soup.rawValue),
            "entryId": .int(entryId),
            "id": id.map { .string($0) } ?? .null,
            "action": .string(action.rawValue),
            "result": .string(result.rawValue),
        ]
        object["error"] = error?.json
        if !omittedFields.isEmpty { object["omittedFields"] = .array(omittedFields.map { .string($0) }) }
        return .object(object)
    }
}

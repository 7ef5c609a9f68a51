// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// What became of one record of a sync up, or why an entry of a sync down was left out.
public struct RecordOutcome: Sendable, Hashable {
    /// What the server was asked to do; a record that was gone there and is made again counts as created.
    public enum Action: String, Sendable, Hashable, Codable {
        case create
        case update
        case delete
        /// Sync down: to return the record; only for entries that cannot be asked for (`IMPOSSIBLE_ID`).
        case fetch
    }

    /// How the push ended for this record, whatever became of the others.
    public enum Result: String, Sendable, Hashable, Codable {
        /// The server has the change, and the entry is clean unless it was edited meanwhile.
        case ok
        /// The change was not sent, and the entry stays as it is: the server's record, or what it is under, is newer or
        /// gone, which ``SyncManager/conflicts()`` lists; the change waits for another one of its tree
        /// (`WAITS_FOR_TREE`); or the target chose not to.
        case skipped
        /// The server's record was changed, too, in a way that cannot be merged with the change, or what it is under is
        /// gone (MERGE). The entry stays as it is and is not sent before ``SyncManager/resolveConflict(_:as:)``.
        case conflicted
        /// The server refused the change; the entry stays dirty and keeps the error in `__last_error__`.
        case failed
        /// The answer was lost, and nobody knows whether the server has the change. A creation is not sent again before
        /// it was looked up or ``SyncManager/resolveUnknown(entryId:soup:as:)`` was called.
        case unknown
    }

    /// The soup of the entry; for trees, that of the parent or of a child.
    public var soup: SoupName
    /// The entry in the soup; it may be gone by now.
    public var entryId: Int64
    /// The server's id: after a creation the new one; nil while there is none.
    public var id: String?
    /// From the local flags of the entry when it was pushed; `update` also for a child whose parent got its id.
    public var action: Action
    /// `ok` also for the deletion of a record that the server no longer had, or never knew.
    public var result: Result
    /// Why the result is not `ok`.
    public var error: PushFailure?

    /// Made by the runs of sync ups; nothing is checked.
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

    /// The outcome for scripts: `{"soup", "entryId", "id", "action", "result", "error"?}`; `id` is null when there is
    /// none.
    public var json: JSONValue {
        var object: JSONObject = [
            "soup": .string(soup.rawValue),
            "entryId": .int(entryId),
            "id": id.map { .string($0) } ?? .null,
            "action": .string(action.rawValue),
            "result": .string(result.rawValue),
        ]
        object["error"] = error?.json
        return .object(object)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A sync and how it stands: a row of `syncs_soup`, with the keys of the mobile SDKs.
public struct SyncState: Sendable, Hashable {
    /// The id of the sync: its `_soupEntryId` in `syncs_soup`.
    public var id: Int64
    /// What to sync and how; runs leave it as it is.
    public var definition: SyncDefinition
    /// How the current run stands, or how the last one ended.
    public var status: SyncStatus
    /// 0 to 100.
    public var progress: Int
    /// Records of the run, -1 while not known.
    public var totalSize: Int
    /// The high-water mark in milliseconds since 1970, -1 before there is one.
    public var maxTimeStamp: Int64
    /// Milliseconds since 1970, 0 before the first run.
    public var startTime: Int64
    /// When a run ended last, in milliseconds since 1970; 0 before the first end.
    ///
    /// While a run goes on, it is still the end of the one before.
    public var endTime: Int64
    /// The text of the failure of the last run; empty when it did not fail.
    public var error: String

    /// Whether the last run ended, STOPPED, because the session was over: log in, then run the sync again.
    ///
    /// Nothing is lost by it: local changes are as they were, and the next run goes on where this one was.
    public var isWaitingForLogin: Bool

    /// How many records of the last run, or of the one that is under way, did not go through.
    public var leftBehind = LeftBehind()

    /// Records of a run that did not go through, by what became of them; 0 each for a run that has none.
    public struct LeftBehind: Sendable, Hashable {
        /// Sync up: refused by the server.
        ///
        /// Sync down: entries whose IDs cannot be the server's.
        public var failed = 0
        /// Sync up: nobody knows whether the server has them.
        public var unknown = 0
        /// With MERGE: changed on both sides, in a way that nobody has decided yet.
        public var conflicted = 0
        /// Sync down: kept out by local changes; sync up: changes that were not sent.
        public var skipped = 0

        /// A run that left nothing behind.
        public init() {}

        /// The counts with the names that rows and tables have for them, in their order.
        public var counts: [(name: String, count: Int)] {
            [("failed", failed), ("unknown", unknown), ("conflicted", conflicted), ("skipped", skipped)]
        }
    }

    /// By the defaults the state of a sync that has never run.
    public init(
        id: Int64, definition: SyncDefinition, status: SyncStatus = .new, progress: Int = 0, totalSize: Int = -1,
        maxTimeStamp: Int64 = -1, startTime: Int64 = 0, endTime: Int64 = 0, error: String = "",
        isWaitingForLogin: Bool = false
    ) {
        self.id = id
        self.definition = definition
        self.status = status
        self.progress = progress
        self.totalSize = totalSize
        self.maxTimeStamp = maxTimeStamp
        self.startTime = startTime
        self.endTime = endTime
        self.error = error
        self.isWaitingForLogin = isWaitingForLogin
    }

    /// The name of the definition; nil for a sync that is run once, by its id.
    public var name: String? { definition.name }

    /// The row as JSON, `_soupEntryId` included.
    public var json: JSONValue {
        var row: JSONObject = [
            EntryField.entryId: .int(id),
            "type": .string(definition.type.rawValue),
        ]
        row["name"] = definition.name.map { .string($0) }
        row["target"] = definition.target.json
        row["options"] = definition.options.json
        row["soupName"] = .string(definition.soup.rawValue)
        row["status"] = .string(status.rawValue)
        row["progress"] = .int(Int64(progress))
        row["totalSize"] = .int(Int64(totalSize))
        row["maxTimeStamp"] = .int(maxTimeStamp)
        row["startTime"] = .int(startTime)
        row["endTime"] = .int(endTime)
        row["error"] = .string(error)
        if isWaitingForLogin { row["waitingForLogin"] = true }
        for (name, count) in leftBehind.counts where count > 0 { row[name] = .int(Int64(count)) }
        return .object(row)
    }
}

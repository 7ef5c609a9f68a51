// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A sync and its status: a row of `syncs_soup`, with the keys of the mobile SDKs.
public struct SyncState: Sendable, Hashable {
    /// The ID of the sync: its `_soupEntryId` in `syncs_soup`.
    public var id: Int64
    /// The definition of the sync; runs do not change it.
    public var definition: SyncDefinition
    /// The status of the current run, or the result of the last one.
    public var status: SyncStatus
    /// The progress in percent, 0 to 100.
    public var progress: Int
    /// The number of records of the run; -1 while unknown.
    ///
    /// After a sync down, the number of fetched records, whether they were saved or skipped. A run for changes does not
    /// count records that the server returned again unchanged.
    public var totalSize: Int
    /// The high-water mark; nil before the first one.
    public var maxTimeStamp: Date? {
        get { times.mark < 0 ? nil : Date(millisecondsSince1970: times.mark) }
        set { times.mark = newValue?.millisecondsSince1970 ?? -1 }
    }
    /// The start of the last run; nil before the first run.
    public var startTime: Date? {
        get { times.start == 0 ? nil : Date(millisecondsSince1970: times.start) }
        set { times.start = newValue?.millisecondsSince1970 ?? 0 }
    }
    /// The end of the last run; nil before the first end.
    ///
    /// During a run it is still the end of the previous run.
    public var endTime: Date? {
        get { times.end == 0 ? nil : Date(millisecondsSince1970: times.end) }
        set { times.end = newValue?.millisecondsSince1970 ?? 0 }
    }
    /// The times as they are stored.
    package var times: Times

    /// The times of a sync in milliseconds since 1970, as rows contain them.
    package struct Times: Sendable, Hashable {
        /// The high-water mark; -1 before the first one.
        package var mark: Int64
        /// The start of the last run; 0 before the first run.
        package var start: Int64
        /// The end of the last run; 0 before the first end.
        package var end: Int64

        /// Creates times; the defaults are those of a sync that has never run.
        package init(mark: Int64 = -1, start: Int64 = 0, end: Int64 = 0) {
            self.mark = mark
            self.start = start
            self.end = end
        }
    }
    /// The error message of the last run; empty if it did not fail.
    public var error: String

    /// Whether the last run ended, STOPPED, because the session had expired: log in, then run the sync again.
    ///
    /// No data is lost: local changes are unchanged, and the next run continues where this one stopped.
    public var isWaitingForLogin: Bool

    /// The API requests that were used when the last run paused, STOPPED, because of their limit; nil if it did not.
    ///
    /// No data is lost: the next run continues where this one stopped. See `SyncSettings.requestLimit`.
    public var pausedAtUsage: APIUsage?

    /// The numbers of records that the last run, or the current one, did not sync.
    public var unsynced = UnsyncedCounts()

    /// The numbers of records that a run did not sync, by reason; all are 0 if the run synced every record.
    public struct UnsyncedCounts: Sendable, Hashable {
        /// The number of failed records.
        ///
        /// Sync up: refused by the server. Sync down: entries whose IDs cannot be the server's.
        public var failed = 0
        /// The number of pushed records whose outcome is unknown.
        public var unknown = 0
        /// With MERGE: the number of records whose conflicts are not resolved yet.
        public var conflicted = 0
        /// The number of skipped records.
        ///
        /// Sync down: not written because of local changes. Sync up: changes that were not sent.
        public var skipped = 0

        /// Creates the counts of a run that synced every record.
        public init() {}

        /// The counts with their names in rows and tables, in their order.
        public var counts: [(name: String, count: Int)] {
            [("failed", failed), ("unknown", unknown), ("conflicted", conflicted), ("skipped", skipped)]
        }
    }

    /// Creates a state; the defaults are those of a sync that has never run.
    public init(
        id: Int64, definition: SyncDefinition, status: SyncStatus = .new, progress: Int = 0, totalSize: Int = -1,
        maxTimeStamp: Date? = nil, startTime: Date? = nil, endTime: Date? = nil, error: String = "",
        isWaitingForLogin: Bool = false
    ) {
        self.id = id
        self.definition = definition
        self.status = status
        self.progress = progress
        self.totalSize = totalSize
        times = Times(
            mark: maxTimeStamp?.millisecondsSince1970 ?? -1, start: startTime?.millisecondsSince1970 ?? 0,
            end: endTime?.millisecondsSince1970 ?? 0)
        self.error = error
        self.isWaitingForLogin = isWaitingForLogin
    }

    /// The name of the definition; nil for a sync that is run once, by its ID.
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
        row["maxTimeStamp"] = .int(times.mark)
        row["startTime"] = .int(times.start)
        row["endTime"] = .int(times.end)
        row["error"] = .string(error)
        if isWaitingForLogin { row["waitingForLogin"] = true }
        row["pausedAtUsage"] = pausedAtUsage.map { .array([.int(Int64($0.used)), .int(Int64($0.maximum))]) }
        for (name, count) in unsynced.counts where count > 0 { row[name] = .int(Int64(count)) }
        return .object(row)
    }
}

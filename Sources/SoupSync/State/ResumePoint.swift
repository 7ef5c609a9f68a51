// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The point from which to resume an unfinished sync down, and the progress of its query so far.
///
/// It is saved in the sync's row, in the same transaction as the page before it. It is removed when the run is DONE.
struct ResumePoint: Sendable, Hashable {
    /// The cursor of the first page that was not saved.
    var cursor: PageCursor
    /// The progress from the pages saved so far.
    var query: QueryProgress
    /// The number of runs that ended at this cursor with an error other than a connection error.
    var failures = 0

    /// The number of failures after which the cursor is discarded.
    ///
    /// The next run then starts again from the high-water mark. Otherwise, a server that does not clearly report an
    /// expired cursor would block the sync forever.
    static let maximumFailures = 3

    var json: JSONValue {
        var object: JSONObject = [
            "cursor": .string(cursor.rawValue),
            "count": .int(Int64(query.count)),
            "since": .int(query.since),
        ]
        object["totalSize"] = query.total.map { .int(Int64($0)) }
        object["serverTime"] = query.serverTime.map { .int($0) }
        object["from"] = query.base.map { .int($0.milliseconds) }
        object["fromInclusive"] = query.base.map { .bool($0.inclusive) }
        object["start"] = query.start?.json
        if query.skipsLookback { object["skipsLookback"] = true }
        query.seen.write(to: &object)
        if query.unchanged > 0 { object["unchanged"] = .int(Int64(query.unchanged)) }
        if failures > 0 { object["failures"] = .int(Int64(failures)) }
        if !query.levels.isEmpty { object["parts"] = LevelProgress.json(query.levels) }
        return .object(object)
    }

    init(cursor: PageCursor, query: QueryProgress) {
        self.cursor = cursor
        self.query = query
    }

    /// Reads the value that ``json`` returned; `nil` for any other value, so that the sync starts from its mark.
    init?(_ json: JSONValue) {
        guard let cursor = json["cursor"]?.stringValue, let count = json["count"]?.plausibleCount,
            let since = json["since"]?.plausibleTime
        else { return nil }
        // An implausible date means that the data is damaged, so the other values are not trusted either.
        for key in ["serverTime", "from"] {
            guard json[key] == nil || json[key]?.intValue.map(HighWaterMark.dates.contains) == true else { return nil }
        }
        let levels = json["parts"].map { LevelProgress.levels($0) } ?? []
        guard let levels, let seen = WatermarkAccumulator(json) else { return nil }
        self.cursor = PageCursor(cursor)
        failures = Int(min(max(json["failures"]?.intValue ?? 0, 0), Int64(Self.maximumFailures)))
        query = QueryProgress(
            base: json["from"]?.intValue.map {
                HighWaterMark(milliseconds: $0, inclusive: json["fromInclusive"]?.boolValue ?? true)
            }, since: since)
        if let start = json["start"] {
            guard let start = HighWaterMark(json: start) else { return nil }
            query.start = start
        }
        query.skipsLookback = json["skipsLookback"]?.boolValue ?? false
        query.levels = levels
        query.count = count
        query.unchanged = min(json["unchanged"]?.plausibleCount ?? 0, count)
        query.total = json["totalSize"]?.plausibleCount
        query.serverTime = json["serverTime"]?.intValue
        query.seen = seen
    }
}

extension JSONValue {
    /// The value as a record count; `nil` if it is implausible.
    var plausibleCount: Int? {
        intValue.flatMap { Int(exactly: $0) }.flatMap { QueryProgress.plausibleCounts.contains($0) ? $0 : nil }
    }

    /// The value as a time in milliseconds since 1970; `nil` if it is implausible, so that times can be subtracted.
    var plausibleTime: Int64? { intValue.flatMap { DateText.plausible.contains($0) ? $0 : nil } }
}

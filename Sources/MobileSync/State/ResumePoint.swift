// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Where a sync down that did not finish goes on, and what the finished part of its query has shown.
///
/// Saved in the sync's row, in the transaction of the page that it follows; gone when the run is done.
struct ResumePoint: Sendable, Hashable {
    /// Leads to the first page that was not saved.
    var cursor: PageCursor
    /// What the pages saved so far have shown.
    var query: QueryProgress
    /// How many runs have ended at this cursor with an error that is not the connection's.
    var failures = 0

    /// After so many the cursor is given up, and the next run begins anew from the high-water mark: a server that does
    /// not say plainly that it forgot a cursor must not hold the sync up for ever.
    static let maximumFailures = 3

    var json: JSONValue {
        var object: JSONObject = [
            "cursor": .string(cursor.rawValue),
            "count": .int(Int64(query.count)),
            "since": .int(query.since),
        ]
        object["totalSize"] = query.total.map { .int(Int64($0)) }
        object["serverTime"] = query.serverTime.map { .int($0) }
        object["from"] = query.base.map { .int($0.time) }
        object["fromInclusive"] = query.base.map { .bool($0.inclusive) }
        query.seen.write(to: &object)
        if failures > 0 { object["failures"] = .int(Int64(failures)) }
        if !query.parts.isEmpty { object["parts"] = PartProgress.json(query.parts) }
        return .object(object)
    }

    init(cursor: PageCursor, query: QueryProgress) {
        self.cursor = cursor
        self.query = query
    }

    /// Reads what ``json`` wrote; nil when it is something else, and then the sync starts from its high-water mark.
    init?(_ json: JSONValue) {
        guard let cursor = json["cursor"]?.stringValue, let count = json["count"]?.plausibleCount,
            let since = json["since"]?.intValue, Timestamp.plausible.contains(since)
        else { return nil }
        // A date that cannot be is damage, and then the others say nothing either.
        for key in ["serverTime", "from"] {
            guard json[key] == nil || json[key]?.intValue.map(HighWaterMark.dates.contains) == true else { return nil }
        }
        let parts = json["parts"].map { PartProgress.parts($0) } ?? []
        guard let parts, let seen = SeenDates(json) else { return nil }
        self.cursor = PageCursor(cursor)
        failures = Int(min(max(json["failures"]?.intValue ?? 0, 0), Int64(Self.maximumFailures)))
        query = QueryProgress(
            base: json["from"]?.intValue.map {
                HighWaterMark(time: $0, inclusive: json["fromInclusive"]?.boolValue ?? true)
            }, since: since)
        query.parts = parts
        query.count = count
        query.total = json["totalSize"]?.plausibleCount
        query.serverTime = json["serverTime"]?.intValue
        query.seen = seen
    }
}

extension JSONValue {
    /// A number of records that can be.
    var plausibleCount: Int? {
        intValue.flatMap { Int(exactly: $0) }.flatMap { QueryProgress.plausibleCounts.contains($0) ? $0 : nil }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SalesforceAPI
internal import SoupCore

/// How far a refresh has gone through the ids of its soup.
struct RefreshCursor: Sendable, Hashable {
    /// The next page of the slice that was asked for last; nil when the next slice is due.
    var url: String?
    /// The ids of that slice; empty when the next slice is due.
    var slice: [String] = []
    /// The rows of the slice that its pages held so far, and how many the server announced.
    var count = QueryCount()
    /// The last id that was asked for, in the order of the bytes.
    var last: String?
    /// The ids that follow it, as far as they were read.
    var ids: [String] = []
    /// How many of them, from the first one on, are asked for only when they changed since the mark; the others come
    /// behind them.
    var filtered = 0
    /// Whether ``last`` is one of the others.
    var isBehindFiltered = false
    /// Whether further ids followed those when they were read.
    var hasMore = false
    /// When they were read, in milliseconds since 1970.
    var readAt: Int64 = 0
    /// How many records the run brings.
    var total: Int?
    /// The server's time when it answered the first slice.
    var serverTime: Int64?

    init() {}

    /// - Throws: ``SoupError`` with `cursorExpired` for a text that is no such cursor.
    init(_ cursor: PageCursor) throws {
        guard let json = try? JSONValue(parsing: cursor.rawValue), let last = json["last"]?.stringValue,
            let ids = json["ids"]?.arrayValue, let hasMore = json["more"]?.boolValue,
            let readAt = json["read"]?.intValue
        else { throw SoupError(.cursorExpired, "the saved cursor is not one of a refresh") }
        url = json["url"]?.stringValue
        slice = (json["slice"]?.arrayValue ?? []).compactMap(\.stringValue)
        if url != nil {
            guard let count = QueryCount(json: json) else {
                throw SoupError(.cursorExpired, "the saved cursor does not say how many records of its query have come")
            }
            self.count = count
        }
        self.last = last
        self.ids = ids.compactMap(\.stringValue)
        // Without a word all of them are, as it was written before there were others.
        let filtered = json["filtered"]?.intValue.flatMap { Int(exactly: $0) } ?? self.ids.count
        self.filtered = min(max(filtered, 0), self.ids.count)
        isBehindFiltered = json["behind"]?.boolValue ?? false
        self.hasMore = hasMore
        // A time that cannot be is none: then the ids are read anew.
        self.readAt = (0...253_402_300_799_999).contains(readAt) ? readAt : 0
        total = json["total"]?.intValue.flatMap { Int(exactly: $0) }
        serverTime = json["time"]?.intValue
    }

    /// - Throws: never for a cursor whose texts come from JSON.
    var pageCursor: PageCursor {
        get throws {
            var json: JSONObject = [
                "last": .string(last ?? ""), "more": .bool(hasMore), "read": .int(readAt),
                "ids": .array(ids.map { .string($0) }),
            ]
            if filtered < ids.count { json["filtered"] = .int(Int64(filtered)) }
            if isBehindFiltered { json["behind"] = true }
            if let url {
                json["url"] = .string(url)
                json["slice"] = .array(slice.map { .string($0) })
                count.write(to: &json)
            }
            json["total"] = total.map { .int(Int64($0)) }
            json["time"] = serverTime.map { .int($0) }
            return PageCursor(try JSONText(.object(json)).description)
        }
    }
}

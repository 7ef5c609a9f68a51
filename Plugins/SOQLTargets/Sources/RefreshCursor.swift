// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The position of a refresh in the IDs of its soup.
struct RefreshCursor: Sendable, Hashable {
    /// The next page of the current slice; nil if the next slice is to be requested.
    var url: String?
    /// The IDs of that slice; empty if the next slice is to be requested.
    var slice: [String] = []
    /// The number of rows of the slice so far, and the number that the server announced.
    var count = QueryCount()
    /// The last requested ID, in byte order.
    var last: String?
    /// The following IDs that were already read.
    var ids: [String] = []
    /// The number of these IDs, from the first one on, that are requested only if they changed since the mark; the
    /// others follow them.
    var filtered = 0
    /// Whether ``last`` is one of the others.
    var isAfterFiltered = false
    /// Whether further IDs followed these when they were read.
    var hasMore = false
    /// The time when the IDs were read, in milliseconds since 1970.
    var readAt: Int64 = 0
    /// The number of records of the run.
    var total: Int?
    /// The server's time of the response to the first slice.
    var serverTime: Date?

    init() {}

    /// - Throws: ``SoupError`` with `cursorExpired` for a text that is not such a cursor.
    init(_ cursor: PageCursor) throws {
        guard let json = try? JSONValue(parsing: cursor.rawValue), let last = json["last"]?.stringValue,
            let ids = json["ids"]?.arrayValue, let hasMore = json["more"]?.boolValue,
            let readAt = json["read"]?.intValue
        else { throw SoupError(.cursorExpired, "the saved cursor is not a cursor of a refresh") }
        url = json["url"]?.stringValue
        slice = (json["slice"]?.arrayValue ?? []).compactMap(\.stringValue)
        if url != nil {
            guard let count = QueryCount(json: json) else {
                throw SoupError(
                    .cursorExpired, "the saved cursor does not contain the number of records that its query returned")
            }
            self.count = count
        }
        self.last = last
        self.ids = ids.compactMap(\.stringValue)
        // Without this key all IDs are filtered: earlier versions had no others.
        let filtered = json["filtered"]?.intValue.flatMap { Int(exactly: $0) } ?? self.ids.count
        self.filtered = min(max(filtered, 0), self.ids.count)
        isAfterFiltered = json["behind"]?.boolValue ?? false
        self.hasMore = hasMore
        // An invalid time counts as missing: the IDs are then read again.
        self.readAt = (0...253_402_300_799_999).contains(readAt) ? readAt : 0
        total = json["total"]?.intValue.flatMap { Int(exactly: $0) }
        serverTime = json["time"]?.intValue.map { Date(millisecondsSince1970: $0) }
    }

    /// - Throws: never for a cursor whose texts come from JSON.
    var pageCursor: PageCursor {
        get throws {
            var json: JSONObject = [
                "last": .string(last ?? ""), "more": .bool(hasMore), "read": .int(readAt),
                "ids": .array(ids.map { .string($0) }),
            ]
            if filtered < ids.count { json["filtered"] = .int(Int64(filtered)) }
            if isAfterFiltered { json["behind"] = true }
            if let url {
                json["url"] = .string(url)
                json["slice"] = .array(slice.map { .string($0) })
                count.write(to: &json)
            }
            json["total"] = total.map { .int(Int64($0)) }
            json["time"] = serverTime.map { .int($0.millisecondsSince1970) }
            return PageCursor(try JSONText(.object(json)).description)
        }
    }
}

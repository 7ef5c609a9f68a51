// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The position of a run in a briefcase.
///
/// The cursor contains the IDs of a page of the list that were not fetched yet. A second request for the page may
/// return another list, so that a position in the first list would skip records.
struct BriefcaseCursor: Sendable, Hashable {
    /// The IDs that are still to be fetched, by their position in the infos.
    var pending: [[String]]
    /// The token of the next page of the list.
    var token: String?
    /// The number of listed records of the infos' objects so far.
    var listed = 0
    /// The number of listed records so far, including those of other objects; nil in a cursor without this number.
    var seen: Int? = 0
    /// The total number of records of the run, if known.
    var total: Int?
    /// The server's time when it answered the first request.
    var serverTime: Date?
    /// The rules that the server could not run so far.
    var failedRules: [String] = []

    /// Creates the cursor for the start of a run.
    init(infos: Int) { pending = Array(repeating: [], count: infos) }

    /// - Throws: ``SoupError`` with `cursorExpired` for a text that is not such a cursor.
    init(_ cursor: PageCursor, infos: Int) throws {
        guard let json = try? JSONValue(parsing: cursor.rawValue),
            let pending = json["pending"]?.arrayValue, pending.count == infos,
            let listed = json["listed"]?.intValue.flatMap({ Int(exactly: $0) }),
            (0...1_000_000_000).contains(listed)
        else { throw SoupError(.cursorExpired, "the saved cursor is not a cursor of this briefcase") }
        self.init(infos: infos)
        self.pending = pending.map { ($0.arrayValue ?? []).compactMap(\.stringValue) }
        self.listed = listed
        seen = json["seen"]?.intValue.flatMap { Int(exactly: $0) }
        token = json["token"]?.stringValue
        total = json["total"]?.intValue.flatMap { Int(exactly: $0) }
        serverTime = json["time"]?.intValue.map { Date(millisecondsSince1970: $0) }
        failedRules = (json["failed"]?.arrayValue ?? []).compactMap(\.stringValue)
        guard token != nil || !isEmpty else {
            throw SoupError(.cursorExpired, "the saved cursor contains no position in the briefcase")
        }
    }

    /// Whether there are no IDs left to fetch, so that the next page of the list is needed.
    var isEmpty: Bool { pending.allSatisfy(\.isEmpty) }

    /// Removes and returns the next IDs, at most `count` of them, in the order of the infos.
    mutating func take(_ count: Int) -> [[String]] {
        var room = count
        var taken: [[String]] = []
        for level in pending.indices {
            let slice = Array(pending[level].prefix(room))
            pending[level].removeFirst(slice.count)
            room -= slice.count
            taken.append(slice)
        }
        return taken
    }

    /// - Throws: never for a cursor whose texts come from JSON.
    var pageCursor: PageCursor {
        get throws {
            var json: JSONObject = [
                "pending": .array(pending.map { .array($0.map { .string($0) }) }), "listed": .int(Int64(listed)),
            ]
            json["seen"] = seen.map { .int(Int64($0)) }
            json["token"] = token.map { .string($0) }
            json["total"] = total.map { .int(Int64($0)) }
            json["time"] = serverTime.map { .int($0.millisecondsSince1970) }
            if !failedRules.isEmpty { json["failed"] = .array(failedRules.map { .string($0) }) }
            return PageCursor(try JSONText(.object(json)).description)
        }
    }
}

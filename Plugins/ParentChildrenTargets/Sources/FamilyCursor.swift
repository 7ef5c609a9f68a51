// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SalesforceAPI
internal import SoupCore

/// Where a sync of families goes on.
///
/// First come the parents with everything below them (step 0), then, kind by kind, the children that changed while
/// their parents did not. Behind each page come the pages of children that the server held back from it.
struct FamilyCursor: Hashable {
    /// 0 for the parents, else the position of the kind whose changed children are asked for.
    var step = 0
    /// The next page of the step's query; nil for its first one, or when only ``rest`` is left of it.
    var url: String?
    /// Whether the step's query was sent.
    var hasBegun = false
    /// Children that the server held back from pages that came.
    var rest: [FamilyPage.Rest] = []
    /// The rows of the step's query that came so far, and how many the server announced.
    ///
    /// Not saved for step 0, whose parents are counted by the engine.
    var count = QueryCount()
    /// The number of parents, as the first page told it.
    var totalSize: Int?
    /// The server's time when it ran the first query.
    var serverTime: Int64?

    init() {}

    /// Reads the text of a cursor, also one that an earlier version wrote.
    ///
    /// - Throws: ``SoupError`` with `cursorExpired` for a text that is no such cursor: start anew.
    init(_ cursor: PageCursor, _ tree: FamilyTree) throws {
        guard cursor.rawValue.utf8.first == UInt8(ascii: "{") else {
            let query = try QueryCursor(cursor)
            (url, hasBegun, totalSize, serverTime) = (query.url, true, query.totalSize, query.serverTime)
            return
        }
        let json = try? JSONValue(parsing: cursor.rawValue)
        let parts = tree.members.indices
        var rest: [FamilyPage.Rest] = []
        for item in json?["rest"]?.arrayValue ?? [] {
            guard let part = item["part"]?.intValue.flatMap({ Int(exactly: $0) }), parts.dropFirst().contains(part),
                let parentId = item["parent"]?.stringValue, let url = item["url"]?.stringValue
            else { throw Self.unreadable }
            guard let count = QueryCount(json: item) else { throw Self.unreadable }
            rest.append(FamilyPage.Rest(part: part, parentId: parentId, url: url, count: count))
        }
        guard let step = json?["step"]?.intValue.flatMap({ Int(exactly: $0) }), parts.contains(step) else {
            throw Self.unreadable
        }
        self.step = step
        self.rest = rest
        url = json?["url"]?.stringValue
        hasBegun = json?["begun"]?.boolValue ?? false
        if step > 0, url != nil {
            guard let count = json.flatMap({ QueryCount(json: $0) }) else { throw Self.unreadable }
            self.count = count
        }
        totalSize = json?["totalSize"]?.intValue.flatMap { Int(exactly: $0) }
        serverTime = json?["serverTime"]?.intValue
    }

    private static var unreadable: SoupError { SoupError(.cursorExpired, "the saved cursor is not one of a family") }

    /// The cursor as text: that of a plain query where it is nothing else.
    var pageCursor: PageCursor {
        if step == 0, rest.isEmpty, let url {
            return QueryCursor(url: url, totalSize: totalSize, serverTime: serverTime).pageCursor
        }
        var json: JSONObject = ["step": .int(Int64(step)), "begun": .bool(hasBegun)]
        json["url"] = url.map { .string($0) }
        if step > 0, url != nil { count.write(to: &json) }
        json["totalSize"] = totalSize.map { .int(Int64($0)) }
        json["serverTime"] = serverTime.map { .int($0) }
        if !rest.isEmpty {
            json["rest"] = .array(
                rest.map { held in
                    var item: JSONObject = [
                        "part": .int(Int64(held.part)), "parent": .string(held.parentId), "url": .string(held.url),
                    ]
                    held.count.write(to: &item)
                    return .object(item)
                })
        }
        return PageCursor(JSONValue.object(json).description)
    }

    /// The cursor behind the last page of this step, when `count` steps are wanted; nil behind the last.
    func next(of count: Int) -> FamilyCursor? {
        guard rest.isEmpty, url == nil else { return self }
        guard step + 1 < count else { return nil }
        var next = FamilyCursor()
        (next.step, next.totalSize, next.serverTime) = (step + 1, totalSize, serverTime)
        return next
    }
}

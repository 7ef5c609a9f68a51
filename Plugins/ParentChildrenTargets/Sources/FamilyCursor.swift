// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

/// The position at which a sync of families continues.
///
/// First come the parents with all their descendants (step 0). Then come, type by type, the children that changed while
/// their parents did not. Each page is followed by the pages of children that the server omitted from it.
struct FamilyCursor: Hashable {
    /// 0 for the parents, otherwise the position of the type whose changed children are fetched.
    var step = 0
    /// The next page of the step's query; nil for its first one, or if only ``rest`` is left.
    var url: String?
    /// Whether the step's query was sent.
    var hasBegun = false
    /// The children that the server omitted from earlier pages.
    var rest: [FamilyPage.Rest] = []
    /// The number of rows of the step's query so far, and the number that the server announced.
    ///
    /// Not saved for step 0, whose parents the engine counts.
    var count = QueryCount()
    /// The number of parents, from the first page.
    var totalSize: Int?
    /// The server's time when it ran the first query.
    var serverTime: Int64?

    init() {}

    /// Reads the text of a cursor, including those of earlier versions.
    ///
    /// - Throws: ``SoupError`` with `cursorExpired` for any other text: start again from the beginning.
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

    /// The cursor as text; it has the form of a plain query's cursor if it contains nothing else.
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

    /// Returns the cursor for the rest of this step, or for the next of `count` steps; nil after the last step.
    func next(of count: Int) -> FamilyCursor? {
        guard rest.isEmpty, url == nil else { return self }
        guard step + 1 < count else { return nil }
        var next = FamilyCursor()
        (next.step, next.totalSize, next.serverTime) = (step + 1, totalSize, serverTime)
        return next
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The position at which a sync of record trees continues.
///
/// The first step (0) fetches the parents with all their descendants. Each following step fetches the children of one
/// level that changed while their parents did not. Each page is followed by the pages of children that the server
/// omitted from it.
struct RecordTreeCursor: Hashable {
    /// 0 for the parents, otherwise the position of the level whose changed children are fetched.
    var step = 0
    /// The next page of the step's query; nil for its first one, or if only ``remaining`` is left.
    var url: String?
    /// Whether the step's query was sent.
    var hasBegun = false
    /// The children that the server omitted from earlier pages.
    var remaining: [RecordTreePage.Remaining] = []
    /// The number of rows of the step's query so far, and the number that the server announced.
    ///
    /// Not saved for step 0, whose parents the engine counts.
    var count = QueryCount()
    /// The number of parents, from the first page.
    var totalSize: Int?
    /// The server's time when it ran the first query.
    var serverTime: Date?

    init() {}

    /// Reads the text of a cursor, including those of earlier versions.
    ///
    /// - Throws: ``SoupError`` with `cursorExpired` for any other text: start again from the beginning.
    init(_ cursor: PageCursor, in tree: RecordTree) throws {
        guard cursor.rawValue.utf8.first == UInt8(ascii: "{") else {
            let query = try QueryPageCursor(cursor)
            (url, hasBegun, totalSize, serverTime) = (query.url, true, query.totalSize, query.serverTime)
            return
        }
        let json = try? JSONValue(parsing: cursor.rawValue)
        let positions = tree.levels.indices
        var remaining: [RecordTreePage.Remaining] = []
        for item in json?["rest"]?.arrayValue ?? [] {
            guard let position = item["part"]?.intValue.flatMap({ Int(exactly: $0) }),
                positions.dropFirst().contains(position),
                let parentId = item["parent"]?.stringValue, let url = item["url"]?.stringValue
            else { throw Self.unreadable }
            guard let count = QueryCount(json: item) else { throw Self.unreadable }
            remaining.append(RecordTreePage.Remaining(position: position, parentId: parentId, url: url, count: count))
        }
        guard let step = json?["step"]?.intValue.flatMap({ Int(exactly: $0) }), positions.contains(step) else {
            throw Self.unreadable
        }
        self.step = step
        self.remaining = remaining
        url = json?["url"]?.stringValue
        hasBegun = json?["begun"]?.boolValue ?? false
        if step > 0, url != nil {
            guard let count = json.flatMap({ QueryCount(json: $0) }) else { throw Self.unreadable }
            self.count = count
        }
        totalSize = json?["totalSize"]?.intValue.flatMap { Int(exactly: $0) }
        serverTime = json?["serverTime"]?.intValue.map { Date(millisecondsSince1970: $0) }
    }

    private static var unreadable: SoupError {
        SoupError(.cursorExpired, "the saved cursor is not a cursor of a record tree")
    }

    /// The cursor as text; it has the form of a plain query's cursor if it contains nothing else.
    var pageCursor: PageCursor {
        if step == 0, remaining.isEmpty, let url {
            return QueryPageCursor(url: url, totalSize: totalSize, serverTime: serverTime).pageCursor
        }
        var json: JSONObject = ["step": .int(Int64(step)), "begun": .bool(hasBegun)]
        json["url"] = url.map { .string($0) }
        if step > 0, url != nil { count.write(to: &json) }
        json["totalSize"] = totalSize.map { .int(Int64($0)) }
        json["serverTime"] = serverTime.map { .int($0.millisecondsSince1970) }
        if !remaining.isEmpty {
            json["rest"] = .array(
                remaining.map { children in
                    var item: JSONObject = [
                        "part": .int(Int64(children.position)), "parent": .string(children.parentId),
                        "url": .string(children.url),
                    ]
                    children.count.write(to: &item)
                    return .object(item)
                })
        }
        return PageCursor(JSONValue.object(json).description)
    }

    /// Returns the cursor for the remaining pages of this step, or for the next of `count` steps; nil after the last
    /// step.
    func next(of count: Int) -> RecordTreeCursor? {
        guard remaining.isEmpty, url == nil else { return self }
        guard step + 1 < count else { return nil }
        var next = RecordTreeCursor()
        (next.step, next.totalSize, next.serverTime) = (step + 1, totalSize, serverTime)
        return next
    }
}

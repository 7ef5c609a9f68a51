// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// Brings the todos of a list: `GET /lists/LIST/todos?limit=2&after=CURSOR`, and later only what changed since.
public struct TodoDownTarget: SyncDownTarget {
    /// The `target` object of `usersyncs.json`.
    public struct Configuration: Decodable, Sendable {
        var list: String
        var pageSize: Int?
    }

    /// What a `target` object writes as its `type`.
    public static let name: PluginName = "todo"

    /// The server calls it `id` in small letters, unlike the default.
    public let idField = "id"
    /// The server's time of the last change, ISO 8601.
    public let modificationDateField = "changed"
    /// True, since the server sorts by it: the high-water mark may rise with every page.
    public let ordersByModificationDate = true

    private let list: String
    private let pageSize: Int

    /// Makes the target of a sync; `pageSize` is 100 unless it is given.
    ///
    /// - Throws: ``SoupError`` with `badConfiguration` for a page size that is not from 1 to 1000.
    public init(configuration: Configuration) throws {
        list = configuration.list
        pageSize = configuration.pageSize ?? 100
        guard (1...1000).contains(pageSize) else {
            throw SoupError(.badConfiguration, "pageSize must be from 1 to 1000", hint: "Leave it out for 100.")
        }
    }

    /// The todos behind the cursor, those of before the high-water mark left out.
    public func page(after cursor: PageCursor?, in context: SyncContext) async throws -> Page {
        // What comes from outside is encoded: a `/` or a `&` in it must not make another request.
        var path = "/lists/\(URLText.segment(list))/todos?limit=\(pageSize)"
        if let cursor { path += "&after=\(URLText.query(cursor.rawValue))" }
        if let mark = context.highWaterMark {
            // The server's filter includes the instant, so that nothing is missed at the edge.
            path += "&since=\(URLText.query(Timestamp.format(mark.time, zone: "Z")))"
        }
        // The server counts what the request asks for, so a run with another number of todos is not complete.
        return try Page(
            try await context.get(path), recordsAt: "todos", nextAt: "next", totalAt: "total", totalIsExact: true)
    }

    /// Of these ids, those that the server still lists; one request brings all of its ids.
    public func survivors(of ids: [String], part: Int, in context: SyncContext) async throws -> Set<String>? {
        let answer = try await context.get("/lists/\(URLText.segment(list))/ids")
        guard let known = try? JSONText(answer.body[...]).decode([String].self) else {
            throw SoupError(.json, "the server's list of ids is no array of strings")
        }
        return Set(known).intersection(ids)
    }
}

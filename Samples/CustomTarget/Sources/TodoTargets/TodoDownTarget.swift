// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// A target that fetches the todos of a list by `GET /lists/LIST/todos?limit=2&after=CURSOR`.
///
/// Later runs fetch only the todos that changed since the previous run.
public struct TodoDownTarget: SyncDownTarget {
    /// The `target` object of `usersyncs.json`.
    public struct Configuration: Decodable, Sendable {
        var list: String
        var pageSize: Int?
    }

    /// The `type` in a `target` object.
    public static let name: PluginName = "todo"

    /// The server's ID field, which is `id` in lower case, unlike the default.
    public let idField = "id"
    /// The field with the time of the last change, in ISO 8601.
    public let modificationDateField = "changed"
    /// Whether the server sorts by this time; the high-water mark then rises with every page.
    public let ordersByModificationDate = true

    private let list: String
    private let pageSize: Int

    /// Creates the target of a sync; the default of `pageSize` is 100.
    ///
    /// - Throws: ``SoupError`` with `badConfiguration` if the page size is not from 1 to 1000.
    public init(configuration: Configuration) throws {
        list = configuration.list
        pageSize = configuration.pageSize ?? 100
        guard (1...1000).contains(pageSize) else {
            throw SoupError(
                .badConfiguration, "pageSize must be from 1 to 1000", hint: "Remove pageSize to use the default of 100."
            )
        }
    }

    /// Returns the todos after the cursor that changed at or after the high-water mark.
    public func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage {
        // Encode all values: a `/` or a `&` in a value must not change the meaning of the request.
        var path = "/lists/\(URLText.segment(list))/todos?limit=\(pageSize)"
        if let cursor { path += "&after=\(URLText.query(cursor.rawValue))" }
        if let mark = context.highWaterMark {
            // The server's filter includes the mark itself, so todos that changed at the same time are not missed.
            path += "&since=\(URLText.query(DateText.format(mark.time, zone: "Z")))"
        }
        let answer = try await context.send(.get, path)
        // The todo of the cursor was deleted: the engine starts the run again.
        if answer.status == 410 { throw SoupError(.cursorExpired, "there is no todo \(cursor?.rawValue ?? "")") }
        guard answer.isSuccess else { throw answer.failure(of: "GET", path) }
        // The total is the exact number of todos of this request, so the engine can detect an incomplete run.
        return try RecordPage(answer, recordsAt: "todos", nextAt: "next", totalAt: "total", totalIsExact: true)
    }

    /// Returns the IDs that are still on the server; one request fetches all IDs of the list.
    public func survivors(of ids: [String], level: Int, in context: SyncContext) async throws -> Set<String>? {
        let answer = try await context.get("/lists/\(URLText.segment(list))/ids")
        guard let known = try? JSONText(answer.body[...]).decode([String].self) else {
            throw SoupError(.json, "the server's list of IDs is not an array of strings")
        }
        return Set(known).intersection(ids)
    }
}

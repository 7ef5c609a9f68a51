// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// A place in the pages of a query, as the JavaScript API hands it around.
///
/// It holds nothing in the store: the counts are those of the moment when it was opened, each page is fetched when the
/// cursor moves to it.
public struct StoreCursor: Sendable {
    /// What tells this cursor from others of its owner.
    public let id: String
    /// The query that the pages are of; it says how long they are.
    public let spec: QuerySpec
    /// Counted from 0.
    public let pageIndex: Int
    /// How many rows there were on all pages when the cursor was opened.
    public let totalEntries: Int
    /// The rows of the page.
    public let page: QueryPage

    /// What stands for the `?` of a smart query.
    let arguments: [JSONValue]
    /// Where the next page begins, as the page at hand told.
    let next: QueryPosition?

    /// How many pages there are; 0 when nothing was found.
    public var totalPages: Int { totalEntries == 0 ? 0 : (totalEntries - 1) / spec.pageSize + 1 }

    /// The cursor with the keys of the JavaScript API, rows included; rows are copied, not parsed.
    public var json: JSONText {
        var output = Array(
            """
            {"cursorId":\(JSONEscapes.quoted(id)),"currentPageIndex":\(pageIndex),"pageSize":\(spec.pageSize),\
            "totalEntries":\(totalEntries),"totalPages":\(totalPages),"currentPageOrderedEntries":[
            """.utf8)
        for (index, text) in page.texts.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            output += text.bytes
        }
        output += Array("]}".utf8)
        return JSONText(trusted: output[...])
    }
}

extension SmartStore {
    /// Opens a cursor on the first page of a query; the counts and the page are of one snapshot.
    ///
    /// - Parameter arguments: stand for the `?` of smart queries, and only there; the cursor keeps them for its other
    ///   pages.
    public func cursor(_ spec: QuerySpec, id: String, arguments: [JSONValue] = []) async throws -> StoreCursor {
        try await backend.quickRead { reader in
            let first = try reader.query(spec.inOneOrder, after: nil, arguments: arguments)
            return StoreCursor(
                id: id, spec: spec, pageIndex: 0, totalEntries: try reader.count(spec, arguments: arguments),
                page: first.page, arguments: arguments, next: first.next)
        }
    }

    /// The cursor on another of its pages.
    ///
    /// A page before the first is the first, one behind the last is the last. The next page is what lies behind the
    /// last row of the page at hand, whatever was written in front of it, and costs the same however far the cursor is;
    /// for any other page the rows in front of it are counted. Smart queries count always.
    public func move(_ cursor: StoreCursor, toPage index: Int) async throws -> StoreCursor {
        let index = max(0, min(index, cursor.totalPages - 1))
        let isNext = index == cursor.pageIndex + 1
        let page = try await backend.quickRead { reader in
            if isNext, let next = cursor.next {
                return try reader.query(cursor.spec.inOneOrder, after: next, arguments: cursor.arguments)
            }
            return try reader.positionedPage(index, of: cursor.spec.inOneOrder, arguments: cursor.arguments)
        }
        return StoreCursor(
            id: cursor.id, spec: cursor.spec, pageIndex: index, totalEntries: cursor.totalEntries, page: page.page,
            arguments: cursor.arguments, next: page.next)
    }
}

extension QuerySpec {
    /// The query with an order of its own where it leaves that to the store: by id, as pages that follow one another
    /// are.
    ///
    /// Else a page that is counted to and one that is gone on to would be of two orders.
    fileprivate var inOneOrder: QuerySpec {
        if case .smart = kind { return self }
        var spec = self
        if orderPath == nil { (spec.orderPath, spec.order) = (JSONPath(EntryField.entryId), .ascending) }
        return spec
    }
}

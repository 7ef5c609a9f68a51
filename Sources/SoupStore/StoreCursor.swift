// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// A position in the pages of a query, for the JavaScript API.
///
/// ``SmartStore/cursor(_:id:arguments:)`` opens one on pages of entries, ``SmartStore/rowCursor(_:id:arguments:)`` on
/// pages of rows. It holds no state in the store: the counts are from the time when it was opened, and each page is
/// fetched when the cursor moves to it.
public struct StoreCursor<Page: ResultPage>: Sendable {
    /// The identifier that distinguishes this cursor from others of its owner.
    public var id: String { place.id }
    /// The query of the pages, with their size.
    public var spec: QuerySpec { place.spec }
    /// The number of the current page, counted from 0.
    public var pageIndex: Int { place.pageIndex }
    /// The number of elements on all pages when the cursor was opened.
    public var totalEntries: Int { place.totalEntries }
    /// The current page.
    public let page: Page

    fileprivate let place: CursorPlace

    /// The number of pages; 0 if the query found nothing.
    public var totalPages: Int { place.totalPages }

    /// The cursor with the keys of the JavaScript API, the page included; its elements are copied, not parsed.
    public var json: JSONText { place.json(page.texts) }
}

/// A cursor without its page, so that many of them need little memory.
package struct CursorPlace: Sendable {
    package let id: String
    let spec: QuerySpec
    /// The values for each `?` of a smart query.
    let arguments: [JSONValue]
    let pageIndex: Int
    let totalEntries: Int
    /// The position of the next page, from the current one.
    let next: QueryPosition?

    package var totalPages: Int { totalEntries == 0 ? 0 : (totalEntries - 1) / spec.pageSize + 1 }

    /// Returns the cursor with the elements of its page, with the keys of the JavaScript API.
    package func json(_ elements: [JSONText]) -> JSONText {
        var output = Array(
            """
            {"cursorId":\(JSONEscapes.quoted(id)),"currentPageIndex":\(pageIndex),"pageSize":\(spec.pageSize),\
            "totalEntries":\(totalEntries),"totalPages":\(totalPages),"currentPageOrderedEntries":[
            """.utf8)
        for (index, text) in elements.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            output += text.bytes
        }
        output += Array("]}".utf8)
        return JSONText(trusted: output[...])
    }
}

extension SmartStore {
    /// Opens a cursor on the first page of entries of a query; the counts and the page are from one snapshot.
    ///
    /// - Parameter arguments: must be empty, because only Smart SQL has arguments.
    /// - Throws: ``SoupError`` with `badQuerySpec`, before anything is read, if the query returns rows; the errors of
    ///   the store.
    public func cursor(
        _ spec: QuerySpec, id: String, arguments: [JSONValue] = []
    ) async throws -> StoreCursor<EntryPage> {
        try await open(spec, id: id, arguments: arguments)
    }

    /// Opens a cursor on the first page of rows of a query; the counts and the page are from one snapshot.
    ///
    /// - Parameter arguments: replace each `?` of smart queries, and only there; the cursor keeps them for its other
    ///   pages.
    /// - Throws: ``SoupError`` with `badQuerySpec`, before anything is read, if the query returns entries; the errors
    ///   of the store.
    public func rowCursor(
        _ spec: QuerySpec, id: String, arguments: [JSONValue] = []
    ) async throws -> StoreCursor<RowPage> {
        try await open(spec, id: id, arguments: arguments)
    }

    private func open<Page>(
        _ spec: QuerySpec, id: String, arguments: [JSONValue]
    ) async throws -> StoreCursor<Page> {
        try Page.check(spec, entries: "cursor(_:id:arguments:)", rows: "rowCursor(_:id:arguments:)")
        let (place, page) = try await openCursor(spec, id: id, arguments: arguments)
        return StoreCursor(page: try Page(page), place: place)
    }

    /// Opens a cursor on the first page of a query, whatever its elements are.
    package func openCursor(
        _ spec: QuerySpec, id: String, arguments: [JSONValue] = []
    ) async throws -> (place: CursorPlace, page: QueryPage) {
        try await backend.quickRead { reader in
            let first = try reader.query(spec.inOneOrder, after: nil, arguments: arguments)
            let place = CursorPlace(
                id: id, spec: spec, arguments: arguments, pageIndex: 0,
                totalEntries: try reader.count(spec, arguments: arguments), next: first.next)
            return (place, first.page)
        }
    }

    /// Returns the cursor moved to another of its pages.
    ///
    /// An index before the first page moves to the first, one after the last page to the last. The next page starts
    /// after the last row of the current page, whatever was written before that row, and its cost does not depend on
    /// the page number. For any other page the rows before it are counted. Smart queries always count.
    public func move<Page>(_ cursor: StoreCursor<Page>, toPage index: Int) async throws -> StoreCursor<Page> {
        let (place, page) = try await move(cursor.place, toPage: index)
        return StoreCursor(page: try Page(page), place: place)
    }

    /// Returns the place of a cursor on another of its pages, and that page.
    package func move(
        _ cursor: CursorPlace, toPage index: Int
    ) async throws -> (place: CursorPlace, page: QueryPage) {
        let index = max(0, min(index, cursor.totalPages - 1))
        let isNext = index == cursor.pageIndex + 1
        let found = try await backend.quickRead { reader in
            if isNext, let next = cursor.next {
                return try reader.query(cursor.spec.inOneOrder, after: next, arguments: cursor.arguments)
            }
            return try reader.positionedPage(index, of: cursor.spec.inOneOrder, arguments: cursor.arguments)
        }
        let place = CursorPlace(
            id: cursor.id, spec: cursor.spec, arguments: cursor.arguments, pageIndex: index,
            totalEntries: cursor.totalEntries, next: found.next)
        return (place, found.page)
    }
}

extension QuerySpec {
    /// The query with an explicit order: if it has none, by ID, as for consecutive pages.
    ///
    /// Otherwise a page found by counting and a page found by position would have different orders.
    fileprivate var inOneOrder: QuerySpec {
        if case .smart = kind { return self }
        var spec = self
        if orderPath == nil { (spec.orderPath, spec.order) = (JSONPath(EntryField.entryId), .ascending) }
        return spec
    }
}

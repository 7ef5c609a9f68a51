// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The pages of a query, one after another.
///
/// ``SmartStore/pages(of:arguments:)`` returns pages of entries, ``SmartStore/rowPages(of:arguments:)`` pages of rows.
///
/// Each page is a separate snapshot. If an entry is written during the iteration, its new place in the order decides:
/// an entry that moves ahead of the current position is returned again, and one that moves behind it is not returned
/// there. No other entry is skipped or repeated because of that. Smart queries page by number: if their result changes,
/// rows can be repeated or skipped.
public struct PageSequence<Page: ResultPage>: AsyncSequence, Sendable {
    /// A page, never empty; all but the last are full.
    public typealias Element = Page

    let store: SmartStore
    let spec: QuerySpec
    let arguments: [JSONValue]

    /// Returns an iterator that starts at the first page; nothing is fetched before the first ``Iterator/next()``.
    public func makeAsyncIterator() -> Iterator { Iterator(pages: self) }

    /// An iterator that holds no page, only the position after the last one.
    public struct Iterator: AsyncIteratorProtocol {
        private let pages: PageSequence
        private var position: QueryPosition?
        private var isAtEnd = false

        init(pages: PageSequence) { self.pages = pages }

        /// Returns the next page; nil after the last one.
        ///
        /// - Throws: ``SoupError`` with `badQuerySpec` if the query returns elements of the other kind; the errors of
        ///   the store. The next call then requests the same page again.
        public mutating func next() async throws -> Page? {
            if isAtEnd { return nil }
            try Page.check(pages.spec, entries: "pages(of:arguments:)", rows: "rowPages(of:arguments:)")
            let found: PositionedPage<Page> = try await pages.store.page(
                of: pages.spec, after: position, arguments: pages.arguments)
            position = found.next
            isAtEnd = found.next == nil
            return found.page.count > 0 ? found.page : nil
        }
    }
}

/// The entries that a query finds; see ``SmartStore/entries(matching:)``.
public struct EntrySequence: AsyncSequence, Sendable {
    /// An entry as the backend returns it, not decoded.
    public typealias Element = SoupEntry

    let pages: PageSequence<EntryPage>

    /// Returns an iterator that starts at the first page; nothing is fetched before the first ``Iterator/next()``.
    public func makeAsyncIterator() -> Iterator { Iterator(pages.makeAsyncIterator()) }

    /// An iterator that holds one page at a time.
    public struct Iterator: AsyncIteratorProtocol {
        private var pages: PageSequence<EntryPage>.Iterator
        private var entries: ArraySlice<SoupEntry> = []

        init(_ pages: PageSequence<EntryPage>.Iterator) { self.pages = pages }

        /// Returns the next entry, and fetches the next page if the current one is used up; nil after the last entry.
        ///
        /// - Throws: ``SoupError`` with `badQuerySpec` if the query returns rows; the errors of the store; the next
        ///   call then requests the same page again.
        public mutating func next() async throws -> SoupEntry? {
            if entries.isEmpty, let page = try await pages.next() { entries = page.entries[...] }
            return entries.popFirst()
        }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The pages of a query, one after another; see ``SmartStore/pages(of:arguments:)``.
///
/// Each page is a snapshot of its own. Entries that are written while somebody walks come as often as their place in
/// the order says at that moment: one that moves ahead comes again, one that moves behind the walk is not seen there,
/// and no other entry is left out or repeated for it. Smart queries page by number: there, any change of what they find
/// may repeat rows or leave them out.
public struct QueryPages: AsyncSequence, Sendable {
    /// No page is empty; all but the last are full.
    public typealias Element = QueryPage

    let store: SmartStore
    let spec: QuerySpec
    let arguments: [JSONValue]

    /// Begins at the first page; nothing is fetched before the first ``Iterator/next()``.
    public func makeAsyncIterator() -> Iterator { Iterator(pages: self) }

    /// Holds no page, only the place behind the last one.
    public struct Iterator: AsyncIteratorProtocol {
        private let pages: QueryPages
        private var position: QueryPosition?
        private var isAtEnd = false

        init(pages: QueryPages) { self.pages = pages }

        /// The next page; nil behind the last one.
        ///
        /// - Throws: what the store throws, and then the next call asks for the same page again.
        public mutating func next() async throws -> QueryPage? {
            if isAtEnd { return nil }
            let found = try await pages.store.query(pages.spec, after: position, arguments: pages.arguments)
            position = found.next
            isAtEnd = found.next == nil
            return found.page.count > 0 ? found.page : nil
        }
    }
}

/// The entries that a query finds; see ``SmartStore/entries(matching:)``.
public struct EntrySequence: AsyncSequence, Sendable {
    /// Entries as the backend gives them, not decoded.
    public typealias Element = SoupEntry

    let store: SmartStore
    let spec: QuerySpec

    /// Begins at the first page; nothing is fetched before the first ``Iterator/next()``.
    public func makeAsyncIterator() -> Iterator { Iterator(spec, store.pages(of: spec).makeAsyncIterator()) }

    /// Holds one page at a time.
    public struct Iterator: AsyncIteratorProtocol {
        private let spec: QuerySpec
        private var pages: QueryPages.Iterator
        private var entries: ArraySlice<SoupEntry> = []

        init(_ spec: QuerySpec, _ pages: QueryPages.Iterator) {
            self.spec = spec
            self.pages = pages
        }

        /// The next entry, from the store when the page at hand is used up; nil behind the last one.
        ///
        /// - Throws: ``SoupError`` with `badQuerySpec` when the query gives rows; what the store throws, and then
        ///   the next call asks for the same page again.
        public mutating func next() async throws -> SoupEntry? {
            guard spec.yieldsEntries else {
                throw SoupError(
                    .badQuerySpec, "the query gives rows and not entries", hint: "Use pages(of:arguments:)")
            }
            if entries.isEmpty, let page = try await pages.next() { entries = page.entries[...] }
            return entries.popFirst()
        }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The pages of a query, one after another; see ``SmartStore/pages(of:arguments:)``.
///
/// Each page is a separate snapshot. If an entry is written during the iteration, its new place in the order decides:
/// an entry that moves ahead of the current position is returned again, and one that moves behind it is not returned
/// there. No other entry is skipped or repeated because of that. Smart queries page by number: if their result changes,
/// rows can be repeated or skipped.
public struct QueryPages: AsyncSequence, Sendable {
    /// A page, never empty; all but the last are full.
    public typealias Element = QueryPage

    let store: SmartStore
    let spec: QuerySpec
    let arguments: [JSONValue]

    /// Returns an iterator that starts at the first page; nothing is fetched before the first ``Iterator/next()``.
    public func makeAsyncIterator() -> Iterator { Iterator(pages: self) }

    /// An iterator that holds no page, only the position after the last one.
    public struct Iterator: AsyncIteratorProtocol {
        private let pages: QueryPages
        private var position: QueryPosition?
        private var isAtEnd = false

        init(pages: QueryPages) { self.pages = pages }

        /// Returns the next page; nil after the last one.
        ///
        /// - Throws: the errors of the store; the next call then requests the same page again.
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
    /// An entry as the backend returns it, not decoded.
    public typealias Element = SoupEntry

    let store: SmartStore
    let spec: QuerySpec

    /// Returns an iterator that starts at the first page; nothing is fetched before the first ``Iterator/next()``.
    public func makeAsyncIterator() -> Iterator { Iterator(spec, store.pages(of: spec).makeAsyncIterator()) }

    /// An iterator that holds one page at a time.
    public struct Iterator: AsyncIteratorProtocol {
        private let spec: QuerySpec
        private var pages: QueryPages.Iterator
        private var entries: ArraySlice<SoupEntry> = []

        init(_ spec: QuerySpec, _ pages: QueryPages.Iterator) {
            self.spec = spec
            self.pages = pages
        }

        /// Returns the next entry, and fetches the next page if the current one is used up; nil after the last entry.
        ///
        /// - Throws: ``SoupError`` with `badQuerySpec` if the query returns rows; the errors of the store; the next
        ///   call then requests the same page again.
        public mutating func next() async throws -> SoupEntry? {
            guard spec.yieldsEntries else {
                throw SoupError(
                    .badQuerySpec, "the query returns rows, not entries", hint: "Use pages(of:arguments:).")
            }
            if entries.isEmpty, let page = try await pages.next() { entries = page.entries[...] }
            return entries.popFirst()
        }
    }
}

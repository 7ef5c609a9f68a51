// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension SmartStore {
    /// Returns a query that delivers a page of entries now and whenever it changes; see ``LiveQuery``.
    ///
    /// ```swift
    /// for try await contacts in store.live(.all("contacts", orderedBy: "Name", pageSize: 50)) {
    ///     show(contacts.entries)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - spec: a query without select paths; for others, the iteration throws `badQuerySpec`.
    ///   - page: counted from 0.
    ///   - arguments: must be empty, because only Smart SQL has arguments.
    public func live(_ spec: QuerySpec, page: Int = 0, arguments: [JSONValue] = []) -> LiveQuery<EntryPage> {
        LiveQuery(store: self, spec: spec, page: page, arguments: arguments)
    }

    /// Returns a query that delivers a page of rows now and whenever it changes; see ``LiveQuery``.
    ///
    /// - Parameters:
    ///   - spec: a query with select paths, or Smart SQL; for others, the iteration throws `badQuerySpec`.
    ///   - page: counted from 0.
    ///   - arguments: replace each `?` of smart queries, and only there.
    public func liveRows(_ spec: QuerySpec, page: Int = 0, arguments: [JSONValue] = []) -> LiveQuery<RowPage> {
        LiveQuery(store: self, spec: spec, page: page, arguments: arguments)
    }
}

/// A query that runs again when its soups are written.
///
/// The first element is the current page. After that, an element follows each time the page changes. Writes to other
/// soups cost nothing; a write that does not change the page costs one query and delivers no element. If several writes
/// follow before the app takes the next element, the query runs once: the newest state is delivered, and states in
/// between may be skipped.
///
/// Writes of other processes count like those of this one if the store has the capability `foreignChanges`, as `sqlite`
/// has. Without it, they are not observed.
///
/// The sequence ends without an error when the task is cancelled or the store is closed, even during a query. On a
/// closed store it ends at once.
///
/// The soups of a Smart SQL query are those that it names in braces, or by their tables, `TABLE_1` or `TABLE_1_fts`.
/// Changes of the tables that list the soups and their indexes, such as `soup_attrs`, cannot be observed: a query that
/// names one of them is refused.
public struct LiveQuery<Page: ResultPage>: AsyncSequence, Sendable {
    /// A page of the query; two pages in a row are never equal.
    public typealias Element = Page

    let store: SmartStore
    let spec: QuerySpec
    let page: Int
    let arguments: [JSONValue]

    /// Returns an iterator that starts to observe with the first ``Iterator/next()``.
    public func makeAsyncIterator() -> Iterator { Iterator(query: self) }

    /// An iterator that observes the store while it exists.
    public struct Iterator: AsyncIteratorProtocol {
        private let query: LiveQuery
        private var signals: AsyncStream<Void>.Iterator?
        private var last: Page?
        private var hasEnded = false

        init(query: LiveQuery) { self.query = query }

        /// Waits for the page to change, and returns it.
        ///
        /// Returns nil when the task is cancelled or the store is closed, and from then on.
        ///
        /// - Throws: the errors of the query; ``SoupError`` with `badQuerySpec` if it returns elements of the other
        ///   kind, or names no soup or a table that cannot be observed. The next call waits for the next write.
        public mutating func next() async throws -> Page? {
            if hasEnded { return nil }
            do {
                if let page = try await nextPage() { return page }
            } catch is CancellationError {
                // The task was cancelled: the caller no longer waits.
            } catch let error as SoupError where error.isStoreClosed {
                // No write will follow.
            }
            hasEnded = true
            signals = nil
            return nil
        }

        private mutating func nextPage() async throws -> Page? {
            if signals == nil {
                try Page.check(
                    query.spec, entries: "live(_:page:arguments:)", rows: "liveRows(_:page:arguments:)")
                // Observe first, so that no write between the first query and the second is missed.
                let soups = try await query.store.soups(observedBy: query.spec)
                signals = Self.newest(of: query.store.changes(in: soups)).makeAsyncIterator()
                return try await look()
            }
            while await signals?.next(isolation: nil) != nil {
                if let page = try await look() { return page }
            }
            return nil
        }

        /// Runs the query, and returns the page if it differs from the last one.
        private mutating func look() async throws -> Page? {
            let page: Page = try await query.store.page(query.page, of: query.spec, arguments: query.arguments)
            if page == last { return nil }
            last = page
            return page
        }

        /// Returns a stream that combines all changes that were not taken yet into one element.
        private static func newest(of changes: AsyncStream<StoreChange>) -> AsyncStream<Void> {
            let (signals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            let relay = Task {
                for await _ in changes { continuation.yield() }
                continuation.finish()
            }
            continuation.onTermination = { _ in relay.cancel() }
            return signals
        }
    }
}

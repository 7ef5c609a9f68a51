// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension SmartStore {
    /// A page of a query, now and whenever it has become another one; see ``LiveQuery``.
    ///
    /// ```swift
    /// for try await contacts in store.live(.all("contacts", orderedBy: "Name", pageSize: 50)) {
    ///     show(contacts.entries)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - page: counted from 0.
    ///   - arguments: stand for the `?` of smart queries, and only there.
    public func live(_ spec: QuerySpec, page: Int = 0, arguments: [JSONValue] = []) -> LiveQuery {
        LiveQuery(store: self, spec: spec, page: page, arguments: arguments)
    }
}

/// A query that is asked again when its soups were written.
///
/// The first element is the page as it is. After that one follows each time the page has become another: writes to
/// other soups cost nothing, and a write that leaves the page as it was costs one query and gives nothing. Writes that
/// follow one another faster than somebody takes the elements are looked at once: the newest state comes, those between
/// may not.
///
/// It ends, without an error, when the task is cancelled or the store is closed, in the middle of a look too; on a
/// store that is closed already it ends at once. Writes of other processes are not seen.
///
/// The soups of a Smart SQL query are those that it names in braces, or by their tables, `TABLE_1` or `TABLE_1_fts`.
/// The tables that list the soups and their indexes, such as `soup_attrs`, tell nobody of their changes: a query that
/// names one is refused.
public struct LiveQuery: AsyncSequence, Sendable {
    /// Never the same twice in a row.
    public typealias Element = QueryPage

    let store: SmartStore
    let spec: QuerySpec
    let page: Int
    let arguments: [JSONValue]

    /// Begins to listen with the first ``Iterator/next()``.
    public func makeAsyncIterator() -> Iterator { Iterator(query: self) }

    /// Listens as long as it lives.
    public struct Iterator: AsyncIteratorProtocol {
        private let query: LiveQuery
        private var signals: AsyncStream<Void>.Iterator?
        private var last: QueryPage?
        private var hasEnded = false

        init(query: LiveQuery) { self.query = query }

        /// The page, as soon as it is another than the last one; nil when the task is cancelled or the store is closed,
        /// and from then on.
        ///
        /// - Throws: what the query throws, ``SoupError`` with `badQuerySpec` when it names no soup or a table that
        ///   cannot be listened to. The next call waits for the next write.
        public mutating func next() async throws -> QueryPage? {
            if hasEnded { return nil }
            do {
                if let page = try await nextPage() { return page }
            } catch is CancellationError {
                // Nobody waits any more.
            } catch let error as SoupError where error.isStoreClosed {
                // No write will follow.
            }
            hasEnded = true
            signals = nil
            return nil
        }

        private mutating func nextPage() async throws -> QueryPage? {
            if signals == nil {
                // Listening comes first, so that no write falls between the first look and the second.
                signals = Self.newest(of: query.store.changes(in: try await query.soups())).makeAsyncIterator()
                return try await look()
            }
            while await signals?.next(isolation: nil) != nil {
                if let page = try await look() { return page }
            }
            return nil
        }

        /// The page, when it is another than the last one.
        private mutating func look() async throws -> QueryPage? {
            let page = try await query.store.query(query.spec, page: query.page, arguments: query.arguments)
            if page == last { return nil }
            last = page
            return page
        }

        /// One element for all changes that nobody has taken yet.
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

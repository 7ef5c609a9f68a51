// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A type that reads a store, inside one snapshot.
///
/// For a soup that is not registered, every method throws `soupNotFound`, and a query throws `unknownSoup`.
///
/// Plug-in interface: version 1. ``PluginInterface`` states what may change within it.
public protocol StoreReader {
    /// Returns the names of all soups, sorted.
    func soupNames() throws -> [SoupName]
    /// Returns the index specs of a soup, in the order of registration.
    func indexSpecs(of soup: SoupName) throws -> [IndexSpec]
    /// Returns the identity of a soup's storage; the default returns the empty text, which means that it is unknown.
    ///
    /// A soup has another value after it was removed and registered again, and after the store lost its content:
    /// entries of the soup with another value have nothing to do with the present ones, even if their IDs are equal.
    /// Writes, a clear and an alter keep the value.
    ///
    /// - Throws: `soupNotFound`.
    func generation(of soup: SoupName) throws -> String
    /// Returns the entries with these IDs, in the order of the IDs; unknown IDs are left out.
    func retrieve(_ ids: [Int64], from soup: SoupName) throws -> [SoupEntry]
    /// Returns the ID of the only entry with a value at an indexed path; nil for none, throws `notUnique` for several.
    func lookup(_ value: JSONValue, at path: JSONPath, in soup: SoupName) throws -> Int64?
    /// Returns a page of a query; `arguments` replace each `?` of smart queries, and only there.
    func query(_ spec: QuerySpec, page: Int, arguments: [JSONValue]) throws -> QueryPage
    /// Returns the page after a position, or the first page for nil.
    ///
    /// Rows have the order of the query. Entries with the same value are ordered by their IDs in the same direction;
    /// without an order path, rows are ordered by ID alone. The default only supports positions of whole pages, so a
    /// page costs more the later it is.
    ///
    /// - Throws: `badQuerySpec` for a position that this backend did not return for this query: see
    ///   ``QueryPosition/anchor(in:arguments:backend:)``.
    func query(_ spec: QuerySpec, after position: QueryPosition?, arguments: [JSONValue]) throws -> PositionedPage<
        QueryPage
    >
    /// Returns a page by its number, counted from 0, and the position of the next one.
    ///
    /// The order is that of ``query(_:after:arguments:)``. The default uses the page's number as its position.
    func positionedPage(_ number: Int, of spec: QuerySpec, arguments: [JSONValue]) throws -> PositionedPage<QueryPage>
    /// Runs a query once, and passes all of its rows to `body`, page by page.
    ///
    /// The rows are those of one snapshot, each once, in the order of ``query(_:after:arguments:)``; Smart SQL defines
    /// its own order. Every page but the last has `pageSize` rows, and none is empty. Only one page is in memory, and
    /// the cost of a page does not depend on the pages before it, whatever the order. `body` must not write. The
    /// default requests one page after another.
    ///
    /// - Parameter body: returns whether to continue with the next page; an error that it throws ends the walk.
    func walk(_ spec: QuerySpec, arguments: [JSONValue], _ body: (QueryPage) throws -> Bool) throws
    /// Returns the backend's plan for a query, one line a step, in its own words; the default throws `notSupported`.
    func plan(of spec: QuerySpec, arguments: [JSONValue]) throws -> [String]
    /// Returns the backend's plan for the page after a position, in the form of ``plan(of:arguments:)``.
    ///
    /// The default throws `notSupported`.
    func plan(of spec: QuerySpec, after position: QueryPosition?, arguments: [JSONValue]) throws -> [String]
    /// Returns the number of rows that the query has on all pages.
    func count(_ spec: QuerySpec, arguments: [JSONValue]) throws -> Int
    /// Returns the IDs of the entries with local changes, in the order of creation.
    func dirtyIds(in soup: SoupName) throws -> [Int64]
    /// Returns the values at `path` of the entries without local changes; missing values are left out.
    ///
    /// `syncId` restricts them to entries that this sync down wrote last. Entries without local flags are neither clean
    /// nor dirty.
    func cleanValues(at path: JSONPath, in soup: SoupName, writtenBy syncId: Int64?) throws -> [(
        id: Int64, value: String
    )]
    /// Returns the synced copies of these entries, as they were stored; entries without one are left out.
    ///
    /// A write that sets `__local__` on an entry where it was false keeps the replaced text as the synced copy. The
    /// copy is deleted by the write that resets the flag, and with the entry; further edits do not change it. A backend
    /// without ``StoreCapability/syncedCopies`` keeps no copies: the default returns none.
    func syncedCopies(of ids: [Int64], in soup: SoupName) throws -> [Int64: JSONText]
}

extension StoreReader {
    /// Returns a page by number: all rows before the position are read again.
    public func query(
        _ spec: QuerySpec, after position: QueryPosition?, arguments: [JSONValue]
    ) throws -> PositionedPage<QueryPage> {
        switch try position?.anchor(in: spec, arguments: arguments, backend: nil) {
        case nil: try positionedPage(0, of: spec, arguments: arguments)
        case .page(let number)?: try positionedPage(number, of: spec, arguments: arguments)
        case .entry?:
            throw SoupError(
                .badQuerySpec, "the position belongs to another query", hint: "Start again at the first page.")
        }
    }

    /// Returns the page by its number, and the number of the next one, unless the page is not full.
    public func positionedPage(_ number: Int, of spec: QuerySpec, arguments: [JSONValue]) throws -> PositionedPage<
        QueryPage
    > {
        let number = max(0, number)
        let page = try query(spec, page: number, arguments: arguments)
        let next = number < Int.max && page.count == spec.pageSize ? number + 1 : nil
        return PositionedPage(
            page, next: next.map { QueryPosition(.page($0), in: spec, arguments: arguments, backend: nil) })
    }

    /// Returns the empty text: for backends that do not distinguish the soup from a former one of its name.
    public func generation(of soup: SoupName) throws -> String { "" }

    /// Requests one page after another, each after the position of the previous one.
    public func walk(_ spec: QuerySpec, arguments: [JSONValue] = [], _ body: (QueryPage) throws -> Bool) throws {
        var position: QueryPosition?
        repeat {
            let found = try query(spec, after: position, arguments: arguments)
            guard found.page.count > 0, try body(found.page) else { return }
            position = found.next
        } while position != nil
    }

    /// Returns no copies: for backends that store only the entries themselves.
    public func syncedCopies(of ids: [Int64], in soup: SoupName) throws -> [Int64: JSONText] { [:] }

    /// Throws `notSupported`: for backends that do not plan.
    public func plan(of spec: QuerySpec, arguments: [JSONValue]) throws -> [String] {
        throw SoupError.unsupported("report query plans")
    }

    /// Throws `notSupported`: for backends that do not plan.
    public func plan(of spec: QuerySpec, after position: QueryPosition?, arguments: [JSONValue]) throws -> [String] {
        throw SoupError.unsupported("report query plans")
    }

    /// Returns a page of a query without arguments, counted from 0.
    public func query(_ spec: QuerySpec, page: Int = 0) throws -> QueryPage {
        try query(spec, page: page, arguments: [])
    }

    /// Returns the number of rows that a query without arguments has on all pages.
    public func count(_ spec: QuerySpec) throws -> Int { try count(spec, arguments: []) }

    /// Returns whether a soup is registered; an unknown name is not an error here.
    public func soupExists(_ soup: SoupName) throws -> Bool { try soupNames().contains(soup) }
}

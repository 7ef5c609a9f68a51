// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A type that reads a state of the store.
protocol StateReader: StoreReader {
    var state: MemoryState { get }
    /// Throws if the caller's task was cancelled; called before every query.
    func check() throws
}

/// The reader for a read's body: a snapshot.
struct MemoryReader: StateReader {
    let state: MemoryState
    /// The flag that cancels the read; nil for a read that its task cancels.
    var cancellation: CancellationFlag?

    func check() throws {
        if let cancellation { try cancellation.check() } else { try Task.checkCancellation() }
    }
}

extension StateReader {
    func soupNames() throws -> [SoupName] {
        try check()
        return state.soups.keys.sorted()
    }

    func indexSpecs(of soup: SoupName) throws -> [IndexSpec] { try self.soup(soup).specs }

    func generation(of soup: SoupName) throws -> String { try self.soup(soup).generation }

    func retrieve(_ ids: [Int64], from soup: SoupName) throws -> [SoupEntry] {
        let soup = try self.soup(soup)
        return Set(ids).sorted().compactMap { soup.row($0)?.entry }
    }

    func syncedCopies(of ids: [Int64], in soup: SoupName) throws -> [Int64: JSONText] {
        let soup = try self.soup(soup)
        return Dictionary(uniqueKeysWithValues: Set(ids).compactMap { id in soup.row(id)?.syncedCopy.map { (id, $0) } })
    }

    func lookup(_ value: JSONValue, at path: JSONPath, in soup: SoupName) throws -> Int64? {
        try self.soup(soup).lookup(value, at: path)
    }

    func query(_ spec: QuerySpec, page: Int, arguments: [JSONValue]) throws -> QueryPage {
        let (offset, overflow) = max(0, page).multipliedReportingOverflow(by: spec.pageSize)
        let (soup, rows) = try rows(of: spec, arguments: arguments)
        let found = overflow ? [] : rows.dropFirst(offset).prefix(spec.pageSize)
        return try soup.page(of: found.map(\.row), for: spec)
    }

    func query(
        _ spec: QuerySpec, after position: QueryPosition?, arguments: [JSONValue]
    ) throws -> PositionedPage<QueryPage> {
        let soup = try self.soup(of: spec, arguments: arguments)
        switch try position?.anchor(in: spec, arguments: arguments, backend: MemoryStore.name) {
        case nil: return try positionedPage(0, of: spec, arguments: arguments)
        case .page(let number)?: return try positionedPage(number, of: spec, arguments: arguments)
        case .entry(let order, let id)?: return try soup.page(of: soup.rows(of: spec, after: order, id: id), for: spec)
        }
    }

    func positionedPage(_ number: Int, of spec: QuerySpec, arguments: [JSONValue]) throws -> PositionedPage<QueryPage> {
        let (offset, overflow) = max(0, number).multipliedReportingOverflow(by: spec.pageSize)
        let (soup, rows) = try rows(of: spec, arguments: arguments)
        return try soup.page(of: rows.dropFirst(overflow ? rows.count : offset), for: spec)
    }

    func walk(_ spec: QuerySpec, arguments: [JSONValue], _ body: (QueryPage) throws -> Bool) throws {
        let (soup, rows) = try rows(of: spec, arguments: arguments)
        for start in stride(from: 0, to: rows.count, by: spec.pageSize) {
            let found = rows[start...].prefix(spec.pageSize)
            guard try body(try soup.page(of: found.map(\.row), for: spec)) else { return }
        }
    }

    func count(_ spec: QuerySpec, arguments: [JSONValue]) throws -> Int {
        try rows(of: spec, arguments: arguments).rows.count
    }

    func dirtyIds(in soup: SoupName) throws -> [Int64] {
        try self.soup(soup).rows.filter { $0.isDirty == true }.map(\.id)
    }

    func cleanValues(at path: JSONPath, in soup: SoupName, writtenBy syncId: Int64?) throws -> [(
        id: Int64, value: String
    )] {
        try self.soup(soup).cleanValues(at: path, writtenBy: syncId)
    }

    func soup(_ name: SoupName) throws -> MemorySoup {
        try check()
        return try state.soup(name)
    }

    /// Returns the rows of a query on all pages, and their soup.
    func rows(of spec: QuerySpec, arguments: [JSONValue]) throws -> (soup: MemorySoup, rows: [MemorySoup.Found]) {
        let soup = try self.soup(of: spec, arguments: arguments)
        return (soup, try soup.rows(of: spec))
    }

    /// Returns the soup that a query reads.
    private func soup(of spec: QuerySpec, arguments: [JSONValue]) throws -> MemorySoup {
        try check()
        if case .smart = spec.kind { throw MemorySoup.notSupported("Smart SQL") }
        let name = try spec.requireForm(arguments: arguments)
        guard let soup = state.soups[name] else { throw state.missing(name, .unknownSoup) }
        try spec.requireReadablePaths(in: soup.specs)
        return soup
    }
}

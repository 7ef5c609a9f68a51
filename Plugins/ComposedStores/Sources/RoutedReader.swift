// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A type that reads each soup in its own store.
protocol RoutedReading: StoreReader {
    var readers: [any StoreReader] { get }
    var parts: RoutedParts { get }
}

/// The reader for a read's body: the snapshots of all stores at one moment.
struct RoutedReader: RoutedReading {
    let readers: [any StoreReader]
    let parts: RoutedParts
}

extension RoutedReading {
    private func reader(of soup: SoupName) -> any StoreReader { readers[parts.place(of: soup)] }

    private func reader(for spec: QuerySpec) throws -> any StoreReader { readers[try parts.place(of: spec)] }

    func soupNames() throws -> [SoupName] {
        try readers.enumerated().flatMap { index, reader in
            try reader.soupNames().filter { parts.place(of: $0) == index }
        }.sorted()
    }

    func indexSpecs(of soup: SoupName) throws -> [IndexSpec] { try reader(of: soup).indexSpecs(of: soup) }

    func generation(of soup: SoupName) throws -> String {
        let own = try reader(of: soup).generation(of: soup)
        let part = parts.stores[parts.place(of: soup)]
        // A soup that is moved to another store has another generation, whatever the numbers of both stores are.
        return own.isEmpty ? "" : part.name.map { "\(own)@\($0)" } ?? own
    }

    func retrieve(_ ids: [Int64], from soup: SoupName) throws -> [SoupEntry] {
        try reader(of: soup).retrieve(ids, from: soup)
    }

    func lookup(_ value: JSONValue, at path: JSONPath, in soup: SoupName) throws -> Int64? {
        try reader(of: soup).lookup(value, at: path, in: soup)
    }

    func query(_ spec: QuerySpec, page: Int, arguments: [JSONValue]) throws -> QueryPage {
        try reader(for: spec).query(spec, page: page, arguments: arguments)
    }

    func query(
        _ spec: QuerySpec, after position: QueryPosition?, arguments: [JSONValue]
    ) throws -> PositionedPage<QueryPage> {
        try reader(for: spec).query(spec, after: position, arguments: arguments)
    }

    func positionedPage(_ number: Int, of spec: QuerySpec, arguments: [JSONValue]) throws -> PositionedPage<QueryPage> {
        try reader(for: spec).positionedPage(number, of: spec, arguments: arguments)
    }

    func walk(_ spec: QuerySpec, arguments: [JSONValue], _ body: (QueryPage) throws -> Bool) throws {
        try reader(for: spec).walk(spec, arguments: arguments, body)
    }

    func plan(of spec: QuerySpec, arguments: [JSONValue]) throws -> [String] {
        try reader(for: spec).plan(of: spec, arguments: arguments)
    }

    func plan(of spec: QuerySpec, after position: QueryPosition?, arguments: [JSONValue]) throws -> [String] {
        try reader(for: spec).plan(of: spec, after: position, arguments: arguments)
    }

    func count(_ spec: QuerySpec, arguments: [JSONValue]) throws -> Int {
        try reader(for: spec).count(spec, arguments: arguments)
    }

    func dirtyIds(in soup: SoupName) throws -> [Int64] { try reader(of: soup).dirtyIds(in: soup) }

    func cleanValues(
        at path: JSONPath, in soup: SoupName, writtenBy syncId: Int64?
    ) throws -> [(id: Int64, value: String)] {
        try reader(of: soup).cleanValues(at: path, in: soup, writtenBy: syncId)
    }

    func syncedCopies(of ids: [Int64], in soup: SoupName) throws -> [Int64: JSONText] {
        try reader(of: soup).syncedCopies(of: ids, in: soup)
    }
}

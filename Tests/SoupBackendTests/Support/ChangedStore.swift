// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupMemory

/// The memory store with another reader, and optionally with faults.
struct ChangedStore<Reader: StoreReader & SendableMetatype>: StoreBackend {
    typealias Configuration = MemoryStore.Configuration
    static var name: PluginName { "changed" }

    private let store = MemoryStore()
    private let claims: Set<StoreCapability>
    private let closes: Bool
    private let leases: @Sendable (MemoryStore) async throws -> SyncLease?
    private let reader: @Sendable (any StoreReader) -> Reader
    var capabilities: Set<StoreCapability> { claims.union([.json1, .restoring]) }

    init(
        claims: Set<StoreCapability> = [], closes: Bool = true,
        leases: @escaping @Sendable (MemoryStore) async throws -> SyncLease? = { try await $0.claimSyncs() },
        _ reader: @escaping @Sendable (any StoreReader) -> Reader
    ) {
        self.claims = claims
        self.closes = closes
        self.leases = leases
        self.reader = reader
    }

    static func open(_ configuration: Configuration, in context: StoreContext) async throws -> Self {
        throw SoupError(.notSupported, "only tests create this store")
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (any StoreWriter) throws -> T) async throws -> T {
        try await store.write(body)
    }
    func read<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T {
        let reader = reader
        return try await store.read { try body(reader($0)) }
    }
    func changes(in soups: Set<SoupName>) -> AsyncStream<StoreChange> { store.changes(in: soups) }
    func claimSyncs() async throws -> SyncLease? { try await leases(store) }
    func close() async throws { if closes { try await store.close() } }
}

/// A reader with only the required methods, which another reader carries out.
protocol RequiredReader: StoreReader {
    var reader: any StoreReader { get }
}

extension RequiredReader {
    func soupNames() throws -> [SoupName] { try reader.soupNames() }
    func indexSpecs(of soup: SoupName) throws -> [IndexSpec] { try reader.indexSpecs(of: soup) }
    func retrieve(_ ids: [Int64], from soup: SoupName) throws -> [SoupEntry] { try reader.retrieve(ids, from: soup) }
    func lookup(_ value: JSONValue, at path: JSONPath, in soup: SoupName) throws -> Int64? {
        try reader.lookup(value, at: path, in: soup)
    }
    func count(_ spec: QuerySpec, arguments: [JSONValue]) throws -> Int { try reader.count(spec, arguments: arguments) }
    func dirtyIds(in soup: SoupName) throws -> [Int64] { try reader.dirtyIds(in: soup) }
    func cleanValues(
        at path: JSONPath, in soup: SoupName, writtenBy syncId: Int64?
    ) throws -> [(id: Int64, value: String)] {
        try reader.cleanValues(at: path, in: soup, writtenBy: syncId)
    }
}

/// A reader with only the required methods.
struct PlainReader: RequiredReader {
    let reader: any StoreReader
    var skips = false

    func query(_ spec: QuerySpec, page: Int, arguments: [JSONValue]) throws -> QueryPage {
        try reader.query(spec, page: skips && page > 0 ? page + 1 : page, arguments: arguments)
    }
}

/// A reader with synced copies.
struct CopyingReader: RequiredReader {
    let reader: any StoreReader

    func query(_ spec: QuerySpec, page: Int, arguments: [JSONValue]) throws -> QueryPage {
        try reader.query(spec, page: page, arguments: arguments)
    }
    func syncedCopies(of ids: [Int64], in soup: SoupName) throws -> [Int64: JSONText] {
        try reader.syncedCopies(of: ids, in: soup)
    }
}

/// A reader for which all entries have the same date.
struct EqualDatesReader: RequiredReader {
    let reader: any StoreReader

    func query(_ spec: QuerySpec, page: Int, arguments: [JSONValue]) throws -> QueryPage {
        let found = try reader.query(spec, page: page, arguments: arguments)
        guard case .entries(let entries) = found else { return found }
        return .entries(entries.map { SoupEntry(id: $0.id, version: 1, stored: $0.stored) })
    }
}

/// A reader that accepts every position as its own.
struct CarelessReader: RequiredReader {
    let reader: any StoreReader

    func query(_ spec: QuerySpec, page: Int, arguments: [JSONValue]) throws -> QueryPage {
        try reader.query(spec, page: page, arguments: arguments)
    }
    func query(_ spec: QuerySpec, after position: QueryPosition?, arguments: [JSONValue]) throws -> PositionedPage<
        QueryPage
    > {
        let own = position.map { QueryPosition($0.anchor, in: spec, arguments: arguments, backend: MemoryStore.name) }
        return try reader.query(spec, after: own, arguments: arguments)
    }
    func positionedPage(_ number: Int, of spec: QuerySpec, arguments: [JSONValue]) throws -> PositionedPage<QueryPage> {
        try reader.positionedPage(number, of: spec, arguments: arguments)
    }
}

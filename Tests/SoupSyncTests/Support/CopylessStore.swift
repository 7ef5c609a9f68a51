// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore

/// A store without synced copies that cannot alter soups, like a backend that lacks these capabilities.
struct CopylessStore: StoreBackend {
    struct Configuration: Decodable, Sendable {}
    static let name: PluginName = "copyless"

    let base: any StoreBackend

    init(_ base: any StoreBackend) { self.base = base }

    static func open(_ configuration: Configuration, in context: StoreContext) async throws -> CopylessStore {
        throw SoupError(.notSupported, "this store wraps another one")
    }

    var capabilities: Set<StoreCapability> {
        base.capabilities.subtracting([
            .syncedCopies, .soupAlteration, .composable, .restoring, .foreignCommits, .foreignChanges,
        ])
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (any StoreWriter) throws -> T) async throws -> T {
        try await base.write { try body(Writer(base: $0)) }
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T {
        try await base.read { try body(Reader(base: $0)) }
    }

    func changes(in soups: Set<SoupName>) -> AsyncStream<StoreChange> { base.changes(in: soups) }

    func claimSyncs() async throws -> SyncLease? { try await base.claimSyncs() }

    func close() async throws { try await base.close() }
}

/// A type that forwards everything except the calls for synced copies.
private protocol CopylessReader: StoreReader {
    var reader: any StoreReader { get }
}

extension CopylessReader {
    func soupNames() throws -> [SoupName] { try reader.soupNames() }
    func indexSpecs(of soup: SoupName) throws -> [IndexSpec] { try reader.indexSpecs(of: soup) }
    func retrieve(_ ids: [Int64], from soup: SoupName) throws -> [SoupEntry] { try reader.retrieve(ids, from: soup) }
    func lookup(_ value: JSONValue, at path: JSONPath, in soup: SoupName) throws -> Int64? {
        try reader.lookup(value, at: path, in: soup)
    }
    func query(_ spec: QuerySpec, page: Int, arguments: [JSONValue]) throws -> QueryPage {
        try reader.query(spec, page: page, arguments: arguments)
    }
    func count(_ spec: QuerySpec, arguments: [JSONValue]) throws -> Int { try reader.count(spec, arguments: arguments) }
    func dirtyIds(in soup: SoupName) throws -> [Int64] { try reader.dirtyIds(in: soup) }
    func cleanValues(
        at path: JSONPath, in soup: SoupName, writtenBy syncId: Int64?
    ) throws -> [(id: Int64, value: String)] { try reader.cleanValues(at: path, in: soup, writtenBy: syncId) }
}

private struct Reader: CopylessReader {
    let base: any StoreReader
    var reader: any StoreReader { base }
}

private struct Writer: CopylessReader, StoreWriter {
    let base: any StoreWriter
    var reader: any StoreReader { base }

    func registerSoup(_ soup: SoupName, _ specs: [IndexSpec]) throws { try base.registerSoup(soup, specs) }
    func removeSoup(_ soup: SoupName) throws { try base.removeSoup(soup) }
    func clearSoup(_ soup: SoupName) throws { try base.clearSoup(soup) }
    func upsert(
        _ batch: RecordBatch, into soup: SoupName, matching: UpsertMatch, stamping stamp: RecordBatch.Stamp,
        guarding: WriteGuard
    ) throws -> [UpsertResult] {
        try base.upsert(batch, into: soup, matching: matching, stamping: stamp, guarding: guarding)
    }
    func stamp(_ stamps: [EntryStamp], in soup: SoupName) throws -> [Bool] { try base.stamp(stamps, in: soup) }
    func remove(_ deletions: [EntryRemoval], from soup: SoupName) throws -> [Int64] {
        try base.remove(deletions, from: soup)
    }
    func remove(matching spec: QuerySpec, from soup: SoupName) throws -> Int {
        try base.remove(matching: spec, from: soup)
    }
}

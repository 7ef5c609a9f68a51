// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import SoupSQLite
internal import SoupCore

/// SoupKit's own way, as in a sync down.
///
/// Scans and slices a response while the previous page is written, and upserts by external ID with the stamps of the
/// sync, guarded against local edits, in one transaction per page. The two hints for a long load enclose all pages.
struct SoupKitStore: Contestant {
    let name = "soupkit"
    let repetitions = 3

    func open(in folder: String) async throws -> any OpenStore {
        let path = folder + "/soupkit.db"
        let store = try await SQLiteStore.open(.init(path: path), in: StoreContext(folder: URL(filePath: folder)))
        try await store.write { try $0.registerSoup(BenchmarkSoup.name, BenchmarkSoup.indexes) }
        return OpenSoupKitStore(path: path, table: try Self.table(in: path), store: store)
    }

    /// Returns the table that the store created for the soup, the columns of its indexes, and all definitions.
    private static func table(in path: String) throws -> SoupTable {
        let database = try RawSQLite(path)
        let map = try database.texts("SELECT columnName FROM soup_index_map ORDER BY rowid")
        let name = "TABLE_1"
        let definitions = try database.texts(
            "SELECT sql FROM sqlite_master WHERE tbl_name = '\(name)' AND sql IS NOT NULL ORDER BY rowid")
        return SoupTable(name: name, columns: map, definitions: definitions)
    }
}

private final class OpenSoupKitStore: OpenStore {
    let path: String
    let table: SoupTable
    let keepsTexts = true
    private var store: SQLiteStore?

    init(path: String, table: SoupTable, store: SQLiteStore) {
        self.path = path
        self.table = table
        self.store = store
    }

    func load(_ pages: ResponsePages) async throws {
        guard let store else { return }
        await store.bulkLoad(true)
        var waiting: RecordBatch?
        for body in pages.bodies {
            async let scanned = Self.scan(body)
            if let waiting { try await Self.write(waiting, into: store) }
            waiting = try await scanned
        }
        if let waiting { try await Self.write(waiting, into: store) }
        await store.bulkLoad(false)
    }

    private static func scan(_ body: [UInt8]) async throws -> RecordBatch {
        let scan = try JSONScanner.page(body, recordsAt: "records", envelope: ["totalSize", "nextRecordsUrl"])
        return RecordBatch(bytes: body, scan: scan)
    }

    private static func write(_ batch: RecordBatch, into store: SQLiteStore) async throws {
        _ = try await store.write { writer in
            try writer.upsert(
                batch, into: BenchmarkSoup.name, matching: .path(BenchmarkSoup.externalId),
                stamping: .synced(by: BenchmarkSoup.syncId), guarding: .dirty)
        }
    }

    /// The file is closed when the last copy of the store is released.
    func close() { store = nil }
}

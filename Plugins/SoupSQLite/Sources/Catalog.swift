// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import Synchronization
internal import SoupCore

/// The soups of one version of the schema, and the queries converted for it.
///
/// A catalog is immutable, so that a reader on an older snapshot continues to use the tables of its snapshot.
final class Catalog: Sendable {
    /// SQLite's counter of schema changes, as read by the transaction that loaded this catalog.
    let version: Int64
    /// The identity of the file.
    let identity: String
    let tables: [SoupName: SoupTable]
    /// The keys are bytes: Swift treats composed and decomposed letters as equal, SQLite does not.
    private let conversions = Mutex<[[UInt8]: SQLConversion]>([:])
    private let shapes = Mutex<[QueryShape: ShapedQuery]>([:])
    private let knownRegion = Mutex<DatabaseRegion?>(nil)

    /// The maximum number of converted queries that are kept.
    ///
    /// Apps that paste values into their queries would otherwise fill the memory.
    private static let conversionLimit = 512

    init(version: Int64, identity: String, tables: [SoupName: SoupTable]) {
        self.version = version
        self.identity = identity
        self.tables = tables
    }

    static func load(_ db: Database, version: Int64) throws -> Catalog {
        var specs: [SoupName: [IndexSpec]] = [:]
        let rows = try Row.fetchCursor(db, sql: "SELECT soupName, path, columnType FROM soup_index_map ORDER BY rowid")
        while let row = try rows.next() {
            let (soup, path, type): (String, String, String) = (row[0], row[1], row[2])
            specs[SoupName(soup), default: []].append(
                IndexSpec(JSONPath(path), IndexSpec.Kind(rawValue: type) ?? .string))
        }
        var tables: [SoupName: SoupTable] = [:]
        let soups = try Row.fetchCursor(db, sql: "SELECT id, soupName, indexesDeferred, specNumbers FROM soup_attrs")
        while let row = try soups.next() {
            let (name, numbers): (String, String?) = (row[1], row[3])
            let own = specs[SoupName(name)] ?? []
            tables[SoupName(name)] = SoupTable(
                number: row[0], name: SoupName(name), specs: own,
                numbers: try numbers.map { try SoupTable.numbers($0, of: own.count) }, indexesAreDeferred: row[2])
        }
        let identity = try String.fetchOne(db, sql: "SELECT id FROM store_identity") ?? ""
        return Catalog(version: version, identity: identity, tables: tables)
    }

    func query(of shape: QueryShape) -> ShapedQuery? { shapes.withLock { $0[shape] } }

    func keep(_ query: ShapedQuery, for shape: QueryShape) {
        shapes.withLock { known in
            if known.count >= Self.conversionLimit { known.removeAll(keepingCapacity: true) }
            known[shape] = query
        }
    }

    /// Returns the tables that Smart SQL may read.
    ///
    /// The first query computes them, because the time grows with the number of soups.
    func openRegion(_ make: () throws -> DatabaseRegion) rethrows -> DatabaseRegion {
        if let known = knownRegion.withLock({ $0 }) { return known }
        let made = try make()
        knownRegion.withLock { $0 = made }
        return made
    }

    func conversion(of text: String, _ make: () throws -> SQLConversion) throws -> SQLConversion {
        let key = Array(text.utf8)
        if let known = conversions.withLock({ $0[key] }) { return known }
        let made = try make()
        conversions.withLock { known in
            if known.count >= Self.conversionLimit { known.removeAll(keepingCapacity: true) }
            known[key] = made
        }
        return made
    }
}

/// A cache of the catalog of the newest known schema, for all transactions of a store.
final class CatalogCache: Sendable {
    private let newest = Mutex<Catalog?>(nil)

    /// Returns the catalog of a transaction's schema.
    ///
    /// - Parameter isCommitted: false in a transaction that has changed the schema itself. Its schema may be rolled
    ///   back, and another transaction may then reach the same version with other soups, so the catalog is not kept.
    func catalog(_ db: Database, isCommitted: Bool) throws -> Catalog {
        let version = try Int64.fetchOne(db.cachedStatement(sql: "PRAGMA schema_version")) ?? 0
        if isCommitted, let known = newest.withLock({ $0 }), known.version == version { return known }
        let loaded = try Catalog.load(db, version: version)
        if isCommitted {
            newest.withLock { if ($0?.version ?? -1) < version { $0 = loaded } }
        }
        return loaded
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

/// The context of a `read` or `write` body: one connection, inside one transaction or snapshot.
///
/// It is valid only while the body runs. The connections of readers reject writes, even if a body attempts them.
final class SQLiteTransaction {
    let db: Database
    let options: SQLiteOptions
    /// The modification date of the entries that a write changes; not used by reads.
    let date: Int64
    /// The latest modification date that the write has assigned; nil if it has changed no entry.
    private(set) var lastDate: Int64?
    /// The soups whose entries changed; observers are notified after the commit.
    var changedSoups: Set<SoupName> = []
    private let cache: CatalogCache
    /// The state of first loads, for writes.
    let loadedKeys: LoadedKeys
    /// The cancellation of a read; nil in a write, which is never interrupted.
    private let cancellation: ReadCancellation?
    private var loadedCatalog: Catalog?
    private(set) var schemaHasChanged = false
    /// The error of the first failed change: a part of it may be applied, so the transaction must be rolled back.
    private(set) var failure: (any Error)?

    init(
        _ db: Database, options: SQLiteOptions, cache: CatalogCache, loadedKeys: LoadedKeys, date: Int64 = 0,
        cancellation: ReadCancellation? = nil
    ) {
        self.date = date
        self.loadedKeys = loadedKeys
        self.cancellation = cancellation
        self.db = db
        self.options = options
        self.cache = cache
    }

    /// Records a modification date that the write has assigned to an entry.
    func note(_ date: Int64) { lastDate = max(lastDate ?? date, date) }

    func catalog() throws -> Catalog {
        if let loadedCatalog { return loadedCatalog }
        let catalog = try cache.catalog(db, isCommitted: !schemaHasChanged)
        loadedCatalog = catalog
        return catalog
    }

    /// Records a schema change.
    ///
    /// Call this after every change of tables, indexes or specs.
    func noteSchemaChange() {
        schemaHasChanged = true
        loadedCatalog = nil
    }

    func table(_ soup: SoupName) throws -> SoupTable {
        let tables = try catalog().tables
        guard let table = tables[soup] else {
            let names = tables.keys.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
            throw SoupError(
                .soupNotFound, "there is no soup \"\(soup)\"",
                hint: names.isEmpty ? "Register the soup first; the store has none." : "Known: \(names).")
        }
        return table
    }

    /// Runs a change of the store; if it throws, the transaction is rolled back, even if the body catches the error.
    func change<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch {
            failure = failure ?? error
            throw error
        }
    }

    /// - Throws: `CancellationError` as well, so that a body of many short queries ends at the next query.
    ///
    /// - Parameter isShared: whether the statement is cached for the next caller; false for one that may run at the
    ///   same time as others of the same text.
    func statement(_ sql: String, isShared: Bool = true) throws -> RawStatement {
        try cancellation?.check()
        return try RawStatement(db, sql, isShared: isShared)
    }

    /// Prepares a statement for an app's Smart SQL, with the SQL that the store adds around it.
    ///
    /// - Parameters:
    ///   - own: the app's part alone.
    ///   - text: the original Smart SQL, and its arguments.
    func statement(
        _ sql: String, around own: String, madeOf text: String, arguments: [JSONValue]
    ) throws -> RawStatement {
        try cancellation?.check()
        let diagnostics = SmartSQLDiagnostics(text: text, converter: try converter(), arguments: arguments)
        do {
            let statement = try RawStatement(once: db, sql, diagnostics: diagnostics)
            try requireReadable(statement, diagnostics: diagnostics)
            return statement
        } catch let error as DatabaseError where error.isAboutText {
            // The error refers to the app's own text, because the app's developer does not know the rest.
            throw diagnostics.error(preparing: own, in: db, otherwise: error.message ?? "\(error.resultCode)")
        }
    }

    /// Returns the converter from Smart SQL to SQL for results.
    func converter() throws -> SQLConverter {
        SQLConverter(
            tables: try catalog().tables, flagsAreNormalized: options.booleanCompatibility, entriesAreWhole: true)
    }
}

/// The options of an open store.
struct SQLiteOptions: Sendable {
    var location: StoreLocation
    var path: String { location.path }
    var booleanCompatibility: Bool
    var fullText: FullTextOptions
    var clock: any SoupClock
    /// Whether the file was opened for reading, because it cannot be written.
    var isReadOnly = false
    var isBulkLoading: @Sendable () -> Bool
}

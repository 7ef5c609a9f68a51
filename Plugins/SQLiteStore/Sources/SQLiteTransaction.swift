// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

/// What a body of `read` or `write` works with: one connection, inside one transaction or snapshot.
///
/// It lives only as long as the body runs. The connections of readers refuse writes, whatever a body does with its
/// reader.
final class SQLiteTransaction {
    let db: Database
    let options: SQLiteOptions
    /// The soups whose entries were changed: told to observers after the commit.
    var changedSoups: Set<SoupName> = []
    private let cache: CatalogCache
    /// What a write needs to know of first loads.
    let loadedKeys: LoadedKeys
    /// Nil in a write, which nothing breaks off.
    private let cancellation: ReadCancellation?
    private var loadedCatalog: Catalog?
    private(set) var schemaHasChanged = false
    /// What the first change that failed threw: part of it may have been made, and the transaction cannot be kept.
    private(set) var failure: (any Error)?

    init(
        _ db: Database, options: SQLiteOptions, cache: CatalogCache, loadedKeys: LoadedKeys,
        cancellation: ReadCancellation? = nil
    ) {
        self.loadedKeys = loadedKeys
        self.cancellation = cancellation
        self.db = db
        self.options = options
        self.cache = cache
    }

    var now: Int64 { options.clock.now }

    func catalog() throws -> Catalog {
        if let loadedCatalog { return loadedCatalog }
        let catalog = try cache.catalog(db, isCommitted: !schemaHasChanged)
        loadedCatalog = catalog
        return catalog
    }

    /// To be called after every change of tables, indexes or specs.
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
                hint: names.isEmpty ? "The store has no soups" : "The store has \(names)")
        }
        return table
    }

    /// Runs a change of the store; one that throws spoils the transaction, even when the body catches the error.
    func change<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch {
            failure = failure ?? error
            throw error
        }
    }

    /// - Throws: `CancellationError` as well: a body of many short queries ends at the next of them.
    ///
    /// - Parameter isShared: whether the statement is kept for the next caller; false for one that other statements of
    ///   the same text may run beside.
    func statement(_ sql: String, isShared: Bool = true) throws -> RawStatement {
        try cancellation?.check()
        return try RawStatement(db, sql, isShared: isShared)
    }

    /// A statement for the Smart SQL that an app wrote, with what the store puts around it.
    ///
    /// - Parameters:
    ///   - own: the app's part alone.
    ///   - text: the Smart SQL that it was made of, and the arguments that came with it.
    func statement(
        _ sql: String, around own: String, madeOf text: String, _ arguments: [JSONValue]
    ) throws -> RawStatement {
        try cancellation?.check()
        let blame = SmartSQLBlame(text: text, converter: try converter(), arguments: arguments)
        do {
            let statement = try RawStatement(once: db, sql, blame)
            try requireReadable(statement, blame)
            return statement
        } catch let error as DatabaseError where error.isAboutText {
            // What is wrong is told by the app's own text: the rest is none of its author's concern.
            throw blame.error(preparing: own, in: db, otherwise: error.message ?? "\(error.resultCode)")
        }
    }

    /// What turns Smart SQL into the SQL that gives its results.
    func converter() throws -> SQLConverter {
        SQLConverter(
            tables: try catalog().tables, flagsAreNormalised: options.booleanCompatibility, entriesAreWhole: true)
    }
}

/// What a store was opened with.
struct SQLiteOptions: Sendable {
    var path: String
    var booleanCompatibility: Bool
    var fullText: FullTextOptions
    var clock: any SoupClock
    /// Whether the file was opened for reading, because it cannot be written.
    var isReadOnly = false
    var isBulkLoading: @Sendable () -> Bool
}

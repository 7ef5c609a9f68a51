// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import GRDBSQLite
internal import SoupCore

/// A statement of GRDB's cache, used through SQLite's C functions so that hot loops bind and step without boxing
/// values.
///
/// Columns are valid until the next step or reset.
struct RawStatement {
    private let statement: Statement
    private let handle: OpaquePointer
    /// Locates errors in an app's own text; nil for statements of the store.
    private let diagnostics: SmartSQLDiagnostics?

    /// Creates a cached statement; for texts of which there are only a few.
    ///
    /// GRDB's cache uses Swift strings as keys, which treat composed and decomposed letters as equal. Therefore texts
    /// with non-ASCII characters are prepared each time.
    ///
    /// - Parameter isShared: false for a separate statement, which a later one with the same text does not reset.
    init(_ db: Database, _ sql: String, isShared: Bool = true) throws {
        let isPlain = isShared && sql.utf8.allSatisfy { $0 < 0x80 }
        statement = try isPlain ? db.cachedStatement(sql: sql) : db.makeStatement(sql: sql)
        handle = statement.sqliteStatement
        diagnostics = nil
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    /// Creates a statement that is not cached; for texts of apps, of which there may be any number.
    init(once db: Database, _ sql: String, diagnostics: SmartSQLDiagnostics) throws {
        statement = try db.makeStatement(sql: sql)
        handle = statement.sqliteStatement
        self.diagnostics = diagnostics
    }

    var isReadOnly: Bool { statement.isReadonly }
    /// The tables that the statement reads, as SQLite's authorizer reported them.
    var region: DatabaseRegion { statement.databaseRegion }
    /// The SQL of the statement.
    var sql: String { statement.sql }
    var parameterCount: Int { Int(sqlite3_bind_parameter_count(handle)) }
    var columnCount: Int { Int(sqlite3_column_count(handle)) }

    func columnName(_ index: Int) -> String {
        sqlite3_column_name(handle, Int32(index)).map { String(cString: $0) } ?? ""
    }

    /// Advances to the next row; returns false at the end.
    func step() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default:
            let error = failure
            sqlite3_reset(handle)
            throw error
        }
    }

    /// Runs a statement that returns no rows, and resets it for the next values.
    func run() throws {
        while try step() {}
        sqlite3_reset(handle)
    }

    func reset() { sqlite3_reset(handle) }

    /// Clears the bindings, so that the bound memory can be released.
    func clear() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    private var failure: any Error {
        let connection = sqlite3_db_handle(handle)
        let code = sqlite3_extended_errcode(connection)
        // The only cause of an interrupt is a read whose task was cancelled.
        if code & 0xFF == SQLITE_INTERRUPT { return CancellationError() }
        let message = sqlite3_errmsg(connection).map { String(cString: $0) } ?? "error \(code)"
        if let diagnostics, code & 0xFF == SQLITE_ERROR { return diagnostics.error(running: message) }
        return SoupError.sqlite(code: code, message: message)
    }

    // MARK: Values in; parameters count from 1.

    func bind(_ value: Int64, at index: Int) { sqlite3_bind_int64(handle, Int32(index), value) }
    func bind(_ value: Double, at index: Int) { sqlite3_bind_double(handle, Int32(index), value) }
    func bindNull(at index: Int) { sqlite3_bind_null(handle, Int32(index)) }

    /// Binds text without a copy; it must stay valid until the statement is reset or bound again.
    ///
    /// - Throws: ``SoupError`` for a text that is longer than SQLite accepts; null is bound instead, which must not be
    ///   stored.
    func bind(unowned text: UnsafeBufferPointer<UInt8>, at index: Int) throws {
        try bind(text, at: index, nil)
    }

    /// Binds a copy of a text.
    ///
    /// - Throws: as ``bind(unowned:at:)``.
    func bind(_ text: [UInt8], at index: Int) throws {
        try text.withUnsafeBufferPointer { try bind($0, at: index, Self.copying) }
    }

    func bind(_ text: String, at index: Int) throws { try bind(Array(text.utf8), at: index) }

    private func bind(
        _ text: UnsafeBufferPointer<UInt8>, at index: Int, _ keeping: sqlite3_destructor_type?
    ) throws {
        let length = try Self.length(text.count)
        guard let start = text.baseAddress, length > 0 else {
            sqlite3_bind_text(handle, Int32(index), "", 0, Self.copying)
            return
        }
        let code = start.withMemoryRebound(to: CChar.self, capacity: text.count) { pointer in
            sqlite3_bind_text(handle, Int32(index), pointer, length, keeping)
        }
        guard code == SQLITE_OK else { throw failure }
    }

    /// Returns a number of bytes as the type that SQLite uses.
    ///
    /// - Throws: ``SoupError`` for 2 GiB and more.
    static func length(_ count: Int) throws -> Int32 {
        guard let length = Int32(exactly: count) else {
            throw SoupError.sqlite(code: SQLITE_TOOBIG, message: "a text of \(count) bytes")
        }
        return length
    }

    /// The constant SQLITE_TRANSIENT, which is -1 as a function pointer and is not imported.
    private static var copying: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    // MARK: Columns out; they count from 0.

    enum ColumnType {
        case null, integer, real, text, blob
    }

    func type(_ column: Int) -> ColumnType {
        switch sqlite3_column_type(handle, Int32(column)) {
        case SQLITE_INTEGER: .integer
        case SQLITE_FLOAT: .real
        case SQLITE_TEXT: .text
        case SQLITE_BLOB: .blob
        default: .null
        }
    }

    func integer(_ column: Int) -> Int64 { sqlite3_column_int64(handle, Int32(column)) }
    func real(_ column: Int) -> Double { sqlite3_column_double(handle, Int32(column)) }

    /// Returns the bytes of a text, or of a blob, in SQLite's memory.
    func bytes(_ column: Int) -> UnsafeBufferPointer<UInt8> {
        guard let start = sqlite3_column_text(handle, Int32(column)) else {
            return UnsafeBufferPointer(start: nil, count: 0)
        }
        return UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, Int32(column))))
    }

    func blob(_ column: Int) -> [UInt8] {
        guard let start = sqlite3_column_blob(handle, Int32(column)) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, Int32(column)))))
    }

    func text(_ column: Int) -> String { String(decoding: bytes(column), as: UTF8.self) }
    func json(_ column: Int) -> JSONText { JSONText(trusted: Array(bytes(column))[...]) }
}

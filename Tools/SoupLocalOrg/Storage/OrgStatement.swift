// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import GRDBSQLite
internal import SoupCore

extension Database {
    /// Returns the cached statement of an SQL text, with values bound to its parameters.
    ///
    /// - Throws: ``SoupError`` with `sql` if SQLite rejects the text, for example because it is nested too deeply.
    func statement(_ sql: String, _ values: [CellValue] = []) throws -> OrgStatement {
        try OrgStatement(sql, values, in: self)
    }
}

/// A cached GRDB statement that is stepped with SQLite's own functions.
///
/// Text is copied from a database page into the response without becoming a string. A text has one statement: do not
/// run the same text again while its statement is being stepped.
struct OrgStatement {
    private let statement: Statement
    private let handle: OpaquePointer

    fileprivate init(_ sql: String, _ values: [CellValue], in db: Database) throws {
        do {
            statement = try db.cachedStatement(sql: sql)
        } catch let error as DatabaseError {
            throw SoupError(.sql, "the local org's database: \(error.message ?? "\(error.resultCode)")")
        }
        handle = statement.sqliteStatement
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
        for (index, value) in values.enumerated() { bind(index + 1, value) }
    }

    /// Binds the parameter at `index`, counted from 1.
    func bind(_ index: Int, _ value: CellValue) {
        switch value {
        case .null: sqlite3_bind_null(handle, Int32(index))
        case .int(let value): sqlite3_bind_int64(handle, Int32(index), value)
        case .real(let value): sqlite3_bind_double(handle, Int32(index), value)
        case .text(let text):
            var text = text
            text.withUTF8 { bytes in
                let copy = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
                // An empty buffer may have no address, which SQLite would take for NULL.
                if let start = bytes.baseAddress {
                    sqlite3_bind_text64(handle, Int32(index), start, UInt64(bytes.count), copy, UInt8(SQLITE_UTF8))
                } else {
                    sqlite3_bind_text(handle, Int32(index), "", 0, copy)
                }
            }
        }
    }

    /// Goes to the next row; false behind the last.
    func step() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE:
            sqlite3_reset(handle)
            return false
        default:
            let text = sqlite3_errmsg(sqlite3_db_handle(handle)).map { String(cString: $0) } ?? "unknown"
            sqlite3_reset(handle)
            throw SoupError(.sql, "the local org's database: \(text)")
        }
    }

    /// Calls `body` for each row.
    func forEach(_ body: (OrgStatement) throws -> Void) throws {
        defer { sqlite3_reset(handle) }
        while try step() { try body(self) }
    }

    /// Returns the result of `body` for the first row; nil if there is no row.
    func first<T>(_ body: (OrgStatement) throws -> T) throws -> T? {
        defer { sqlite3_reset(handle) }
        return try step() ? try body(self) : nil
    }

    func run() throws { while try step() {} }

    func reset() { sqlite3_reset(handle) }

    // MARK: Columns, counted from 0 and valid until the next step

    func isNull(_ column: Int) -> Bool { sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL }
    func int(_ column: Int) -> Int64 { sqlite3_column_int64(handle, Int32(column)) }
    func double(_ column: Int) -> Double { sqlite3_column_double(handle, Int32(column)) }

    func text(_ column: Int) -> String? {
        isNull(column) ? nil : withBytes(column) { String(decoding: $0, as: UTF8.self) }
    }

    /// The UTF-8 of a text column, in place.
    func withBytes<T>(_ column: Int, _ body: (UnsafeBufferPointer<UInt8>) -> T) -> T {
        let start = sqlite3_column_text(handle, Int32(column))
        return body(UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, Int32(column)))))
    }

    func cell(_ column: Int) -> CellValue {
        switch sqlite3_column_type(handle, Int32(column)) {
        case SQLITE_INTEGER: .int(int(column))
        case SQLITE_FLOAT: .real(double(column))
        case SQLITE_TEXT: .text(text(column) ?? "")
        default: .null
        }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDBSQLite

/// A connection to SQLite without caches.
final class RawSQLite {
    let handle: OpaquePointer

    init(_ path: String) throws {
        var handle: OpaquePointer?
        guard sqlite3_open(path, &handle) == SQLITE_OK, let handle else {
            sqlite3_close(handle)
            throw ContestantError("cannot open \(path)")
        }
        self.handle = handle
        // A contestant's own connection may still be closing.
        sqlite3_busy_timeout(handle, 30_000)
    }

    deinit { sqlite3_close(handle) }

    enum Value {
        case null
        case integer(Int64)
        case real(Double)
        case text(String)
    }

    /// Prepares a statement, binds the values, reads at most `limit` rows, and finalizes the statement, at every call.
    @discardableResult
    func run(_ sql: String, _ values: [Value] = [], limit: Int = .max) throws -> [[Value]] {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw failure(sql) }
        defer { sqlite3_finalize(statement) }
        for (index, value) in values.enumerated() { bind(value, to: statement, at: Int32(index + 1)) }
        var rows: [[Value]] = []
        while rows.count < limit {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: rows.append((0..<sqlite3_column_count(statement)).map { column($0, of: statement) })
            case SQLITE_DONE: return rows
            default: throw failure(sql)
            }
        }
        return rows
    }

    /// Returns the first column of all rows in which it is text.
    func texts(_ sql: String) throws -> [String] {
        try run(sql).compactMap { row in if case .text(let text)? = row.first { text } else { nil } }
    }

    private func bind(_ value: Value, to statement: OpaquePointer?, at position: Int32) {
        switch value {
        case .null: sqlite3_bind_null(statement, position)
        case .integer(let value): sqlite3_bind_int64(statement, position, value)
        case .real(let value): sqlite3_bind_double(statement, position, value)
        case .text(let text):
            // SQLite copies the text before the call returns (SQLITE_TRANSIENT, a macro that Swift does not import).
            let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
            sqlite3_bind_text(statement, position, text, Int32(text.utf8.count), transient)
        }
    }

    private func column(_ position: Int32, of statement: OpaquePointer?) -> Value {
        switch sqlite3_column_type(statement, position) {
        case SQLITE_INTEGER: .integer(sqlite3_column_int64(statement, position))
        case SQLITE_FLOAT: .real(sqlite3_column_double(statement, position))
        case SQLITE_NULL: .null
        default: .text(sqlite3_column_text(statement, position).map { String(cString: $0) } ?? "")
        }
    }

    private func failure(_ sql: String) -> ContestantError {
        ContestantError("\(String(cString: sqlite3_errmsg(handle))) in \(sql)")
    }
}

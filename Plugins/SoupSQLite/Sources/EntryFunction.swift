// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import GRDBSQLite
internal import SoupCore

/// The SQL function that returns a row's whole entry: its JSON with the system fields added.
///
/// Entries are stored without the system fields, so that a write never changes the server's values. Smart SQL that
/// selects `_soup`, or reads a part of it, sees these fields as on the mobile platforms.
enum EntryFunction {
    static let name = "soup_entry"

    static func register(in db: Database) throws {
        let code = sqlite3_create_function_v2(
            db.sqliteConnection, name, 3, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
            { context, count, values in
                guard let context, let values, count == 3 else { return }
                guard let start = sqlite3_value_text(values[0]) else {
                    sqlite3_result_null(context)
                    return
                }
                let stored = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(values[0])))
                // Only an app that calls the function itself can pass a value that is not an entry.
                guard stored.first == UInt8(ascii: "{"), stored.last == UInt8(ascii: "}") else {
                    sqlite3_result_value(context, values[0])
                    return
                }
                let entry = SoupEntry(
                    id: sqlite3_value_int64(values[1]), version: sqlite3_value_int64(values[2]),
                    stored: JSONText(trusted: Array(stored)[...]))
                entry.json.bytes.withUnsafeBufferPointer { text in
                    guard let start = text.baseAddress else { return }
                    guard let length = try? RawStatement.length(text.count) else {
                        return sqlite3_result_error_toobig(context)
                    }
                    start.withMemoryRebound(to: CChar.self, capacity: text.count) { pointer in
                        sqlite3_result_text(
                            context, pointer, length, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
                    }
                }
            }, nil, nil, nil)
        guard code == SQLITE_OK else {
            throw SoupError(.storeUnusable, "SQLite cannot add a function: error \(code)")
        }
    }
}

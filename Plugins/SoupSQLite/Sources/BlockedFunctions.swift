// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import GRDBSQLite
internal import SoupCore

/// The SQL functions of SQLite that queries must not call.
///
/// `fts3_tokenizer` returns a memory address of the process, and `load_extension` runs a library. Each is replaced by a
/// function that fails.
enum BlockedFunctions {
    /// Blocks the functions on a connection.
    static func block(in db: Database) throws {
        for arity in 1...2 as ClosedRange<Int32> {
            try replace("fts3_tokenizer", arity: arity, in: db) { context, _, _ in
                sqlite3_result_error(context, "the function fts3_tokenizer() is not available", -1)
            }
            try replace("load_extension", arity: arity, in: db) { context, _, _ in
                sqlite3_result_error(context, "the function load_extension() is not available", -1)
            }
        }
    }

    private static func replace(
        _ name: String, arity: Int32, in db: Database,
        by function:
            @convention(c) (
                OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?
            ) -> Void
    ) throws {
        let code = sqlite3_create_function_v2(
            db.sqliteConnection, name, arity, SQLITE_UTF8, nil, function, nil, nil, nil)
        guard code == SQLITE_OK else {
            throw SoupError(.storeUnusable, "SQLite cannot replace the function \(name): error \(code)")
        }
    }
}

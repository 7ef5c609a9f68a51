// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDBSQLite
internal import SoupSQLite
internal import SoupCore

/// A store with soups with every kind of index, and separate connections to its file for checks by SQLite.
final class SampleStore: Sendable {
    let store: SQLiteStore
    private let folder: String

    init() async throws {
        folder = NSTemporaryDirectory() + "fuzz-\(ProcessInfo.processInfo.processIdentifier)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        store = try await SQLiteStore.open(.init(path: folder + "/store.sqlite"))
        try await store.write { writer in
            let flags = EntryField.localFlags.map { IndexSpec(JSONPath($0), .string) }
            try writer.registerSoup(
                "contacts",
                [
                    IndexSpec("Id", .string), IndexSpec("Name", .string), IndexSpec("Age", .integer),
                    IndexSpec("Size", .floating), IndexSpec("Text", .fullText), IndexSpec("a.b", .json1),
                ] + flags)
            try writer.registerSoup("notes", [IndexSpec("key", .string)])
            let record = #"{"Id": "1", "Name": "Adler", "Age": 3, "Size": 1.5, "Text": "a b", "a": {"b": 1}}"#
            try writer.upsert(RecordBatch([try JSONText(record)]), into: "contacts")
            try writer.upsert(RecordBatch([try JSONText(#"{"key": "\#(Self.secret)"}"#)]), into: "notes")
        }
    }

    /// A value of the soup `notes`, which no query spec over `contacts` can return.
    static let secret = "kept-in-notes"

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Prepares a query in the same way as a read does.
    func plan(of spec: QuerySpec) async throws { _ = try await store.read { try $0.plan(of: spec, arguments: []) } }

    /// Returns the rows of a query as texts, and its count.
    func result(of spec: QuerySpec) async throws -> (rows: [String], count: Int) {
        try await store.read { reader in
            (try reader.query(spec).texts.map(\.description), try reader.count(spec))
        }
    }

    /// Returns whether SQLite reports that a text is a read-only statement; nil if it is not a statement.
    func onlyReads(_ sql: String) throws -> Bool? {
        var database: OpaquePointer?
        defer { sqlite3_close(database) }
        guard sqlite3_open_v2(store.url.path, &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
            throw Violation("the store's file cannot be opened")
        }
        let bytes = Array(sql.utf8)
        return bytes.withUnsafeBufferPointer { bytes -> Bool? in
            var statement: OpaquePointer?
            defer { sqlite3_finalize(statement) }
            let text = UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
            guard sqlite3_prepare_v2(database, text, Int32(bytes.count), &statement, nil) == SQLITE_OK, statement != nil
            else { return nil }
            return sqlite3_stmt_readonly(statement) != 0
        }
    }
}

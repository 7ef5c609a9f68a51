// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import GRDBSQLite
internal import SoupCore

/// Converts SQLite's errors about Smart SQL to errors that refer to the app's own text.
struct SmartSQLDiagnostics {
    let text: String
    let converter: SQLConverter
    let arguments: [JSONValue]

    /// Returns the error for a text whose SQL SQLite does not prepare.
    ///
    /// - Parameters:
    ///   - sql: the converted text alone: with the SQL that the store adds around it, SQLite may report another error.
    ///   - message: SQLite's message for the whole.
    func error(preparing sql: String, in db: Database, otherwise message: String) -> SoupError {
        guard let query = try? SmartSQL(text) else { return .refused(message, at: nil) }
        guard let fault = Fault(preparing: sql, in: db) else {
            return explained(message, in: query) ?? .refused(message, at: place(message, in: query))
        }
        if let error = explained(fault.message, in: query) { return error }
        guard let offset = fault.offset, let (column, reference) = source(ofByte: offset, in: query) else {
            return .refused(fault.message, at: place(fault.message, in: query))
        }
        let message = reference.map { fault.message(replacing: $0.sql, with: $0.source) } ?? fault.message
        return .refused(message, at: query.place(ofByte: column))
    }

    /// Returns the error for a query that fails while it runs.
    func error(running message: String) -> SoupError {
        guard let query = try? SmartSQL(text) else { return .refused(message, at: nil) }
        return explained(message, in: query) ?? .refused(message, at: place(message, in: query))
    }

    /// Returns the error for a query that reads a table which apps must not read.
    func error(reading table: String) -> SoupError {
        let found = (try? SmartSQL(text)).flatMap { query in
            query.names.first { $0.text.lowercased() == table.lowercased() }.map { query.place(ofByte: $0.column) }
        }
        return SoupError(
            .sql, "the Smart SQL was refused: \(table) is not a table of a soup", place: found,
            hint: "Read only soups, soup_attrs and soup_index_map, and write soups in braces: {soup}.")
    }

    // MARK: Faults of searches

    /// Returns the error for a message about the tables and columns of full text, in terms of soups; nil for others.
    private func explained(_ message: String, in query: SmartSQL) -> SoupError? {
        guard let name = Self.name(in: message) else { return nil }
        if message.hasPrefix("no such table: "),
            let table = converter.tables.values.first(where: { $0.fullTextTable == name && !$0.hasFullText })
        {
            let first = query.pieces.lazy.compactMap { piece -> Int? in
                if case .reference(let reference) = piece, reference.soup == table.name, reference.path == nil {
                    reference.column
                } else {
                    nil
                }
            }
            return SoupError.withoutFullText(table).at(query.place(ofByte: first.last ?? 1))
        }
        guard message.hasPrefix("no such column: ") else { return nil }
        for case .reference(let reference) in query.pieces where reference.isInMatchKey {
            guard let path = reference.path, let table = converter.tables[reference.soup],
                table.columns.contains(where: { $0.name == name && $0.path == path })
            else { continue }
            return SoupError(
                .sql, "\(reference.source) is not a full_text path of the soup that the MATCH searches",
                place: query.place(ofByte: reference.column),
                hint: "Use full_text paths of the soup whose _fts table is before MATCH.")
        }
        return nil
    }

    // MARK: From SQL back to Smart SQL

    /// Returns the place in the query of an offset in the SQL; for a reference also the SQL that replaces it.
    private func source(
        ofByte offset: Int, in query: SmartSQL
    ) -> (column: Int, reference: (sql: String, source: String)?)? {
        var (converted, written) = (0, 0)
        for piece in query.pieces {
            guard let part = try? converter.part(for: piece, in: query) else { return nil }
            let sql = SQLConversion(parts: [part], entryColumns: []).statement(arguments).sql
            if offset < converted + sql.utf8.count {
                switch piece {
                case .text: return (written + offset - converted + 1, nil)
                case .reference: return (written + 1, (sql, piece.source))
                case .flag, .flagParameter: return (written + 1, nil)
                }
            }
            converted += sql.utf8.count
            written += piece.source.utf8.count
        }
        return nil
    }

    // MARK: From SQLite's messages to Smart SQL

    /// Returns the place of the name in a message; nil if the text does not contain it.
    private func place(_ message: String, in query: SmartSQL) -> SoupError.Place? {
        if message == "incomplete input" { return query.place(ofByte: query.text.utf8.count + 1) }
        let names = query.names
        if let name = Self.name(in: message),
            let found = names.first(where: { $0.text.lowercased() == name.lowercased() })
        {
            return query.place(ofByte: found.column)
        }
        // Errors that only a running query finds: in the search text, or in invalid JSON.
        if message.hasPrefix("fts5: ") || message.hasPrefix("no such column: ")
            || message.hasPrefix("unterminated string") || message.hasPrefix("unable to use function MATCH")
        {
            return only(names.filter { $0.text.lowercased() == "match" }, of: query)
        }
        if message.contains("JSON") { return only(names.filter { $0.text.lowercased().hasPrefix("json") }, of: query) }
        return nil
    }

    private func only(_ names: [SmartSQL.Name], of query: SmartSQL) -> SoupError.Place? {
        names.count == 1 ? query.place(ofByte: names[0].column) : nil
    }

    /// Returns the name in `no such table: main.x`, `near "x": syntax error` or `wrong number of arguments to function
    /// x()`.
    private static func name(in message: String) -> String? {
        let quoted = message.split(separator: "\"", omittingEmptySubsequences: false)
        if quoted.count >= 3 { return String(quoted[1]) }
        guard let last = message.split(separator: " ").last else { return nil }
        let plain = last.hasSuffix("()") ? last.dropLast(2) : last
        return plain.split(separator: ".").last.map(String.init)
    }
}

/// SQLite's error for SQL that it cannot prepare.
private struct Fault {
    var message: String
    /// The offset in bytes; nil if SQLite does not report one.
    var offset: Int?

    /// Returns nil if the text itself has no error.
    init?(preparing sql: String, in db: Database) {
        let connection = db.sqliteConnection
        var found: Fault?
        sql.withCString { start in
            var statement: OpaquePointer?
            var tail: UnsafePointer<CChar>?
            defer { sqlite3_finalize(statement) }
            guard sqlite3_prepare_v2(connection, start, -1, &statement, &tail) & 0xFF == SQLITE_ERROR else {
                if let tail, statement != nil, tail.pointee != 0 {
                    found = Fault(message: "it is more than one statement", offset: tail - start)
                }
                return
            }
            let offset = Int(sqlite3_error_offset(connection))
            found = Fault(
                message: sqlite3_errmsg(connection).map { String(cString: $0) } ?? "SQL error",
                offset: offset < 0 ? nil : offset)
        }
        guard let found else { return nil }
        self = found
    }

    /// Returns the message with the app's reference in place of its SQL.
    ///
    /// A path without an index becomes a function call on the column with the whole entry, and SQLite names that
    /// column.
    func message(replacing sql: String, with source: String) -> String {
        for start in ["no such column: ", "ambiguous column name: "] where message.hasPrefix(start) {
            return start + source
        }
        return message.replacing(sql, with: source)
    }

    private init(message: String, offset: Int?) {
        self.message = message
        self.offset = offset
    }
}

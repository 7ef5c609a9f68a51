// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A Smart SQL query, converted to SQL for one version of the schema.
struct SQLConversion: Sendable {
    enum Part: Sendable {
        case sql(String)
        /// A `?` that is compared with a local flag. A Boolean value is inserted as a literal, because SQLite cannot
        /// use the index over raised flags with a bound value.
        case flagParameter(ordinal: Int, whenTrue: String, whenFalse: String)
    }

    var parts: [Part]
    /// The names of result columns that contain a whole entry, as SQLite names a column without an alias.
    var entryColumns: Set<String>

    /// Whether the SQL depends on the arguments.
    var dependsOnArguments: Bool { parts.count > 1 }

    /// Returns the SQL, and the arguments to bind.
    func statement(_ arguments: [JSONValue]) -> (sql: String, arguments: [JSONValue]) {
        var sql = ""
        var written: Set<Int> = []
        for part in parts {
            switch part {
            case .sql(let text): sql += text
            case .flagParameter(let ordinal, let whenTrue, let whenFalse):
                guard ordinal < arguments.count, let value = arguments[ordinal].spelledTruth else {
                    sql += "?"
                    continue
                }
                sql += value ? whenTrue : whenFalse
                written.insert(ordinal)
            }
        }
        return (sql, arguments.indices.filter { !written.contains($0) }.map { arguments[$0] })
    }
}

extension JSONValue {
    /// The Boolean value of a flag in any of its spellings; nil for any other value.
    var spelledTruth: Bool? {
        switch self {
        case .bool(let value): value
        case .int(1), .string("1"), .string("true"): true
        case .int(0), .string("0"), .string("false"): false
        default: nil
        }
    }
}

/// Replaces the references of Smart SQL with tables and columns.
struct SQLConverter {
    let tables: [SoupName: SoupTable]
    /// Whether flags may be compared with any spelling of true and false.
    let flagsAreNormalized: Bool
    /// Whether `{soup:_soup}` becomes a call that adds the system fields, as results need it, or the plain column.
    let entriesAreWhole: Bool

    func convert(_ query: SmartSQL) throws -> SQLConversion {
        var conversion = SQLConversion(parts: [], entryColumns: [])
        var text = ""
        for piece in query.pieces {
            let part = try self.part(for: piece, in: query)
            guard case .sql(let sql) = part else {
                conversion.parts += [.sql(text), part]
                text = ""
                continue
            }
            text += sql
            if entriesAreWhole, case .reference(let reference) = piece, reference.path?.rawValue == EntryField.whole {
                conversion.entryColumns.insert(sql)
            }
        }
        conversion.parts.append(.sql(text))
        return conversion
    }

    /// Returns the SQL for a part of the query.
    func part(for piece: SmartSQL.Piece, in query: SmartSQL) throws -> SQLConversion.Part {
        switch piece {
        case .text(let plain): return .sql(plain)
        case .reference(let reference): return .sql(try sql(for: reference, in: query))
        case .flag(let literal, let value, let reference):
            guard flagsAreNormalized else { return .sql(literal) }
            let table = try table(reference.soup, column: reference.column, in: query)
            return .sql(table.flagLiteral(value, at: JSONPath(EntryField.local(reference))))
        case .flagParameter(let source, let ordinal, let reference):
            guard flagsAreNormalized else { return .sql(source) }
            let table = try table(reference.soup, column: reference.column, in: query)
            let path = JSONPath(EntryField.local(reference))
            return .flagParameter(
                ordinal: ordinal, whenTrue: table.flagLiteral(true, at: path),
                whenFalse: table.flagLiteral(false, at: path))
        }
    }

    private func table(_ soup: SoupName, column: Int, in query: SmartSQL) throws -> SoupTable {
        guard let table = tables[soup] else {
            let names = tables.keys.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
            throw SoupError(
                .unknownSoup, "unknown soup \"\(soup)\"", place: query.place(ofByte: column),
                hint: names.isEmpty ? "Register the soup first; the store has none." : "Known: \(names).")
        }
        return table
    }

    private func sql(for reference: SmartSQL.Reference, in query: SmartSQL) throws -> String {
        let table = try table(reference.soup, column: reference.column, in: query)
        guard let path = reference.path else { return table.table }
        if reference.isInMatchKey { return try matchColumn(path, of: table, query.place(ofByte: reference.column)) }
        let qualifier: String? =
            switch reference.qualifier {
            case .name(let name)?: name
            case .soup(let soup, let column)?: try self.table(soup, column: column, in: query).table
            case nil: nil
            }
        if entriesAreWhole, path.rawValue == EntryField.whole {
            let row = qualifier ?? table.table
            return "\(EntryFunction.name)(\(row).soup, \(row).id, \(row).lastModified)"
        }
        return table.expression(path, qualifier: qualifier)
    }

    /// Returns the column that a search names.
    ///
    /// SQLite reports a column that is not searchable; this method reports a name that is not a column.
    private func matchColumn(
        _ path: JSONPath, of table: SoupTable, _ place: @autoclosure () -> SoupError.Place
    ) throws -> String {
        let column = table.fullTextColumns.first { $0.path == path } ?? table.columns.first { $0.path == path }
        guard let column else {
            throw SoupError.notSearchable(path, in: table).at(place())
        }
        return column.name
    }
}

extension SoupError {
    /// Returns the error of a search in a soup without a full-text index.
    static func withoutFullText(_ table: SoupTable) -> SoupError {
        SoupError(
            .sql, "soup \"\(table.name)\" has no full_text index to search",
            hint: "Add a full_text index on one of its paths, or use a like query.")
    }

    static func notSearchable(_ path: JSONPath, in table: SoupTable) -> SoupError {
        let paths = table.fullTextColumns.map { "\"\($0.path)\"" }.joined(separator: ", ")
        return SoupError(
            .sql, "\"\(path)\" is not a full_text path of soup \"\(table.name)\"",
            hint: paths.isEmpty ? "Add a full_text index to the soup." : "Use one of its full_text paths: \(paths).")
    }
}

extension EntryField {
    /// Returns the flag that a reference names.
    fileprivate static func local(_ reference: SmartSQL.Reference) -> String { reference.path?.rawValue ?? local }
}

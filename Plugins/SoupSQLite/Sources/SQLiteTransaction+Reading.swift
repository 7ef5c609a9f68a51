// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

extension SQLiteTransaction: StoreReader {
    func soupNames() throws -> [SoupName] { try catalog().tables.keys.sorted() }

    /// Returns the identity of the file and the number of the soup's table, which the file never assigns again.
    func generation(of soup: SoupName) throws -> String { "\(try catalog().identity)-\(try table(soup).number)" }

    func indexSpecs(of soup: SoupName) throws -> [IndexSpec] { try table(soup).specs }

    func retrieve(_ ids: [Int64], from soup: SoupName) throws -> [SoupEntry] {
        let table = try table(soup)
        let select = try statement("SELECT id, lastModified, soup FROM \(table.table) WHERE id = ?")
        defer { select.clear() }
        var entries = EntryCollector(limit: ids.count)
        for id in Set(ids).sorted() {
            select.reset()
            select.bind(id, at: 1)
            if try select.step() { entries.append(select) }
        }
        return entries.finish()
    }

    func lookup(_ value: JSONValue, at path: JSONPath, in soup: SoupName) throws -> Int64? {
        let table = try table(soup)
        try path.requireValid()
        guard path.rawValue == EntryField.entryId || table.spec(of: path) != nil else {
            throw SoupError.indexNotDefined(path, in: table)
        }
        let select = try statement("SELECT id FROM \(table.table) WHERE \(table.expression(path)) = ? LIMIT 2")
        defer { select.clear() }
        try select.bind(value, comparedWith: table.kind(of: path), at: 1)
        guard try select.step() else { return nil }
        let id = select.integer(0)
        if try select.step() { throw SoupError.notUnique("\(value)", at: path, in: table) }
        return id
    }

    func dirtyIds(in soup: SoupName) throws -> [Int64] {
        let table = try table(soup)
        let select = try statement("SELECT id FROM \(table.table) WHERE \(table.localCondition(true)) ORDER BY id")
        defer { select.clear() }
        var ids: [Int64] = []
        while try select.step() { ids.append(select.integer(0)) }
        return ids
    }

    func cleanValues(at path: JSONPath, in soup: SoupName, writtenBy syncId: Int64?) throws -> [(
        id: Int64, value: String
    )] {
        let table = try table(soup)
        try path.requireValid()
        let syncPath = JSONPath(EntryField.syncId)
        let restriction = syncId == nil ? "" : " AND \(table.expression(syncPath)) = ?"
        let select = try statement(
            "SELECT id, CAST(\(table.expression(path)) AS TEXT) FROM \(table.table) "
                + "WHERE \(table.localCondition(false)) AND \(table.expression(path)) IS NOT NULL\(restriction) "
                + "ORDER BY id")
        defer { select.clear() }
        if let syncId { try select.bind(.int(syncId), comparedWith: table.kind(of: syncPath), at: 1) }
        var values: [(id: Int64, value: String)] = []
        while try select.step() { values.append((select.integer(0), select.text(1))) }
        return values
    }
}

extension RawStatement {
    /// Binds a key so that it equals the column value of the same JSON value.
    func bind(_ value: JSONValue, comparedWith kind: IndexSpec.Kind, at index: Int) throws {
        switch value {
        case .bool(let truth):
            switch kind {
            case .string, .fullText: try bind(truth ? "true" : "false", at: index)
            case .integer, .floating, .json1: bind(truth ? 1 : 0 as Int64, at: index)
            }
        case .number(let number):
            // Converts the number as the column stores it, which may differ from SQLite's own conversion.
            let key = IndexValue(number, for: kind)
            try bind(key: kind == .floating ? FloatingKey.rounded(key, from: Self.none) : key, at: index)
        default: try bind(kind == .floating ? FloatingKey.rounded(value) : value, at: index)
        }
    }

    /// Binds a value in the form that `json_extract` returns.
    func bind(_ value: JSONValue, at index: Int) throws {
        switch value {
        case .null: bindNull(at: index)
        case .bool(let truth): bind(truth ? 1 : 0 as Int64, at: index)
        case .int(let number): bind(number, at: index)
        case .double(let number): bind(number, at: index)
        case .number(let number): try bind(key: IndexValue(number, for: .json1), at: index)
        case .string(let text): try bind(text, at: index)
        case .array, .object: try bind(Array(value.jsonText().bytes), at: index)
        }
    }

    /// Binds a value that does not refer to a record.
    private func bind(key: IndexValue, at index: Int) throws { try bind(key, from: Self.none, at: index) }

    private static var none: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: nil, count: 0) }
}

extension SoupError {
    static func indexNotDefined(_ path: JSONPath, in table: SoupTable) -> SoupError {
        SoupError(
            .indexNotDefined, "soup \"\(table.name)\" does not have an index on \"\(path)\"",
            hint:
                "Use one of the indexed paths, or add an index: \(table.specs.map { "\"\($0.path)\"" }.joined(separator: ", "))."
        )
    }

    static func notUnique(_ value: String, at path: JSONPath, in table: SoupTable) -> SoupError {
        SoupError(
            .notUnique, "more than one entry of soup \"\(table.name)\" has \(value) at \"\(path)\"",
            hint: "Remove all but one of them.")
    }
}

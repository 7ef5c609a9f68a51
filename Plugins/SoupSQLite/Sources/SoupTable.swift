// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A soup in the database: its table, and the storage of each path.
struct SoupTable: Sendable {
    let number: Int64
    let name: SoupName
    let specs: [IndexSpec]
    /// The number of each spec, which names its column and its index: its position when the soup was registered, or the
    /// free number that it got when it was added later.
    let numbers: [Int]
    /// Whether a first load has deferred its indexes.
    let indexesAreDeferred: Bool
    /// The specs that have a column of their own, in order.
    let columns: [IndexColumn]
    /// The specs that match queries search.
    let fullTextColumns: [IndexColumn]

    /// - Parameter numbers: one for each spec, without duplicates; nil for their positions.
    init(
        number: Int64, name: SoupName, specs: [IndexSpec], numbers: [Int]? = nil, indexesAreDeferred: Bool = false
    ) {
        let numbers = numbers ?? Array(specs.indices)
        self.number = number
        self.name = name
        self.specs = specs
        self.numbers = numbers
        self.indexesAreDeferred = indexesAreDeferred
        columns = zip(specs, numbers).filter { $0.0.kind != .json1 }.map { spec, suffix in
            IndexColumn(name: "TABLE_\(number)_\(suffix)", path: spec.path, kind: spec.kind)
        }
        fullTextColumns = columns.filter { $0.kind == .fullText }
    }

    var table: String { "TABLE_\(number)" }
    var fullTextTable: String { "TABLE_\(number)_fts" }
    var hasFullText: Bool { !fullTextColumns.isEmpty }

    /// Returns the first spec of a path; a path that is registered twice uses the first.
    func spec(of path: JSONPath) -> IndexSpec? { specs.first { $0.path == path } }

    /// Returns the position, among ``columns``, of the column that stores a path.
    func columnPosition(of path: JSONPath) -> Int? { columns.firstIndex { $0.path == path } }

    /// Returns the column of a spec for `soup_index_map`: a name, or the expression of a json1 spec.
    func columnName(ofSpecAt position: Int) -> String {
        specs[position].kind == .json1
            ? Self.jsonExpression(specs[position].path, of: "soup") : "\(table)_\(numbers[position])"
    }

    /// Returns the SQL for the value at a path.
    ///
    /// - Parameter qualifier: the alias or table before it; nil for none. System columns are always qualified.
    func expression(_ path: JSONPath, qualifier: String? = nil) -> String {
        if let system = Self.systemColumn(path) { return "\(qualifier ?? table).\(system)" }
        if let position = columnPosition(of: path) {
            return (qualifier.map { "\($0)." } ?? "") + columns[position].name
        }
        return Self.jsonExpression(path, of: (qualifier.map { "\($0)." } ?? "") + "soup")
    }

    /// Returns the column of a system field; nil for paths of the entry itself.
    static func systemColumn(_ path: JSONPath) -> String? {
        switch path.rawValue {
        case EntryField.entryId: "id"
        case EntryField.lastModified: "lastModified"
        case EntryField.created: "created"
        case EntryField.whole: "soup"
        default: nil
        }
    }

    static func jsonExpression(_ path: JSONPath, of column: String) -> String {
        "json_extract(\(column), \(SmartSQL.literal("$.\(path)")))"
    }

    /// Returns the storage kind of the value of ``expression(_:qualifier:)``; `json1` if it has no column.
    func kind(of path: JSONPath) -> IndexSpec.Kind { columnPosition(of: path).map { columns[$0].kind } ?? .json1 }

    /// Returns the SQL literal of a stored flag: `'true'` in text columns, 1 elsewhere.
    static func flagLiteral(_ value: Bool, in kind: IndexSpec.Kind) -> String {
        switch kind {
        case .string, .fullText: value ? "'true'" : "'false'"
        case .integer, .floating, .json1: value ? "1" : "0"
        }
    }

    /// Returns the SQL literal for comparing a flag with ``expression(_:qualifier:)``.
    func flagLiteral(_ value: Bool, at path: JSONPath) -> String { Self.flagLiteral(value, in: kind(of: path)) }

    /// Returns the condition for entries with local changes (true), or with flags but without changes (false).
    func localCondition(_ value: Bool) -> String {
        let path = JSONPath(EntryField.local)
        if spec(of: path) != nil { return "\(expression(path)) = \(flagLiteral(value, at: path))" }
        return "json_type(soup, '$.\(EntryField.local)') = '\(value)'"
    }
}

/// A path with a column of its own.
struct IndexColumn: Sendable, Hashable {
    let name: String
    let path: JSONPath
    let kind: IndexSpec.Kind

    /// The declared type, which determines how SQLite converts bound values.
    var type: String { kind.columnType ?? "TEXT" }
}

extension IndexSpec.Kind {
    /// The declared type of a column for values of the kind; nil for json1, which has no column.
    var columnType: String? {
        switch self {
        case .integer: "INTEGER"
        case .floating: "REAL"
        case .string, .fullText: "TEXT"
        case .json1: nil
        }
    }
}

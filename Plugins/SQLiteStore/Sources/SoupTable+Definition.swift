// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The statements that make a soup's table and its indexes.
extension SoupTable {
    /// One `CREATE INDEX` with what it serves.
    struct Index: Hashable {
        let name: String
        let statement: String
        /// The path that it makes searchable; nil for the system columns.
        let path: JSONPath?
        /// How values are kept there; nil for the system columns.
        let kind: IndexSpec.Kind?
        /// Whether it is left out while a first load runs.
        ///
        /// Indexes over raised flags only cost nothing and stay.
        let isDeferrable: Bool
    }

    /// Ids are handed out by our own counter, so the table does without AUTOINCREMENT.
    var createTable: String {
        let columns = columns.map { ", \($0.name) \($0.type)" }.joined()
        return
            "CREATE TABLE \(table) (id INTEGER PRIMARY KEY, soup TEXT, created INTEGER, lastModified INTEGER\(columns))"
    }

    /// The search index takes its text from the soup's columns and keeps no copy.
    func createFullText(_ options: FullTextOptions) -> String? {
        guard hasFullText else { return nil }
        let names = fullTextColumns.map(\.name).joined(separator: ",")
        return "CREATE VIRTUAL TABLE \(fullTextTable) USING "
            + "fts5(\(names), content='\(table)', content_rowid='id'\(options.clauses))"
    }

    var indexes: [Index] {
        ["created", "lastModified"].map { column in
            Index(
                name: "\(table)_\(column)_idx",
                statement: "CREATE INDEX IF NOT EXISTS \(table)_\(column)_idx ON \(table) ( \(column) )", path: nil,
                kind: nil, isDeferrable: true)
        } + specs.indices.compactMap(index(ofSpecAt:))
    }

    /// Full text has no index but its search index.
    ///
    /// A local flag has one over the entries on which it is raised.
    private func index(ofSpecAt position: Int) -> Index? {
        let spec = specs[position]
        guard spec.kind != .fullText else { return nil }
        let name = "\(table)_\(numbers[position])_idx"
        let column = columnName(ofSpecAt: position)
        let isFlag = EntryField.localFlags.contains(spec.path.rawValue)
        let condition = isFlag ? " WHERE \(column) = \(Self.flagLiteral(true, in: spec.kind))" : ""
        return Index(
            name: name, statement: "CREATE INDEX IF NOT EXISTS \(name) ON \(table) ( \(column) )\(condition)",
            path: spec.path, kind: spec.kind, isDeferrable: !isFlag)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The statements that create a soup's table and its indexes.
extension SoupTable {
    /// One `CREATE INDEX` statement and its purpose.
    struct Index: Hashable {
        let name: String
        let statement: String
        /// The path of the index; nil for the system columns.
        let path: JSONPath?
        /// The storage kind of the values; nil for the system columns.
        let kind: IndexSpec.Kind?
        /// Whether the index is omitted during a first load.
        ///
        /// Indexes over only the raised flags have no cost, and those of the times grow only at their end: building
        /// them later costs more, because each of them reads the whole table again.
        let isDeferrable: Bool
    }

    /// The statement that creates the table; without AUTOINCREMENT, because SoupKit has its own ID counter.
    var createTable: String {
        let columns = columns.map { ", \($0.name) \($0.type)" }.joined()
        return
            "CREATE TABLE \(table) (id INTEGER PRIMARY KEY, soup TEXT, created INTEGER, lastModified INTEGER\(columns))"
    }

    /// Returns the statement for the search index, which reads its text from the soup's columns and stores no copy.
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
                kind: nil, isDeferrable: false)
        } + specs.indices.compactMap(index(ofSpecAt:))
    }

    /// Returns the index of a spec; nil for full text, which has only its search index.
    ///
    /// A local flag has an index over the entries whose flag is raised.
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

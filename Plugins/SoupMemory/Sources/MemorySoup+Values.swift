// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The values of a soup's entries at a path, for any kind of index.
struct PathValueReader {
    private enum Source {
        case id, lastModified, created, whole
        case column(Int)
        case extraction(JSONExtraction)
    }

    private let source: Source
    /// The storage kind of the values; json1 if the path has no column of its own.
    let kind: IndexSpec.Kind
    /// The affinity to which keys are converted before they are compared with the values.
    let affinity: Affinity

    /// - Throws: ``SoupError`` with `sql` for a path that has no column and that `json_extract` cannot read.
    init(_ path: JSONPath, of soup: MemorySoup) throws {
        let column = soup.specs.firstIndex { $0.path == path && $0.kind != .json1 }
        switch path.rawValue {
        case EntryField.entryId: (source, kind, affinity) = (.id, .json1, .integer)
        case EntryField.lastModified: (source, kind, affinity) = (.lastModified, .json1, .integer)
        case EntryField.created: (source, kind, affinity) = (.created, .json1, .integer)
        case EntryField.whole: (source, kind, affinity) = (.whole, .json1, .none)
        default:
            if let column {
                kind = soup.specs[column].kind
                (source, affinity) = (.column(column), kind.affinity)
            } else {
                (source, kind, affinity) = (.extraction(try JSONExtraction(path)), .json1, .none)
            }
        }
    }

    func value(of row: MemoryRow) -> StorageValue {
        switch source {
        case .id: .integer(row.id)
        case .lastModified: .integer(row.lastModified)
        case .created: .integer(row.created)
        case .whole: .text(Array(row.entry.json.bytes))
        case .column(let position): row.values[position]
        case .extraction(let extraction): StorageValue(extraction, in: row.text)
        }
    }

    /// Returns a key in the form that is compared with the values.
    func key(_ value: JSONValue) -> StorageValue { StorageValue(key: value, kind: kind).converted(to: affinity) }

    /// Returns the value that a record would have at the path.
    func value(ofRecord text: JSONText, spec: IndexSpec) -> StorageValue {
        switch source {
        case .extraction(let extraction): StorageValue(extraction, in: text)
        default: StorageValue(at: spec, in: text)
        }
    }

    /// Returns the value for a row of a result.
    func json(of row: MemoryRow) -> JSONText {
        if case .whole = source { return row.entry.json }
        return JSONText(value(of: row))
    }
}

extension MemorySoup {
    /// Returns rows in the form that a query requests: whole entries, or the values of paths.
    func page(of rows: [MemoryRow], for spec: QuerySpec) throws -> QueryPage {
        guard let paths = spec.selectPaths else { return .entries(rows.map(\.entry)) }
        let columns = try paths.map { try PathValueReader($0, of: self) }
        return .rows(
            rows.map { row in
                let values = columns.map { $0.json(of: row).description }
                return JSONText(trusted: Array("[\(values.joined(separator: ","))]".utf8)[...])
            })
    }

    /// Returns the first spec of a path.
    func spec(of path: JSONPath) -> IndexSpec? { specs.first { $0.path == path } }

    func indexNotDefined(_ path: JSONPath) -> SoupError {
        SoupError(
            .indexNotDefined, "soup \"\(name)\" does not have an index on \"\(path)\"",
            hint:
                "Use one of the indexed paths, or add an index: \(specs.map { "\"\($0.path)\"" }.joined(separator: ", "))."
        )
    }

    func notUnique(_ value: String, at path: JSONPath) -> SoupError {
        SoupError(
            .notUnique, "more than one entry of soup \"\(name)\" has \(value) at \"\(path)\"",
            hint: "Remove all but one of them.")
    }
}

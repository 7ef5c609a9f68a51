// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit

/// Rows of text in columns.
struct Table {
    private var rows: [[String]]
    private let alignRight: Set<Int>
    private let hasHeader: Bool
    private let widest: Int

    /// - Parameters:
    ///   - header: the names of the columns; empty for none.
    ///   - alignRight: the columns that hold numbers.
    ///   - widest: longer texts are cut.
    init(_ header: [String], alignRight: Set<Int> = [], widest: Int = .max) {
        self.widest = widest
        rows = header.isEmpty ? [] : [header]
        hasHeader = !header.isEmpty
        self.alignRight = alignRight
    }

    mutating func add(_ row: [String]) { rows.append(row) }

    var isEmpty: Bool { rows.count == (hasHeader ? 1 : 0) }

    var text: String {
        let cells = rows.map { $0.map(cut) }
        let count = cells.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in cells.map { $0.count > column ? $0[column].count : 0 }.max() ?? 0 }
        var lines = cells.map { row in
            row.indices.map { column in
                let fill = String(repeating: " ", count: widths[column] - row[column].count)
                return alignRight.contains(column) ? fill + row[column] : row[column] + fill
            }.joined(separator: "  ").trimmedAtEnd
        }
        if hasHeader { lines.insert(widths.map { String(repeating: "-", count: $0) }.joined(separator: "  "), at: 1) }
        return lines.joined(separator: "\n") + (lines.isEmpty ? "" : "\n")
    }

    private func cut(_ text: String) -> String {
        let line = String(text.map { $0.isNewline ? " " : $0 })
        return line.count > widest ? line.prefix(widest - 1) + "…" : line
    }
}

extension String {
    fileprivate var trimmedAtEnd: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}

extension JSONValue {
    /// The value as a table shows it: strings without quotes, null as nothing.
    var cell: String {
        switch self {
        case .null: ""
        case .string(let text): text
        default: description
        }
    }
}

#endif

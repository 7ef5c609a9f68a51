// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit

/// Rows of text in columns.
struct TextTable {
    private var rows: [[String]]
    private let alignRight: Set<Int>
    private let hasHeader: Bool

    /// - Parameters:
    ///   - header: the names of the columns; empty for none.
    ///   - alignRight: the columns that contain numbers.
    init(_ header: [String], alignRight: Set<Int> = []) {
        rows = header.isEmpty ? [] : [header]
        hasHeader = !header.isEmpty
        self.alignRight = alignRight
    }

    mutating func add(_ row: [String]) { rows.append(row) }

    var isEmpty: Bool { rows.count == (hasHeader ? 1 : 0) }

    /// The lines at full length.
    var text: String { text(within: nil) }

    /// Returns the lines, cut to a width: the longest texts are cut, all to the same length.
    ///
    /// - Parameter width: the width in characters; nil for lines at full length. Texts are not cut below 8 characters,
    ///   even if the lines become longer.
    func text(within width: Int?) -> String {
        let widest = width.map { widestCell(within: $0) } ?? .max
        let cells = rows.map { $0.map { cut($0, to: widest) } }
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

    /// Returns the greatest length of a text with which all columns fit.
    private func widestCell(within width: Int) -> Int {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in
            rows.map { $0.count > column ? $0[column].count : 0 }.max() ?? 0
        }
        var room = width - 2 * max(0, count - 1)
        for (position, own) in widths.sorted().enumerated() {
            // Shorter columns leave room, which the others share.
            let share = room / (count - position)
            guard own <= share else { return max(8, share) }
            room -= own
        }
        return .max
    }

    private func cut(_ text: String, to widest: Int) -> String {
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
    /// The value as a table shows it: strings without quotes, null as an empty text.
    var cell: String {
        switch self {
        case .null: ""
        case .string(let text): text
        default: description
        }
    }
}

#endif

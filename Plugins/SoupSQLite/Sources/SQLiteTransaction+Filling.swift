// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

/// Fills index columns from existing entries.
extension SQLiteTransaction {
    /// Fills columns from the entries.
    ///
    /// A row whose columns already contain the values is not written. Only a part of the soup is in memory at a time.
    func fill(_ columns: [IndexColumn], of table: SoupTable) throws {
        guard !columns.isEmpty else { return }
        let names = columns.map(\.name)
        let select = try statement(
            "SELECT id, soup, \(names.joined(separator: ", ")) FROM \(table.table) WHERE id > ? ORDER BY id")
        let update = try statement(
            "UPDATE \(table.table) SET \(names.map { "\($0) = ?" }.joined(separator: ", ")) WHERE id = ?")
        defer {
            select.clear()
            update.clear()
        }
        var batch = FillBatch(columns)
        repeat {
            // A table must not change while a statement reads it.
            try batch.read(select)
            for row in batch.rows {
                try row.text.withUnsafeBufferPointer { source in
                    for (position, value) in row.values.enumerated() {
                        try update.bind(value, from: source, at: position + 1)
                    }
                    update.bind(row.id, at: columns.count + 1)
                    try update.run()
                }
            }
        } while !batch.isLast
    }
}

/// A batch of rows whose columns differ from their entries.
private struct FillBatch {
    private let kinds: [IndexSpec.Kind]
    private let projection: JSONProjection
    private var projected = JSONProjected()
    private var last = Int64.min
    private(set) var rows: [(id: Int64, text: [UInt8], values: [IndexValue])] = []
    private(set) var isLast = false

    /// The number of bytes of entries after which a batch ends.
    private static var limit: Int { 1 << 20 }

    init(_ columns: [IndexColumn]) {
        kinds = columns.map(\.kind)
        projection = JSONProjection(columns.map(\.path))
    }

    /// Reads the rows after the last one.
    mutating func read(_ select: RawStatement) throws {
        rows.removeAll(keepingCapacity: true)
        var size = 0
        select.bind(last, at: 1)
        defer { select.reset() }
        while size < Self.limit {
            guard try select.step() else {
                isLast = true
                return
            }
            last = select.integer(0)
            let text = Array(select.bytes(1))
            let values = try values(of: text)
            let isFilled = text.withUnsafeBufferPointer { source in
                values.enumerated().allSatisfy { select.contains($1, from: source, in: $0 + 2) }
            }
            if isFilled { continue }
            rows.append((last, text, values))
            size += text.count
        }
    }

    private mutating func values(of text: [UInt8]) throws -> [IndexValue] {
        try JSONScanner.project(projection, from: text, in: text.indices, into: &projected)
        let slice = text[...]
        return kinds.indices.map { column in
            IndexValue(
                projected.fields[column], in: slice.span, collected: projected.collected, for: kinds[column])
        }
    }
}

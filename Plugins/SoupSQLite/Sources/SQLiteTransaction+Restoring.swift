// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

extension SQLiteTransaction {
    func restore(_ entries: [SoupEntry], in soup: SoupName) throws {
        try change {
            let table = try table(soup)
            if entries.isEmpty { return }
            let rows = try SoupTableWriter(table, in: self)
            var reader = try RowProjector(table, stamping: [], key: nil)
            let select = try statement("SELECT \(rows.selectedColumns) FROM \(table.table) WHERE id = ?")
            defer { select.clear() }
            for (index, entry) in entries.enumerated() {
                try entry.requireRestorable(at: index)
                let stored = Array(entry.stored.bytes)
                let source = try reader.read(0..<stored.count, of: stored)
                try source.withUnsafeBufferPointer { source in
                    try reader.withStoredText(in: source) { text in
                        select.bind(entry.id, at: 1)
                        let row =
                            try select.step()
                            ? rows.row(of: select, comparing: text, values: reader.values, from: source) : nil
                        select.reset()
                        try rows.restore(entry, over: row, text: text, values: reader.values, from: source)
                    }
                }
            }
            try rows.finish()
        }
    }
}

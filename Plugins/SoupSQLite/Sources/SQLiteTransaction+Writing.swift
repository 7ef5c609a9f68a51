// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

extension SQLiteTransaction: StoreWriter {
    func registerSoup(_ soup: SoupName, _ specs: [IndexSpec]) throws { try change { try createSoup(soup, specs) } }

    func removeSoup(_ soup: SoupName) throws { try change { try dropSoup(soup) } }

    func clearSoup(_ soup: SoupName) throws { try change { try emptySoup(soup) } }

    func stamp(_ stamps: [EntryStamp], in soup: SoupName) throws -> [Bool] {
        try change { try stampEntries(stamps, in: soup) }
    }

    func remove(_ removals: [EntryRemoval], from soup: SoupName) throws -> [Int64] {
        try change { try removeEntries(removals, from: soup) }
    }

    private func createSoup(_ soup: SoupName, _ specs: [IndexSpec]) throws {
        guard soup.isValid else {
            throw SoupError(
                .badSoupName, "\"\(soup)\" cannot be the name of a soup",
                hint: "Use a name that is not empty and contains no :, {, } or control characters.")
        }
        try IndexSpec.requireAny(specs, of: soup)
        if try catalog().tables[soup] != nil { return }
        try IndexSpec.check(specs, of: soup)
        try db.execute(sql: "INSERT INTO soup_attrs (soupName) VALUES (?)", arguments: [soup.rawValue])
        let table = SoupTable(number: db.lastInsertedRowID, name: soup, specs: specs)
        try db.execute(sql: table.createTable)
        if let fullText = table.createFullText(options.fullText) { try db.execute(sql: fullText) }
        for index in table.indexes { try db.execute(sql: index.statement) }
        try writeSpecs(of: table)
        noteSchemaChange()
    }

    private func dropSoup(_ soup: SoupName) throws {
        guard let table = try catalog().tables[soup] else { return }
        if table.hasFullText { try db.execute(sql: "DROP TABLE \(table.fullTextTable)") }
        try SyncedCopies(table, in: self).dropAll()
        try db.execute(sql: "DROP TABLE \(table.table)")
        try db.execute(sql: "DELETE FROM soup_index_map WHERE soupName = ?", arguments: [soup.rawValue])
        try db.execute(sql: "DELETE FROM soup_attrs WHERE id = ?", arguments: [table.number])
        loadedKeys.removeKeys(of: table)
        noteSchemaChange()
        changedSoups.insert(soup)
    }

    private func emptySoup(_ soup: SoupName) throws {
        let table = try table(soup)
        if table.hasFullText {
            try db.execute(sql: "INSERT INTO \(table.fullTextTable) (\(table.fullTextTable)) VALUES ('delete-all')")
        }
        try db.execute(sql: "DELETE FROM \(table.table)")
        if db.changesCount > 0 { changedSoups.insert(soup) }
        try SyncedCopies(table, in: self).dropAll()
    }

    private func stampEntries(_ stamps: [EntryStamp], in soup: SoupName) throws -> [Bool] {
        let table = try table(soup)
        if stamps.isEmpty { return [] }
        let members = stamps.flatMap { $0.stamp.members + $0.otherwise.members }
        try RecordBatch.Stamp.check(members)
        let names = members.map(\.name)
        let rows = try SoupTableWriter(table, in: self)
        var reader = try RowProjector(table, stamping: names, key: nil)
        let select = try statement("SELECT \(rows.selectedColumns) FROM \(table.table) WHERE id = ?")
        defer { select.clear() }
        var prepared: [RecordBatch.Stamp: PreparedStamp] = [:]
        var results: [Bool] = []
        for entry in stamps {
            select.reset()
            select.bind(entry.id, at: 1)
            guard try select.step() else {
                results.append(false)
                continue
            }
            let isCurrent = entry.version == nil || entry.version == select.integer(1)
            results.append(isCurrent)
            let stamp = isCurrent ? entry.stamp : entry.otherwise
            if stamp.isEmpty { continue }
            let ready = prepared[stamp] ?? reader.prepare(stamp)
            prepared[stamp] = ready
            let stored = Array(select.bytes(2))
            reader.stamp = ready
            let source = try reader.read(0..<stored.count, of: stored)
            try source.withUnsafeBufferPointer { source in
                try reader.withStoredText(in: source) { text in
                    let row = rows.row(of: select, comparing: text, values: reader.values, from: source)
                    select.reset()
                    _ = try rows.update(row, text: text, values: reader.values, from: source)
                }
            }
        }
        try rows.finish()
        return results
    }

    private func removeEntries(_ removals: [EntryRemoval], from soup: SoupName) throws -> [Int64] {
        let table = try table(soup)
        let select = try statement("SELECT lastModified FROM \(table.table) WHERE id = ?")
        let delete = try statement("DELETE FROM \(table.table) WHERE id = ?")
        let fullText = table.hasFullText ? FullTextIndex(table, in: self) : nil
        let copies = table.keepsSyncedCopies ? SyncedCopies(table, in: self) : nil
        defer {
            select.clear()
            delete.clear()
        }
        var removed: [Int64] = []
        for removal in removals {
            select.bind(removal.id, at: 1)
            let version = try select.step() ? select.integer(0) : nil
            select.reset()
            guard let version, removal.version == nil || removal.version == version else { continue }
            try fullText?.remove(removal.id)
            try copies?.drop(removal.id)
            delete.bind(removal.id, at: 1)
            try delete.run()
            removed.append(removal.id)
        }
        if !removed.isEmpty { changedSoups.insert(soup) }
        return removed
    }

    func remove(matching spec: QuerySpec, from soup: SoupName) throws -> Int {
        try change {
            _ = try table(soup)
            if case .smart(let text) = spec.kind {
                try Self.requireIds(of: soup, in: SmartSQL(text))
            } else if spec.soup != soup {
                throw SoupError(
                    .badQuerySpec, "the query reads soup \"\(spec.soup?.rawValue ?? "")\" and not \"\(soup)\"",
                    place: SoupError.Place(path: "soupName"),
                    hint: "Remove the entries from the soup that the query reads.")
            }
            let ids = try ids(matching: spec)
            return try removeEntries(ids.map { EntryRemoval(id: $0) }, from: soup).count
        }
    }

    /// Throws if a query does not select IDs, because it would affect the wrong entries.
    private static func requireIds(of soup: SoupName, in query: SmartSQL) throws {
        var pieces = query.pieces[...]
        var isSelect = false
        if case .text(let text)? = pieces.popFirst() {
            let words = text.split(whereSeparator: \.isWhitespace).map { $0.uppercased() }
            isSelect = words == ["SELECT"] || words == ["SELECT", "DISTINCT"] || words == ["SELECT", "ALL"]
        }
        var isId = false
        if case .reference(let reference)? = pieces.popFirst() {
            isId = reference.soup == soup && reference.path?.rawValue == EntryField.entryId
        }
        var ends = false
        if case .text(let text)? = pieces.popFirst() {
            let rest = text.drop { $0.isWhitespace }
            let word = rest.prefix { !$0.isWhitespace && $0 != "," }.uppercased()
            ends = rest.first == "," || word == "FROM" || word == "AS"
        }
        guard isSelect, isId, ends else {
            throw SoupError(
                .badQuerySpec, "a smart query that removes entries must select {\(soup):\(EntryField.entryId)} first",
                place: SoupError.Place(path: "smartSql"),
                hint: "Write select {\(soup):\(EntryField.entryId)} from {\(soup)} where ...")
        }
    }
}

extension RowProjector {
    /// Calls `body` with the text to store, from the source or the changed copy.
    func withStoredText(
        in source: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) throws -> Void
    ) throws {
        if let range = storedRange { return try body(UnsafeBufferPointer(rebasing: source[range])) }
        try changedText.withUnsafeBufferPointer(body)
    }
}

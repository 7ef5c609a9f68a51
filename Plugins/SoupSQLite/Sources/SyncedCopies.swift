// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

/// The entries of a soup before their local changes: its rows of the table `synced_copies`.
///
/// An entry has a copy while it has local changes and was clean before them. Only soups with an index on `__local__`
/// have copies: a soup without this index is not synced.
struct SyncedCopies {
    private let table: SoupTable
    private let transaction: SQLiteTransaction

    /// The table's definition, from layout 3 on.
    static let definition = """
        CREATE TABLE synced_copies (
            soupId INTEGER NOT NULL, entryId INTEGER NOT NULL, soup TEXT NOT NULL,
            PRIMARY KEY (soupId, entryId)) WITHOUT ROWID;
        """

    init(_ table: SoupTable, in transaction: SQLiteTransaction) {
        self.table = table
        self.transaction = transaction
    }

    /// Saves the current text of an entry as its copy.
    func keep(_ id: Int64) throws {
        let insert = try transaction.statement(
            "INSERT OR REPLACE INTO synced_copies (soupId, entryId, soup) "
                + "SELECT ?1, id, soup FROM \(table.table) WHERE id = ?2")
        insert.bind(table.number, at: 1)
        insert.bind(id, at: 2)
        try insert.run()
    }

    /// Removes the copy of an entry that became clean or is deleted.
    func drop(_ id: Int64) throws {
        let delete = try transaction.statement("DELETE FROM synced_copies WHERE soupId = ? AND entryId = ?")
        delete.bind(table.number, at: 1)
        delete.bind(id, at: 2)
        try delete.run()
    }

    /// Removes the copies of all entries.
    func dropAll() throws {
        let delete = try transaction.statement("DELETE FROM synced_copies WHERE soupId = ?")
        delete.bind(table.number, at: 1)
        try delete.run()
    }

    /// Replaces the copy of an entry with local changes.
    func set(_ copy: JSONText, for id: Int64) throws {
        let insert = try transaction.statement(
            "INSERT OR REPLACE INTO synced_copies (soupId, entryId, soup) "
                + "SELECT ?1, id, ?3 FROM \(table.table) WHERE id = ?2 AND \(table.localCondition(true))")
        insert.bind(table.number, at: 1)
        insert.bind(id, at: 2)
        try insert.bind(Array(copy.bytes), at: 3)
        try insert.run()
    }

    func copy(of id: Int64) throws -> JSONText? {
        let select = try transaction.statement("SELECT soup FROM synced_copies WHERE soupId = ? AND entryId = ?")
        defer { select.clear() }
        select.bind(table.number, at: 1)
        select.bind(id, at: 2)
        return try select.step() ? select.json(0) : nil
    }
}

extension SoupTable {
    /// Whether entries with local changes have synced copies.
    var keepsSyncedCopies: Bool { spec(of: JSONPath(EntryField.local)) != nil }
}

extension SQLiteTransaction {
    func syncedCopies(of ids: [Int64], in soup: SoupName) throws -> [Int64: JSONText] {
        let copies = SyncedCopies(try table(soup), in: self)
        var found: [Int64: JSONText] = [:]
        for id in Set(ids) { found[id] = try copies.copy(of: id) }
        return found
    }

    func setSyncedCopies(_ copies: [Int64: JSONText], in soup: SoupName) throws {
        try change {
            let table = try table(soup)
            guard table.keepsSyncedCopies else { return }
            let kept = SyncedCopies(table, in: self)
            for (id, copy) in copies { try kept.set(copy, for: id) }
        }
    }
}

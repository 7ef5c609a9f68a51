// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

/// Writes the rows of one soup within one call, and prepares each statement once.
///
/// An update names only the columns whose values changed, so that SQLite does not update the other indexes.
final class SoupTableWriter {
    let table: SoupTable
    private let transaction: SQLiteTransaction
    private let insert: RawStatement
    private var updates: [UInt64: RawStatement] = [:]
    private var lastUpdate: (changes: UInt64, statement: RawStatement)?
    private let fullText: FullTextIndex?
    private let copies: SyncedCopies
    private let counter: EntryCounter
    private let date: Int64
    private var lastDate: Int64?
    private(set) var hasChanged = false
    /// The keys of an active first load, with the position of their column.
    private var keys: (set: KeySet, column: Int)?

    /// The result of comparing an existing row with the row to write.
    struct Row {
        let id: Int64
        let lastModified: Int64
        /// Whether the entry has local changes; false if the caller did not request this.
        let isDirty: Bool
        /// Whether the text equals the text to write.
        let isSame: Bool
        /// One bit for each column whose value differs.
        let changes: UInt64
        /// Whether the write adds the first local changes to the entry, or removes all of them; nil if neither.
        let transition: DirtyTransition?
    }

    /// The effect of a write on the synced copy of an entry.
    enum DirtyTransition {
        case becomesDirty
        case becomesClean
    }

    init(_ table: SoupTable, in transaction: SQLiteTransaction) throws {
        self.table = table
        self.transaction = transaction
        date = transaction.date
        counter = try EntryCounter(table, in: transaction)
        copies = SyncedCopies(table, in: transaction)
        fullText = table.hasFullText ? FullTextIndex(table, in: transaction) : nil
        if table.indexesAreDeferred, let set = transaction.loadedKeys.removeForWrite(of: table),
            let column = table.columnPosition(of: set.path), table.columns[column].kind == .string
        {
            keys = (set, column)
        }
        let names = table.columns.map { ", \($0.name)" }.joined()
        let marks = String(repeating: ",?", count: table.columns.count)
        insert = try transaction.statement(
            "INSERT INTO \(table.table) (id, soup, created, lastModified\(names)) VALUES (?,?,?,?\(marks))")
    }

    /// The columns that a look-up selects, in the order that
    /// ``row(of:comparing:values:from:checkingDirty:)`` expects.
    var selectedColumns: String { "id, lastModified, soup" + table.columns.map { ", \($0.name)" }.joined() }

    /// Returns the comparison for the current row of a look-up.
    ///
    /// - Parameter checkingDirty: whether to determine ``Row/isDirty``. Without an index on the flag this reads the
    ///   entry's text.
    func row(
        of select: RawStatement, comparing text: UnsafeBufferPointer<UInt8>, values: [IndexValue],
        from source: UnsafeBufferPointer<UInt8>, checkingDirty: Bool = false
    ) -> Row {
        let isSame = select.bytes(2).hasSameBytes(as: text)
        var changes: UInt64 = 0
        if !isSame {
            for column in values.indices where !select.contains(values[column], from: source, in: column + 3) {
                changes |= Self.bit(column)
            }
        }
        return Row(
            id: select.integer(0), lastModified: select.integer(1), isDirty: checkingDirty && flag(of: select) == true,
            isSame: isSame, changes: changes,
            transition: isSame
                ? nil : transition(from: select, to: text, values: values, source: source, changes: changes))
    }

    private lazy var localColumn = table.columnPosition(of: JSONPath(EntryField.local))

    private func transition(
        from select: RawStatement, to text: UnsafeBufferPointer<UInt8>, values: [IndexValue],
        source: UnsafeBufferPointer<UInt8>, changes: UInt64
    ) -> DirtyTransition? {
        guard table.keepsSyncedCopies else { return nil }
        let new: Bool?
        if let localColumn {
            guard changes & Self.bit(localColumn) != 0 else { return nil }
            new = Self.flag(values[localColumn], from: source)
        } else {
            new = JSONText(trusted: Array(text)[...])[JSONPath(EntryField.local)]?.boolValue
        }
        switch (flag(of: select), new) {
        case (false?, true?): return .becomesDirty
        case (true?, false?), (true?, nil): return .becomesClean
        default: return nil
        }
    }

    /// Returns the flag of local changes of a look-up's current row; nil if the entry has no flag.
    private func flag(of select: RawStatement) -> Bool? {
        guard let localColumn else { return select.json(2)[JSONPath(EntryField.local)]?.boolValue }
        switch select.type(localColumn + 3) {
        case .text:
            if select.bytes(localColumn + 3).hasSameBytes(as: "true") { return true }
            return select.bytes(localColumn + 3).hasSameBytes(as: "false") ? false : nil
        case .integer, .real: return select.integer(localColumn + 3) == 1
        default: return nil
        }
    }

    private static func flag(_ value: IndexValue, from source: UnsafeBufferPointer<UInt8>) -> Bool? {
        switch value {
        case .null: nil
        case .integer(let number): number == 1
        case .real(let number): number == 1
        case .slice(let range): UnsafeBufferPointer(rebasing: source[range]).hasSameBytes(as: "true")
        case .text(let text): text == Array("true".utf8)
        }
    }

    func insert(
        _ text: UnsafeBufferPointer<UInt8>, values: [IndexValue], from source: UnsafeBufferPointer<UInt8>
    ) throws -> UpsertResult {
        let id = counter.next()
        try insert(id, text: text, values: values, from: source, at: date)
        fullText?.noteInsert(id)
        return UpsertResult(.inserted, id: id, version: date)
    }

    private func insert(
        _ id: Int64, text: UnsafeBufferPointer<UInt8>, values: [IndexValue], from source: UnsafeBufferPointer<UInt8>,
        at date: Int64
    ) throws {
        insert.bind(id, at: 1)
        try insert.bind(unowned: text, at: 2)
        insert.bind(date, at: 3)
        insert.bind(date, at: 4)
        for column in values.indices { try insert.bind(values[column], from: source, at: column + 5) }
        try insert.run()
        noteChange(values, from: source, at: date)
    }

    func update(
        _ row: Row, text: UnsafeBufferPointer<UInt8>, values: [IndexValue],
        from source: UnsafeBufferPointer<UInt8>
    ) throws -> UpsertResult {
        if row.isSame { return UpsertResult(.unchanged, id: row.id, version: row.lastModified) }
        try fullText?.willUpdate(row.id, changes: row.changes)
        switch row.transition {
        case .becomesDirty?: try copies.keep(row.id)
        case .becomesClean?: try copies.drop(row.id)
        case nil: break
        }
        let lastModified = max(date, row.lastModified + 1)
        try update(row, text: text, values: values, from: source, at: lastModified)
        return UpsertResult(.updated, id: row.id, version: lastModified, replacesLocalChanges: row.isDirty)
    }

    private func update(
        _ row: Row, text: UnsafeBufferPointer<UInt8>, values: [IndexValue], from source: UnsafeBufferPointer<UInt8>,
        at date: Int64
    ) throws {
        let update = try updateStatement(row.changes)
        try update.bind(unowned: text, at: 1)
        update.bind(date, at: 2)
        update.bind(row.id, at: 3)
        var parameter = 4
        for column in values.indices where row.changes & Self.bit(column) != 0 {
            try update.bind(values[column], from: source, at: parameter)
            parameter += 1
        }
        try update.run()
        noteChange(values, from: source, at: date)
    }

    /// Writes an entry of another store, with its ID and its date.
    ///
    /// - Parameter row: the entry that it replaces.
    func restore(
        _ entry: SoupEntry, over row: Row?, text: UnsafeBufferPointer<UInt8>, values: [IndexValue],
        from source: UnsafeBufferPointer<UInt8>
    ) throws {
        guard let row else {
            counter.include(entry.id)
            try insert(entry.id, text: text, values: values, from: source, at: entry.version)
            fullText?.noteRestoration(entry.id)
            return
        }
        try fullText?.willUpdate(row.id, changes: row.changes)
        if row.transition == .becomesClean { try copies.drop(row.id) }
        try update(row, text: text, values: values, from: source, at: entry.version)
    }

    private func noteChange(_ values: [IndexValue], from source: UnsafeBufferPointer<UInt8>, at date: Int64) {
        noteKey(values, from: source)
        hasChanged = true
        lastDate = max(lastDate ?? date, date)
    }

    /// Updates the search index and the ID counter.
    ///
    /// Call this after all rows are written.
    func finish() throws {
        try fullText?.finish()
        try counter.save()
        insert.clear()
        for update in updates.values { update.clear() }
        if hasChanged { transaction.changedSoups.insert(table.name) }
        if let lastDate { transaction.note(lastDate) }
        if let keys { transaction.loadedKeys.restore(keys.set, of: table) }
    }

    private func noteKey(_ values: [IndexValue], from source: UnsafeBufferPointer<UInt8>) {
        guard let column = keys?.column else { return }
        keys?.set.insert(values[column], from: source)
    }

    /// Returns whether an active first load has certainly not written the key yet.
    ///
    /// If this returns false, the index on the path exists for the look-up that has to follow.
    func isNew(_ key: IndexValue, at path: JSONPath, from source: UnsafeBufferPointer<UInt8>) throws -> Bool {
        guard let set = keys?.set, set.path == path else { return false }
        if !set.mayContain(key, from: source) { return true }
        keys = nil
        try transaction.buildIndex(on: path, of: table)
        return false
    }

    private func updateStatement(_ changes: UInt64) throws -> RawStatement {
        if let lastUpdate, lastUpdate.changes == changes { return lastUpdate.statement }
        let statement = try updates[changes] ?? makeUpdate(changes)
        lastUpdate = (changes, statement)
        return statement
    }

    private func makeUpdate(_ changes: UInt64) throws -> RawStatement {
        let columns = table.columns.indices.filter { changes & Self.bit($0) != 0 }
        let assignments = columns.enumerated().map { ", \(table.columns[$1].name) = ?\($0 + 4)" }.joined()
        let made = try transaction.statement(
            "UPDATE \(table.table) SET soup = ?1, lastModified = ?2\(assignments) WHERE id = ?3")
        updates[changes] = made
        return made
    }

    /// Returns the bit of a column.
    ///
    /// From the 64th on, columns share the last bit: if one of them changes, all of them are written.
    static func bit(_ column: Int) -> UInt64 { 1 << UInt64(min(column, 63)) }
}

/// Assigns IDs from a counter in `soup_attrs`, in the same transaction, so that no ID is used twice.
final class EntryCounter {
    private let transaction: SQLiteTransaction
    private let table: SoupTable
    private let saved: Int64
    private var last: Int64

    init(_ table: SoupTable, in transaction: SQLiteTransaction) throws {
        self.table = table
        self.transaction = transaction
        let select = try transaction.statement("SELECT lastEntryId FROM soup_attrs WHERE id = ?")
        select.bind(table.number, at: 1)
        saved = try select.step() ? select.integer(0) : 0
        last = saved
        select.clear()
    }

    func next() -> Int64 {
        last += 1
        return last
    }

    /// Prevents that the ID of an entry that is inserted without ``next()`` is assigned again.
    func include(_ id: Int64) { last = max(last, id) }

    func save() throws {
        guard last != saved else { return }
        let update = try transaction.statement("UPDATE soup_attrs SET lastEntryId = ? WHERE id = ?")
        update.bind(last, at: 1)
        update.bind(table.number, at: 2)
        try update.run()
    }
}

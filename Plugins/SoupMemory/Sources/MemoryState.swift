// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The whole store as a value: each copy is a snapshot.
struct MemoryState: Sendable {
    var soups: [SoupName: MemorySoup] = [:]
    var dates = TransactionDates()

    /// - Throws: ``SoupError`` with `soupNotFound`.
    func soup(_ name: SoupName) throws -> MemorySoup {
        guard let soup = soups[name] else { throw missing(name, .soupNotFound) }
        return soup
    }

    /// Returns the error for a soup that does not exist.
    func missing(_ name: SoupName, _ code: SoupError.Code) -> SoupError {
        let names = soups.keys.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
        return SoupError(
            code, "there is no soup \"\(name)\"",
            hint: names.isEmpty ? "Register the soup first; the store has none." : "Known: \(names).")
    }
}

/// A soup: its specs and its entries.
struct MemorySoup: Sendable {
    let name: SoupName
    /// A value that no other registration of a soup has.
    let generation: String
    private(set) var specs: [IndexSpec]
    /// The rows, in ascending order of their IDs.
    private(set) var rows: [MemoryRow] = []
    /// The latest modification date that any entry has had.
    private(set) var lastDate: Int64 = .min
    /// The last assigned ID.
    private var lastId: Int64 = 0

    init(_ name: SoupName, _ specs: [IndexSpec], generation: String) {
        self.name = name
        self.generation = generation
        self.specs = specs
    }

    /// - Throws: ``SoupError``: `noIndexSpecs`; `badPath`; `notSupported` for full text.
    static func check(_ specs: [IndexSpec], of soup: SoupName) throws {
        try IndexSpec.check(specs, of: soup)
        for spec in specs {
            if spec.kind == .fullText {
                throw SoupError(
                    .notSupported,
                    "the memory store does not support full_text indexes, such as the one on \"\(spec.path)\"",
                    hint: "Use another kind of index, or the backend sqlite.")
            }
        }
    }

    /// Returns the position of the entry with an ID.
    func position(of id: Int64) -> Int? {
        let position = insertionPosition(of: id)
        return position < rows.count && rows[position].id == id ? position : nil
    }

    /// Returns the position of the first entry whose ID is not less than `id`.
    private func insertionPosition(of id: Int64) -> Int {
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func row(_ id: Int64) -> MemoryRow? { position(of: id).map { rows[$0] } }

    // MARK: Changes

    mutating func insert(_ text: JSONText, at date: Int64) -> MemoryRow {
        lastId += 1
        let row = MemoryRow(id: lastId, created: date, lastModified: date, text: text, values: values(of: text))
        rows.append(row)
        lastDate = max(lastDate, date)
        return row
    }

    /// Stores an entry of another store with its ID, its date and a copy of its text.
    ///
    /// The text may be a part of a page, which would stay in memory as long as the entry.
    mutating func restore(_ entry: SoupEntry) {
        let text = JSONText(trusted: Array(entry.stored.bytes)[...])
        let position = insertionPosition(of: entry.id)
        let old = position < rows.count && rows[position].id == entry.id ? rows[position] : nil
        var row = MemoryRow(
            id: entry.id, created: old?.created ?? entry.version, lastModified: entry.version, text: text,
            values: values(of: text))
        if old == nil {
            rows.insert(row, at: position)
        } else {
            row.syncedCopy = row.isDirty == true ? old?.syncedCopy : nil
            rows[position] = row
        }
        lastId = max(lastId, entry.id)
        lastDate = max(lastDate, entry.version)
    }

    /// Replaces the text of an entry; returns false if the entry already has this text.
    mutating func update(at position: Int, to text: JSONText, at date: Int64) -> Bool {
        let row = rows[position]
        if row.text == text { return false }
        var changed = MemoryRow(
            id: row.id, created: row.created, lastModified: max(date, row.lastModified + 1), text: text,
            values: values(of: text))
        if keepsSyncedCopies, changed.isDirty == true {
            changed.syncedCopy = row.isDirty == false ? row.text : row.syncedCopy
        }
        rows[position] = changed
        lastDate = max(lastDate, changed.lastModified)
        return true
    }

    /// Whether entries with local changes have synced copies.
    private var keepsSyncedCopies: Bool { specs.contains { $0.path.rawValue == EntryField.local } }

    /// Replaces the synced copy of an entry with local changes.
    mutating func setSyncedCopy(_ text: JSONText, of id: Int64) {
        guard keepsSyncedCopies, let position = position(of: id), rows[position].isDirty == true else { return }
        rows[position].syncedCopy = text
    }

    mutating func remove(at position: Int) { rows.remove(at: position) }

    mutating func removeAll() { rows = [] }

    /// Changes the specs of the soup; returns whether they differ.
    mutating func alter(to newSpecs: [IndexSpec], reIndex: Bool) -> Bool {
        guard newSpecs != specs else { return false }
        var free = Array(specs.indices)
        let sources = newSpecs.map { spec -> Int? in
            let kept = free.firstIndex { specs[$0].path == spec.path && specs[$0].kind.affinity == spec.kind.affinity }
            return kept.map { free.remove(at: $0) }
        }
        for position in rows.indices {
            let row = rows[position]
            rows[position].values = zip(newSpecs, sources).map { spec, source in
                if let source { return row.values[source] }
                let isWanted = reIndex || EntryField.own.contains(spec.path.rawValue)
                return isWanted ? StorageValue(at: spec, in: row.text) : .null
            }
        }
        specs = newSpecs
        if !keepsSyncedCopies {
            for position in rows.indices { rows[position].syncedCopy = nil }
        }
        return true
    }

    /// Reads the values of paths from the entries again; returns whether any of them is indexed.
    mutating func reIndex(_ paths: [JSONPath]) -> Bool {
        let columns = specs.indices.filter { paths.contains(specs[$0].path) && specs[$0].kind != .json1 }
        for position in rows.indices {
            for column in columns {
                rows[position].values[column] = StorageValue(at: specs[column], in: rows[position].text)
            }
        }
        return !columns.isEmpty
    }

    private func values(of text: JSONText) -> [StorageValue] { specs.map { StorageValue(at: $0, in: text) } }
}

/// An entry, with the value of each index spec of its soup.
struct MemoryRow: Sendable {
    let id: Int64
    let created: Int64
    let lastModified: Int64
    let text: JSONText
    var values: [StorageValue]
    /// The text before the local changes.
    var syncedCopy: JSONText?

    var entry: SoupEntry { SoupEntry(id: id, version: lastModified, stored: text) }

    /// Whether the entry has local changes; nil if it has no flags.
    var isDirty: Bool? {
        switch JSONParts.member(EntryField.local, of: text.bytes).map({ JSONText(trusted: $0) }) {
        case JSONText.true?: true
        case JSONText.false?: false
        default: nil
        }
    }
}

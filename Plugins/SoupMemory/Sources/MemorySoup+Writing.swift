// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension MemorySoup {
    mutating func upsert(
        _ batch: RecordBatch, matching: UpsertMatch, stamping stamp: RecordBatch.Stamp, guarding: WriteGuard,
        at date: Int64
    ) throws -> [UpsertResult] {
        if case .path(let path) = matching { try path.requireValid() }
        if batch.isEmpty { return [] }
        try RecordBatch.Stamp.check(stamp.members + batch.stamps.flatMap(\.members))
        var finder = try EntryFinder(matching, in: self)
        return try batch.ranges.indices.map { index in
            do {
                let record = try Self.record(index, of: batch)
                let combined = batch.stamps.isEmpty ? stamp : stamp.merging(batch.stamps[index])
                let text = EntryText.stored(record, stamping: combined)
                let found = try finder.find(record, as: text, in: self)
                return write(text, to: found, guarding: guarding, at: date, updating: &finder)
            } catch let error as SoupError {
                throw error.at(SoupError.Place(path: "[\(index)]"))
            }
        }
    }

    private static func record(_ index: Int, of batch: RecordBatch) throws -> JSONText {
        do throws(JSONError) {
            return try batch.record(index)
        } catch {
            throw SoupError(.json, "record \(index) of the batch: \(error)", cause: error)
        }
    }

    private mutating func write(
        _ text: JSONText, to found: Int64?, guarding: WriteGuard, at date: Int64, updating finder: inout EntryFinder
    ) -> UpsertResult {
        guard let found, let position = position(of: found) else {
            let row = insert(text, at: date)
            finder.add(row)
            return UpsertResult(.inserted, id: row.id, version: row.lastModified)
        }
        let old = rows[position]
        let isDirty = old.isDirty == true
        let isGuarded =
            switch guarding {
            case .none: false
            case .dirty: isDirty
            case .dirtySince(let instant): isDirty && old.lastModified >= instant
            }
        if isGuarded { return UpsertResult(.skipped, id: old.id, version: old.lastModified) }
        guard update(at: position, to: text, at: date) else {
            return UpsertResult(.unchanged, id: old.id, version: old.lastModified)
        }
        finder.remove(old)
        finder.add(rows[position])
        return UpsertResult(
            .updated, id: old.id, version: rows[position].lastModified,
            replacesLocalChanges: isDirty && guarding != .none)
    }

    /// Sets members of entries; returns the result for each, and whether anything changed.
    mutating func stamp(_ stamps: [EntryStamp], at date: Int64) throws -> (results: [Bool], hasChanged: Bool) {
        try RecordBatch.Stamp.check(stamps.flatMap { $0.stamp.members + $0.otherwise.members })
        var hasChanged = false
        let results = stamps.map { entry in
            guard let position = position(of: entry.id) else { return false }
            let row = rows[position]
            let isCurrent = entry.version == nil || entry.version == row.lastModified
            let stamp = isCurrent ? entry.stamp : entry.otherwise
            if update(at: position, to: EntryText.stored(row.text, stamping: stamp), at: date) { hasChanged = true }
            return isCurrent
        }
        return (results, hasChanged)
    }

    mutating func remove(_ removals: [EntryRemoval]) -> [Int64] {
        removals.compactMap { removal in
            guard let position = position(of: removal.id) else { return nil }
            guard removal.version == nil || removal.version == rows[position].lastModified else { return nil }
            remove(at: position)
            return removal.id
        }
    }
}

/// Finds the entries that the records of one batch replace.
private struct EntryFinder {
    private let path: JSONPath?
    /// The spec of the path; nil without an index: then the first record with a value there causes the error.
    private let spec: IndexSpec?
    /// The values at the path; nil if entries are found by ID, or if there is no index.
    private let values: PathValueReader?
    private var ids: [StorageValue: Set<Int64>] = [:]

    init(_ match: UpsertMatch, in soup: MemorySoup) throws {
        switch match {
        case .path(let path) where path.rawValue != EntryField.entryId:
            self.path = path
            spec = soup.specs.first { $0.path == path && $0.kind != .json1 } ?? soup.spec(of: path)
            values = try spec.map { try PathValueReader($0.path, of: soup) }
            for row in soup.rows { add(row) }
        default:
            path = nil
            spec = nil
            values = nil
        }
    }

    mutating func add(_ row: MemoryRow) {
        if let values { ids[values.value(of: row), default: []].insert(row.id) }
    }

    mutating func remove(_ row: MemoryRow) {
        if let values { ids[values.value(of: row)]?.remove(row.id) }
    }

    /// Returns the ID of the entry that a record replaces; nil for a new entry.
    ///
    /// - Parameter text: the record as it will be stored, without its ID.
    func find(_ record: JSONText, as text: JSONText, in soup: MemorySoup) throws -> Int64? {
        guard let path else { return try entryId(of: record) }
        let value =
            if let spec, let values {
                values.value(ofRecord: text, spec: spec)
            } else {
                StorageValue(at: IndexSpec(path, .string), in: text)
            }
        if value.isNull {
            throw SoupError(
                .externalIdMissing, "a record has no value at \"\(path)\", which identifies the entry to replace",
                hint: "Add a value to every record.")
        }
        guard spec != nil else { throw soup.indexNotDefined(path) }
        let found = ids[value] ?? []
        if found.count > 1 {
            throw soup.notUnique(String(decoding: value.asText ?? [], as: UTF8.self), at: path)
        }
        return found.first
    }

    private func entryId(of record: JSONText) throws -> Int64? {
        guard let json = JSONParts.member(EntryField.entryId, of: record.bytes) else { return nil }
        let text = JSONText(trusted: json)
        if let id = text.value.intValue ?? text.string.flatMap({ Int64($0) }) { return id }
        throw SoupError(.json, "\(EntryField.entryId) must be a whole number, not \(text)")
    }
}

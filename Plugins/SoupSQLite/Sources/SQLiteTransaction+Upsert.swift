// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

extension SQLiteTransaction {
    func upsert(
        _ batch: RecordBatch, into soup: SoupName, matching: UpsertMatch, stamping stamp: RecordBatch.Stamp,
        guarding: WriteGuard
    ) throws -> [UpsertResult] {
        try change {
            let known = try table(soup)
            if case .path(let path) = matching { try path.requireValid() }
            if batch.isEmpty { return [] }
            let match = matching == .path(JSONPath(EntryField.entryId)) ? .entryId : matching
            let table = try prepareForLoad(of: batch.count, into: known, matching: match)
            return try Upsert(table, match: match, stamp: stamp, batch: batch, guarding: guarding, in: self).run()
        }
    }
}

/// One upsert call: the look-up, the guard and the write of each record.
private final class Upsert {
    private let batch: RecordBatch
    private let match: UpsertMatch
    /// Whether ``match`` is by entry ID; checked for every record without creating the path.
    private let isByEntryId: Bool
    private let guarding: WriteGuard
    private let table: SoupTable
    private let rows: SoupTableWriter
    private let select: RawStatement
    /// Whether the path has an index; if not, the first record with a value there causes the error.
    private let hasIndex: Bool
    private let keyKind: IndexSpec.Kind
    private let stamp: RecordBatch.Stamp
    /// The stamp's value at the match path; nil if each record has its own value there.
    private var stampedKey: JSONText??
    /// The statement that extracts a key as a json1 index does; nil for other indexes.
    private let extraction: RawStatement?
    private var reader: RowProjector
    /// The bytes that the values of the current record refer to.
    private var source: [UInt8] = []

    init(
        _ table: SoupTable, match: UpsertMatch, stamp: RecordBatch.Stamp, batch: RecordBatch, guarding: WriteGuard,
        in transaction: SQLiteTransaction
    ) throws {
        self.table = table
        self.match = match
        isByEntryId = match == .entryId
        self.batch = batch
        self.guarding = guarding
        self.stamp = stamp
        let members = stamp.members + batch.stamps.flatMap(\.members)
        try RecordBatch.Stamp.check(members)
        let names = members.map(\.name)
        rows = try SoupTableWriter(table, in: transaction)
        switch match {
        case .entryId:
            reader = try RowProjector(table, stamping: names, key: nil)
            keyKind = .json1
            hasIndex = true
            select = try transaction.statement("SELECT \(rows.selectedColumns) FROM \(table.table) WHERE id = ?")
            extraction = nil
        case .path(let path):
            reader = try RowProjector(table, stamping: names, key: path)
            keyKind = table.kind(of: path)
            hasIndex = table.spec(of: path) != nil
            let key = hasIndex ? table.expression(path) : "NULL"
            select = try transaction.statement(
                "SELECT \(rows.selectedColumns) FROM \(table.table) WHERE \(key) = ? LIMIT 2")
            let isExtracted = hasIndex && keyKind == .json1 && SoupTable.systemColumn(path) == nil
            extraction =
                try isExtracted ? transaction.statement("SELECT \(SoupTable.jsonExpression(path, of: "?"))") : nil
        }
        reader.stamp = reader.prepare(stamp)
        stampedKey = key(stampedBy: reader.stamp.stamp)
    }

    private func key(stampedBy stamp: RecordBatch.Stamp) -> JSONText?? {
        guard case .path(let path) = match else { return nil }
        return PreparedStamp.value(at: path, in: stamp)
    }

    func run() throws -> [UpsertResult] {
        var results: [UpsertResult] = []
        results.reserveCapacity(batch.count)
        defer {
            select.clear()
            extraction?.clear()
        }
        for index in batch.ranges.indices {
            do {
                results.append(try write(index))
            } catch {
                throw Self.located(error, at: index)
            }
        }
        try rows.finish()
        return results
    }

    private static func located(_ error: any Error, at index: Int) -> any Error {
        let place = SoupError.Place(path: "[\(index)]")
        if let error = error as? JSONError {
            return SoupError(.json, "record \(index) of the batch: \(error)", place: place, cause: error)
        }
        return (error as? SoupError)?.at(place) ?? error
    }

    private func write(_ index: Int) throws -> UpsertResult {
        // Consecutive records usually have the same stamp in shared memory, so the comparison is fast.
        if !batch.stamps.isEmpty, index == 0 || batch.stamps[index] != batch.stamps[index - 1] {
            let whole = stamp.merging(batch.stamps[index])
            reader.stamp = reader.prepare(whole)
            stampedKey = key(stampedBy: reader.stamp.stamp)
        }
        source = try reader.read(index, of: batch)
        return try source.withUnsafeBufferPointer { source in
            if let range = reader.storedRange {
                return try write(UnsafeBufferPointer(rebasing: source[range]), from: source)
            }
            return try reader.changedText.withUnsafeBufferPointer { try write($0, from: source) }
        }
    }

    private func write(
        _ text: UnsafeBufferPointer<UInt8>, from source: UnsafeBufferPointer<UInt8>
    ) throws -> UpsertResult {
        guard let row = try find(text, from: source) else {
            return try rows.insert(text, values: reader.values, from: source)
        }
        if isGuarded(row) { return UpsertResult(.skipped, id: row.id, version: row.lastModified) }
        return try rows.update(row, text: text, values: reader.values, from: source)
    }

    private func isGuarded(_ row: SoupTableWriter.Row) -> Bool {
        switch guarding {
        case .none: false
        case .dirty: row.isDirty
        case .dirtySince(let instant): row.isDirty && row.lastModified >= instant
        }
    }

    private func find(
        _ text: UnsafeBufferPointer<UInt8>, from source: UnsafeBufferPointer<UInt8>
    ) throws -> SoupTableWriter.Row? {
        guard let key = try key(of: text, from: source) else { return nil }
        if case .path(let path) = match, try rows.isNew(key, at: path, from: source) { return nil }
        try select.bind(key, from: source, at: 1)
        defer { select.reset() }
        guard try select.step() else { return nil }
        let row = rows.row(
            of: select, comparing: text, values: reader.values, from: source, checkingDirty: guarding != .none)
        if !isByEntryId, try select.step() {
            throw SoupError.notUnique(Self.text(of: key, from: source), at: path, in: table)
        }
        return row
    }

    /// Returns the key to find the record by; nil if the record cannot be in the soup yet.
    private func key(
        of text: UnsafeBufferPointer<UInt8>, from source: UnsafeBufferPointer<UInt8>
    ) throws -> IndexValue? {
        if isByEntryId { return try reader.entryId(in: self.source).map { .integer($0) } }
        let key = try pathKey(of: text)
        if case .null = key { throw missingKey }
        guard hasIndex else { throw SoupError.indexNotDefined(path, in: table) }
        return keyKind == .floating ? FloatingKey.rounded(key, from: source) : key
    }

    private func pathKey(of text: UnsafeBufferPointer<UInt8>) throws -> IndexValue {
        if let extraction, !isPlainKey {
            try extraction.bind(unowned: text, at: 1)
            defer { extraction.reset() }
            guard try extraction.step() else { return .null }
            return switch extraction.type(0) {
            case .integer: .integer(extraction.integer(0))
            case .real: .real(extraction.real(0))
            case .text: .text(Array(extraction.bytes(0)))
            case .null, .blob: .null
            }
        }
        if let stampedKey { return IndexValue(stampedKey, for: keyKind) }
        let source = source[...]
        return IndexValue(reader.key, in: source.span, collected: reader.collected, for: keyKind)
    }

    /// Whether `json_extract` returns the same value for the path as a projection.
    ///
    /// It supports subscripts and quotes, does not traverse arrays, and keeps escapes in arrays and objects.
    private var isPlainKey: Bool {
        if path.rawValue.utf8.contains(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "\"") }) { return false }
        if let stampedKey {
            return stampedKey?.bytes.first != UInt8(ascii: "[") && stampedKey?.bytes.first != UInt8(ascii: "{")
        }
        switch reader.key.kind {
        case .array, .object, .collected: return false
        default: return true
        }
    }

    private var missingKey: SoupError {
        SoupError(
            .externalIdMissing, "a record has no value at \"\(path)\", which identifies the entry to replace",
            hint: "Add a value to every record.")
    }

    /// The match path, for messages.
    private var path: JSONPath { if case .path(let path) = match { path } else { JSONPath(EntryField.entryId) } }

    private static func text(of key: IndexValue, from source: UnsafeBufferPointer<UInt8>) -> String {
        switch key {
        case .null: "null"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .slice(let range): "\"\(String(decoding: source[range], as: UTF8.self))\""
        case .text(let text): "\"\(String(decoding: text, as: UTF8.self))\""
        }
    }
}

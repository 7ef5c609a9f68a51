// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Converts a record to its row, in one pass: the text to store and the values of the index columns.
///
/// Use one reader for a whole batch: it reuses its memory.
struct RowProjector {
    private let table: SoupTable
    private let projection: JSONProjection
    private var projected = JSONProjected()
    /// The positions, in the projection, of the members that are never stored unchanged.
    private let entryIdPosition: Int
    private let stampedNames: [JSONPath: Int]
    /// The positions of the local flags, which are stored only as booleans.
    private let flagPositions: [Int]
    private let keyPosition: Int
    private var scratch: [UInt8] = []
    private var removed: [Range<Int>] = []
    private let kinds: [IndexSpec.Kind]
    /// The stamp for the records that are read; it must come from ``prepare(_:)``.
    var stamp: PreparedStamp

    /// The values of the index columns; slices refer to the record's source.
    private(set) var values: [IndexValue]
    /// The range of the text to store in the source; nil if the text had to be changed, and is in ``changedText``.
    private(set) var storedRange: Range<Int>?
    var changedText: [UInt8] { scratch }

    /// - Parameters:
    ///   - names: the members that stamps will set or remove.
    ///   - key: the path whose value identifies the entry to replace.
    /// - Throws: ``SoupError`` with `badMemberName`.
    init(_ table: SoupTable, stamping names: [String], key: JSONPath?) throws {
        try RecordBatch.Stamp.checkNames(Set(names))
        self.table = table
        var paths = table.columns.map(\.path)
        entryIdPosition = paths.count
        paths += [JSONPath(EntryField.entryId), JSONPath(EntryField.lastModified)]
        keyPosition = paths.count
        paths.append(key ?? JSONPath(EntryField.entryId))
        var stamped: [JSONPath: Int] = [:]
        for name in names.map({ JSONPath($0) }) where stamped[name] == nil {
            stamped[name] = paths.count
            paths.append(name)
        }
        stampedNames = stamped
        flagPositions = EntryField.localFlags.map { name in
            if let position = stamped[JSONPath(name)] { return position }
            paths.append(JSONPath(name))
            return paths.count - 1
        }
        projection = JSONProjection(paths)
        values = Array(repeating: .null, count: table.columns.count)
        kinds = table.columns.map(\.kind)
        stamp = PreparedStamp(
            .none, for: table, removing: [entryIdPosition, entryIdPosition + 1], flags: flagPositions)
    }

    /// Prepares a stamp for the records of this reader; its names must be among those of the initializer.
    func prepare(_ stamp: RecordBatch.Stamp) -> PreparedStamp {
        let stamp = PreparedStamp.normalized(stamp)
        let stamped = stamp.members.compactMap { stampedNames[JSONPath($0.name)] }
        return PreparedStamp(
            stamp, for: table, removing: [entryIdPosition, entryIdPosition + 1] + stamped,
            flags: flagPositions.filter { !stamped.contains($0) })
    }

    /// Reads a record of a batch, as it will be stored with ``stamp``.
    ///
    /// - Returns: the source that all slices refer to: the bytes of the batch, or of a copy of the record with its
    ///   flags converted to booleans.
    /// - Throws: ``JSONError``.
    mutating func read(_ index: Int, of batch: RecordBatch) throws -> [UInt8] {
        try batch.project(projection, of: index, into: &projected)
        return try makeRowWithBooleanFlags(batch.ranges[index], of: batch.bytes)
    }

    /// Reads the record at `range`, as it will be stored with ``stamp``.
    ///
    /// - Returns: the source that all slices refer to, as for a record of a batch.
    /// - Throws: ``JSONError``.
    mutating func read(_ range: Range<Int>, of source: [UInt8]) throws -> [UInt8] {
        try JSONScanner.project(projection, from: source, in: range, into: &projected)
        return try makeRowWithBooleanFlags(range, of: source)
    }

    /// Reads the record, converting flags in another spelling.
    ///
    /// They are rare: the record is rewritten and read again, so that its text, its columns and its key agree.
    private mutating func makeRowWithBooleanFlags(_ range: Range<Int>, of source: [UInt8]) throws -> [UInt8] {
        guard stamp.flags.contains(where: { projected.fields[$0].isNonBooleanFlag }) else {
            makeRow(range, of: source)
            return source
        }
        let fields = stamp.flags.map { projected.fields[$0] }.filter(\.isNonBooleanFlag)
        let copy = FlagSpelling.withBooleans(at: fields, in: source[range])
        try JSONScanner.project(projection, from: copy, in: copy.indices, into: &projected)
        makeRow(copy.indices, of: copy)
        return copy
    }

    /// Creates the row from the fields of the projection.
    private mutating func makeRow(_ range: Range<Int>, of source: [UInt8]) {
        let bytes = source[...]
        for column in kinds.indices {
            values[column] =
                stamp.overrides[column]
                ?? IndexValue(
                    projected.fields[column], in: bytes.span, collected: projected.collected,
                    for: kinds[column])
        }
        collectRemovals()
        if removed.isEmpty && stamp.suffix.isEmpty {
            storedRange = Self.trimmed(range, of: source)
        } else {
            storedRange = nil
            splice(range, of: source)
        }
    }

    /// Collects the members to remove, however often they occur: system fields, members of the stamp, and flags that
    /// occur earlier as well, because parsers differ in which of two equal members they use.
    private mutating func collectRemovals() {
        removed.removeAll(keepingCapacity: true)
        for position in stamp.removals where !projected.fields[position].isMissing {
            let field = projected.fields[position]
            removed.append(field.memberStart..<field.end)
        }
        for (path, member) in projected.repeated where stamp.removals.contains(path) || stamp.flags.contains(path) {
            removed.append(member)
        }
    }

    private mutating func splice(_ range: Range<Int>, of source: [UInt8]) {
        scratch.removeAll(keepingCapacity: true)
        let text = source[Self.trimmed(range, of: source)]
        if removed.isEmpty {
            scratch += source[text.startIndex..<text.endIndex - 1]
        } else {
            let start = text.startIndex
            let members = removed.map { $0.lowerBound - start..<$0.upperBound - start }
            JSONSplice.append(text, removing: members, adding: [], to: &scratch)
            scratch.removeLast()
        }
        if !stamp.suffix.isEmpty {
            if scratch.last(where: { $0 > 0x20 }) != UInt8(ascii: "{") { scratch.append(UInt8(ascii: ",")) }
            scratch += stamp.suffix
        }
        scratch.append(UInt8(ascii: "}"))
    }

    /// Returns the range without white space around the value.
    private static func trimmed(_ range: Range<Int>, of source: [UInt8]) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, source[start] <= 0x20 { start += 1 }
        while end > start, source[end - 1] <= 0x20 { end -= 1 }
        return start..<end
    }

    // MARK: The key of the entry to replace

    /// The field of the key path, in the original record.
    var key: JSONField { projected.fields[keyPosition] }
    var collected: [[UInt8]] { projected.collected }

    /// Returns the record's `_soupEntryId`; nil if it has none.
    ///
    /// - Throws: ``SoupError`` with `json` if it is not a whole number.
    func entryId(in source: [UInt8]) throws -> Int64? {
        let field = projected.fields[entryIdPosition]
        if field.isMissing { return nil }
        let text = JSONText(trusted: source[field.range])
        if let id = text.value.intValue ?? text.string.flatMap({ Int64($0) }) { return id }
        throw SoupError(.json, "\(EntryField.entryId) must be a whole number, not \(text)")
    }
}

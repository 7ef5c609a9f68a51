// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Takes a record apart for its row: the text to store and the values of the index columns, in one pass over the
/// record.
///
/// Keep one for a whole batch: it reuses its memory.
struct RecordReader {
    private let table: SoupTable
    private let projection: JSONProjection
    private var projected = JSONProjected()
    /// The positions in the projection of the members that are never stored as they come.
    private let entryIdPosition: Int
    private let stampedNames: [JSONPath: Int]
    /// The positions of the local flags, which are stored as booleans only.
    private let flagPositions: [Int]
    private let keyPosition: Int
    private var scratch: [UInt8] = []
    private var removed: [Range<Int>] = []
    private let kinds: [IndexSpec.Kind]
    /// What is set on the records that are read; it must come from ``prepare(_:)``.
    var stamp: PreparedStamp

    /// The values of the index columns; slices point into the record's source.
    private(set) var values: [IndexValue]
    /// Where the text to store lies in the source; nil when it had to be made anew, and then it is ``madeText``.
    private(set) var storedRange: Range<Int>?
    var madeText: [UInt8] { scratch }

    /// - Parameters:
    ///   - names: the members that stamps will set or take away.
    ///   - key: the path whose value tells the entry to replace.
    /// - Throws: ``SoupError`` with `badMemberName`.
    init(_ table: SoupTable, stamping names: [String], key: JSONPath?) throws {
        try Stamp.checkNames(Set(names))
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

    /// Makes a stamp ready for records that this reader reads; its names must be among those that it was made with.
    func prepare(_ stamp: Stamp) -> PreparedStamp {
        let stamp = PreparedStamp.normalised(stamp)
        let stamped = stamp.members.compactMap { stampedNames[JSONPath($0.name)] }
        return PreparedStamp(
            stamp, for: table, removing: [entryIdPosition, entryIdPosition + 1] + stamped,
            flags: flagPositions.filter { !stamped.contains($0) })
    }

    /// Reads a record of a batch, as it will be stored with ``stamp``.
    ///
    /// - Returns: the source that everything found points into: the bytes of the batch, or those of a copy of the
    ///   record whose flags have been made booleans.
    /// - Throws: ``JSONError``.
    mutating func read(_ index: Int, of batch: RecordBatch) throws -> [UInt8] {
        try batch.project(projection, of: index, into: &projected)
        return try takeWithBooleanFlags(batch.ranges[index], of: batch.bytes)
    }

    /// Reads the record at `range`, as it will be stored with ``stamp``.
    ///
    /// - Returns: the source that everything found points into, as the form for batches does.
    /// - Throws: ``JSONError``.
    mutating func read(_ range: Range<Int>, of source: [UInt8]) throws -> [UInt8] {
        try JSONScanner.project(projection, from: source, in: range, into: &projected)
        return try takeWithBooleanFlags(range, of: source)
    }

    /// A flag in another spelling is rare: the record is then written anew and read once more, so that its text, its
    /// columns and the key it is found by cannot but agree.
    private mutating func takeWithBooleanFlags(_ range: Range<Int>, of source: [UInt8]) throws -> [UInt8] {
        guard stamp.flags.contains(where: { projected.fields[$0].isOddFlag }) else {
            take(range, of: source)
            return source
        }
        let odd = stamp.flags.map { projected.fields[$0] }.filter(\.isOddFlag)
        let copy = FlagSpelling.withBooleans(at: odd, in: source[range])
        try JSONScanner.project(projection, from: copy, in: copy.indices, into: &projected)
        take(copy.indices, of: copy)
        return copy
    }

    /// Makes the row from what the projection found.
    private mutating func take(_ range: Range<Int>, of source: [UInt8]) {
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

    /// The members that do not stay: system fields, and what the stamp sets or takes away, however often they occur;
    /// and flags that were there before, because parsers differ in which of two members they take.
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

    /// The range without white space around the value.
    private static func trimmed(_ range: Range<Int>, of source: [UInt8]) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, source[start] <= 0x20 { start += 1 }
        while end > start, source[end - 1] <= 0x20 { end -= 1 }
        return start..<end
    }

    // MARK: What tells the entry to replace

    /// The field of the key path, in the record as it came.
    var key: JSONField { projected.fields[keyPosition] }
    var collected: [[UInt8]] { projected.collected }

    /// The record's `_soupEntryId`; nil when it has none.
    ///
    /// - Throws: ``SoupError`` with `json` when it is not a whole number.
    func entryId(in source: [UInt8]) throws -> Int64? {
        let field = projected.fields[entryIdPosition]
        if field.isMissing { return nil }
        let text = JSONText(trusted: source[field.range])
        if let id = text.value.intValue ?? text.string.flatMap({ Int64($0) }) { return id }
        throw SoupError(.json, "\(EntryField.entryId) must be a whole number, not \(text)")
    }
}

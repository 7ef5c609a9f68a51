// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The positions of the top-level members of records, recorded while the records were validated.
///
/// With this list, members can be taken from the records without reading the bytes again. Only the scanner creates one,
/// and only for records that it has read to their end.
public struct JSONOutline: Sendable {
    /// A top-level member of a record, as offsets into the page.
    ///
    /// A page has tens of thousands of them, so each is small.
    struct Member: Sendable {
        private let keyStartOffset: UInt32
        private let keyEndOffset: UInt32
        private let startOffset: UInt32
        private let endOffset: UInt32
        let kind: JSONField.Kind
        let keyIsEscaped: Bool

        init(key: Range<Int>, keyIsEscaped: Bool, value: Range<Int>, kind: JSONField.Kind) {
            keyStartOffset = UInt32(truncatingIfNeeded: key.lowerBound)
            keyEndOffset = UInt32(truncatingIfNeeded: key.upperBound)
            startOffset = UInt32(truncatingIfNeeded: value.lowerBound)
            endOffset = UInt32(truncatingIfNeeded: value.upperBound)
            self.kind = kind
            self.keyIsEscaped = keyIsEscaped
        }

        /// The offset of the opening quote of the key.
        var keyStart: Int { Int(keyStartOffset) }
        /// The offset after the closing quote of the key.
        var keyEnd: Int { Int(keyEndOffset) }
        var start: Int { Int(startOffset) }
        var end: Int { Int(endOffset) }
    }

    /// The maximum offset of members; a longer page is refused before it is read.
    static let maximumLength = Int(clamping: UInt32.max)

    /// The number of bytes that the records were read from.
    let length: Int
    private(set) var members: [Member] = []
    /// The members of each record.
    private(set) var records: [Range<Int>] = []

    init(length: Int) { self.length = length }

    /// Creates the outline of the records of several scans of the same bytes, one after the other.
    init(joining parts: some Collection<JSONOutline>) {
        length = parts.first?.length ?? 0
        members.reserveCapacity(parts.reduce(0) { $0 + $1.members.count })
        records.reserveCapacity(parts.reduce(0) { $0 + $1.records.count })
        for part in parts {
            let base = members.count
            members += part.members
            for record in part.records { records.append(record.lowerBound + base..<record.upperBound + base) }
        }
    }

    /// Reserves memory for `count` records that are all like the first one.
    mutating func reserve(count: Int) {
        guard records.count == 1 else { return }
        records.reserveCapacity(count)
        members.reserveCapacity(min(count.multipliedReportingOverflow(by: members.count).partialValue, length / 8))
    }

    /// Returns the outline with only the records at `kept` positions.
    func keeping(_ kept: [Int]) -> JSONOutline {
        var copy = self
        copy.records = kept.map { records[$0] }
        return copy
    }

    /// Skips the object at `position` and records its members.
    mutating func readRecord(
        _ bytes: borrowing Span<UInt8>, _ position: inout Int, depth: Int
    ) throws(JSONError) {
        let first = members.count
        if try JSONGrammar.openContainer(bytes, &position, depth: depth, close: UInt8(ascii: "}")) {
            repeat {
                let keyStart = position
                let escaped = try JSONGrammar.skipKey(bytes, &position)
                let keyEnd = position
                try JSONGrammar.skipColon(bytes, &position)
                let start = position
                let kind = try JSONGrammar.skipValue(bytes, &position, depth: depth + 1)
                members.append(
                    Member(key: keyStart..<keyEnd, keyIsEscaped: escaped, value: start..<position, kind: kind))
            } while try JSONGrammar.anotherFollows(bytes, &position, close: UInt8(ascii: "}"))
        }
        records.append(first..<members.count)
    }

    /// Reads the object in `range`, which may have white space around it, and records its members.
    ///
    /// - Returns: the range of the object without the white space.
    /// - Throws: ``JSONError`` under the same conditions as ``JSONScanner`` for a projection of the range.
    mutating func readRecord(_ bytes: Span<UInt8>, in range: Range<Int>) throws(JSONError) -> Range<Int> {
        try JSONScanner.check(range, in: bytes)
        let text = bytes.extracting(..<range.upperBound)
        var position = range.lowerBound
        let start = try JSONScanner.startOfObject(text, &position)
        try readRecord(text, &position, depth: 0)
        let end = position
        try JSONScanner.expectEnd(text, &position)
        return start..<end
    }
}

extension JSONScanner {
    /// Takes the projection's paths from one record of an outlined page.
    ///
    /// The result is the same as from the record's bytes alone. Only keys that can match are compared, and the only
    /// values that are read again are those that a longer path leads into: the outline does not contain their members.
    static func project(
        _ projection: JSONProjection, from bytes: Span<UInt8>, _ record: Range<Int>, at index: Int,
        of outline: JSONOutline, into result: inout JSONProjected
    ) throws(JSONError) {
        let tree = projection.tree
        result.reset(count: projection.paths.count)
        for position in outline.records[index] {
            let member = outline.members[position]
            let child = tree.child(
                of: 0, keyIn: bytes, from: member.keyStart + 1, to: member.keyEnd - 1, escaped: member.keyIsEscaped)
            guard child >= 0 else { continue }
            if tree.hasChildren(child) {
                var start = member.start
                try projectMember(
                    bytes, &start, keyStart: member.keyStart, at: child, of: tree, depth: 1, into: &result)
            } else {
                note(
                    member.kind, range: member.start..<member.end, keyStart: member.keyStart, at: child, of: tree,
                    in: &result)
            }
        }
        for path in tree.paths(endingAt: 0) {
            result.fields[path] = JSONField(kind: .object, start: record.lowerBound, end: record.upperBound)
        }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The positions of the members of a page's records, recorded while the page was validated.
///
/// With this list, members can be taken from the records without reading the bytes again. Only the scanner creates one,
/// and only for bytes that it has read to their end.
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

    /// The number of bytes that were read.
    let length: Int
    private(set) var members: [Member] = []
    /// The members of each record.
    private(set) var records: [Range<Int>] = []

    init(length: Int) { self.length = length }

    /// Reserves memory for a page whose records are all like the first one, which took `length` bytes.
    mutating func reserve(length: Int) {
        guard records.count == 1, length > 0 else { return }
        let count = self.length / length
        records.reserveCapacity(count)
        members.reserveCapacity(min(count * members.count, self.length / 8))
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
}

extension JSONScanner {
    /// Takes the projection's paths from one record of an outlined page.
    ///
    /// The result is the same as from the record's bytes alone.
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

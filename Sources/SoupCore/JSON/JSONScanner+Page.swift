// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The result of scanning a page: the position of each record, and the requested members around them.
public struct JSONPageScan: Sendable {
    /// The records, in order, as offsets into the page's bytes.
    public internal(set) var records: [Range<Int>] = []
    /// Whether the path to the records led to an array, possibly an empty one; null and absent values do not count.
    public internal(set) var foundRecords = false
    /// The number of elements that are null, which are not among the records.
    public internal(set) var nullCount = 0
    /// Whether a requested member outside the records, or the array itself, occurs twice; the first one is used.
    public internal(set) var repeatsMembers = false
    /// The fields of the envelope, in the order of the requested paths.
    public internal(set) var envelope: [JSONField] = []
    /// The fields of the records, record after record, each with one field for each path of the projection.
    public internal(set) var fields: [JSONField] = []
    /// The arrays that projected paths collected; see ``JSONField/Kind/collected``.
    public internal(set) var collected: [[UInt8]] = []
    /// The positions of the records' members, with which more can be taken from them without reading them again.
    public internal(set) var outline: JSONOutline

    init(length: Int) { outline = JSONOutline(length: length) }
}

extension JSONScanner {
    /// Slices the records of a page, in one pass that also validates the page and takes the requested fields.
    ///
    /// ```swift
    /// let scan = try JSONScanner.page(body, recordsAt: "records", envelope: ["totalSize", "nextRecordsUrl"])
    /// ```
    ///
    /// - Parameters:
    ///   - recordsAt: the path to the array of records; the empty path for a page that is itself an array.
    ///   - envelope: paths, outside the records, whose values are also taken.
    ///   - projection: paths to take from every record.
    ///   - range: the part of the bytes that is the page; nil for all of them. Offsets in the result count from the
    ///     start of the bytes.
    ///   - allowsNull: whether an element of the records can be null; ``JSONPageScan/nullCount`` counts them.
    /// - Throws: ``JSONError``: not JSON, or `.notAnObject` if an element of the records is not an object, or
    ///   `.tooLong` for a page of 4 GiB.
    public static func page(
        _ bytes: Span<UInt8>, recordsAt: JSONPath, envelope: [JSONPath] = [],
        projecting projection: JSONProjection? = nil, in range: Range<Int>? = nil, allowsNull: Bool = false
    ) throws(JSONError) -> JSONPageScan {
        guard bytes.count <= JSONOutline.maximumLength else {
            throw JSONError(.tooLong, at: JSONOutline.maximumLength)
        }
        var reader = PageReader(
            outer: JSONPathTree([recordsAt] + envelope), projection: projection, allowsNull: allowsNull,
            scan: JSONPageScan(length: bytes.count))
        reader.outerResult.reset(count: envelope.count + 1)
        let range = range ?? 0..<bytes.count
        try check(range, in: bytes)
        let bytes = bytes.extracting(..<range.upperBound)
        var position = range.lowerBound
        JSONGrammar.skipWhitespace(bytes, &position)
        guard position < bytes.count else { throw JSONError(.unexpectedEnd, at: position) }
        if bytes[position] == UInt8(ascii: "["), recordsAt.keys.isEmpty {
            try reader.readRecords(bytes, &position, depth: 0)
        } else if bytes[position] == UInt8(ascii: "{") {
            try reader.readEnvelope(bytes, &position, from: 0, depth: 0)
        } else {
            _ = try JSONGrammar.skipValue(bytes, &position, depth: 0)
        }
        try expectEnd(bytes, &position)
        reader.scan.envelope = Array(reader.outerResult.fields.dropFirst())
        return reader.scan
    }
}

/// The walk over a page: outside the records by the nodes of the envelope, in the records by the projection.
private struct PageReader {
    let outer: JSONPathTree
    let projection: JSONProjection?
    let allowsNull: Bool
    var scan: JSONPageScan
    var outerResult = JSONProjected()
    var record = JSONProjected()

    /// An object around the records, and the node whose members are read outside it.
    private struct OpenObject {
        let outer: Int
        let keyStart: Int
        let start: Int
    }

    mutating func readEnvelope(
        _ bytes: borrowing Span<UInt8>, _ position: inout Int, from root: Int, depth: Int
    ) throws(JSONError) {
        guard try JSONGrammar.openContainer(bytes, &position, depth: depth, close: UInt8(ascii: "}")) else { return }
        var node = root
        var openObjects: [OpenObject] = []
        while true {
            let keyStart = position
            let escaped = try JSONGrammar.skipKey(bytes, &position)
            let keyEnd = position - 1
            try JSONGrammar.skipColon(bytes, &position)
            let child = outer.child(of: node, keyIn: bytes, from: keyStart + 1, to: keyEnd, escaped: escaped)
            let start = position
            let inner = depth + openObjects.count + 1
            let byte = child >= 0 && position < bytes.count ? bytes[position] : 0
            let isRecords = byte == UInt8(ascii: "[") && !scan.foundRecords && outer.paths(endingAt: child).contains(0)
            if isRecords {
                try readRecords(bytes, &position, depth: inner)
                note(.array, range: start..<position, keyStart: keyStart, at: child)
            } else if byte == UInt8(ascii: "{"), outer.hasChildren(child) {
                if try JSONGrammar.openContainer(bytes, &position, depth: inner, close: UInt8(ascii: "}")) {
                    openObjects.append(OpenObject(outer: node, keyStart: keyStart, start: start))
                    node = child
                    continue
                }
                note(.object, range: start..<position, keyStart: keyStart, at: child)
            } else {
                let kind = try JSONGrammar.skipValue(bytes, &position, depth: inner)
                note(kind, range: start..<position, keyStart: keyStart, at: child)
            }
            while try !JSONGrammar.anotherFollows(bytes, &position, close: UInt8(ascii: "}")) {
                guard let left = openObjects.popLast() else { return }
                note(.object, range: left.start..<position, keyStart: left.keyStart, at: node)
                node = left.outer
            }
        }
    }

    /// Records a value for the paths that end at a node, unless an earlier member of that name came first.
    private mutating func note(_ kind: JSONField.Kind, range: Range<Int>, keyStart: Int, at node: Int) {
        guard node >= 0 else { return }
        for path in outer.paths(endingAt: node) {
            guard outerResult.fields[path].isMissing else {
                scan.repeatsMembers = true
                continue
            }
            outerResult.fields[path] = JSONField(
                kind: kind, start: range.lowerBound, end: range.upperBound, memberStart: keyStart)
        }
    }

    mutating func readRecords(
        _ bytes: borrowing Span<UInt8>, _ position: inout Int, depth: Int
    ) throws(JSONError) {
        scan.foundRecords = true
        guard try JSONGrammar.openContainer(bytes, &position, depth: depth, close: UInt8(ascii: "]")) else { return }
        repeat {
            let start = position
            guard position < bytes.count else { throw JSONError(.unexpectedEnd, at: position) }
            if allowsNull, bytes[position] == UInt8(ascii: "n") {
                _ = try JSONGrammar.skipValue(bytes, &position, depth: depth + 1)
                scan.nullCount += 1
                continue
            }
            guard bytes[position] == UInt8(ascii: "{") else { throw JSONError(.notAnObject, at: position) }
            try scan.outline.readRecord(bytes, &position, depth: depth + 1)
            let index = scan.records.count
            if index == 0 { scan.outline.reserve(count: (bytes.count - start) / (position - start)) }
            scan.records.append(start..<position)
            if let projection {
                try JSONScanner.project(
                    projection, from: bytes, start..<position, at: index, of: scan.outline, into: &record)
                keepRecordFields()
            }
        } while try JSONGrammar.anotherFollows(bytes, &position, close: UInt8(ascii: "]"))
    }

    private mutating func keepRecordFields() {
        for var field in record.fields {
            if field.kind == .collected { field.start += scan.collected.count }
            scan.fields.append(field)
        }
        scan.collected += record.collected
    }
}

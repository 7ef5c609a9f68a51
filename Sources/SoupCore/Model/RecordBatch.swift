// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Records as slices of the bytes they came in, on their way to a store.
///
/// Nobody on the way decodes them: a target cuts a response into a batch, a backend copies the slices into rows.
public struct RecordBatch: Sendable {
    /// The bytes that hold all records; for a page, the body of the response.
    public let bytes: [UInt8]
    /// One JSON object each, as offsets into ``bytes``.
    public let ranges: [Range<Int>]
    /// What to stamp on each record alone; empty, or one for each record.
    public let stamps: [Stamp]
    /// Where the scanner that cut the records met their members; nil when the records came another way.
    private let outline: JSONOutline?

    /// - Parameters:
    ///   - ranges: must each hold exactly one JSON object; a backend refuses the batch otherwise.
    ///   - stamps: empty, or as many as ranges.
    public init(bytes: [UInt8], ranges: [Range<Int>], stamps: [Stamp] = []) {
        self.bytes = bytes
        self.ranges = ranges
        self.stamps = stamps.count == ranges.count ? stamps : []
        outline = nil
    }

    /// Takes the records of a page as the scanner cut it, so that nobody need read them again to take members from
    /// them.
    ///
    /// - Parameters:
    ///   - bytes: the very bytes that were scanned.
    ///   - stamps: empty, or as many as the page has records.
    public init(bytes: [UInt8], scan: JSONPageScan, stamps: [Stamp] = []) {
        self.init(
            bytes: bytes, ranges: scan.records, stamps: stamps,
            outline: scan.outline.length == bytes.count ? scan.outline : nil)
    }

    private init(bytes: [UInt8], ranges: [Range<Int>], stamps: [Stamp], outline: JSONOutline?) {
        self.bytes = bytes
        self.ranges = ranges
        self.stamps = stamps.count == ranges.count ? stamps : []
        self.outline = outline
    }

    /// Gathers separate texts.
    public init(_ records: some Sequence<JSONText>) {
        var bytes: [UInt8] = []
        var ranges: [Range<Int>] = []
        for record in records {
            let start = bytes.count
            bytes += record.bytes
            ranges.append(start..<bytes.count)
        }
        self.init(bytes: bytes, ranges: ranges)
    }

    /// No records, as on the only page of a query that finds nothing.
    public static let empty = RecordBatch(bytes: [], ranges: [])

    /// How many records there are.
    public var count: Int { ranges.count }
    /// Whether there is no record, whatever ``bytes`` holds.
    public var isEmpty: Bool { ranges.isEmpty }

    /// The text of a record, as it came.
    public subscript(index: Int) -> JSONText { JSONText(trusted: bytes[ranges[index]]) }

    /// Takes the projection's paths from a record, as ``JSONScanner`` does.
    ///
    /// - Throws: ``JSONError``: the record is no JSON object. Never for the records of a scanned page.
    public func project(
        _ projection: JSONProjection, of index: Int, into result: inout JSONProjected
    ) throws(JSONError) {
        if let outline {
            let slice = bytes[...]
            try JSONScanner.project(
                projection, from: slice.span, ranges[index], at: index, of: outline, into: &result)
        } else {
            try JSONScanner.project(projection, from: bytes, in: ranges[index], into: &result)
        }
    }

    /// The same records, some of them with more to stamp on them, by their positions.
    ///
    /// Where both name a member the new stamp wins.
    public func stamping(_ more: [Int: Stamp]) -> RecordBatch {
        guard !more.isEmpty else { return self }
        let stamps = ranges.indices.map { index in
            let known = self.stamps.isEmpty ? Stamp.none : self.stamps[index]
            return more[index].map { known.merging($0) } ?? known
        }
        return RecordBatch(bytes: bytes, ranges: ranges, stamps: stamps, outline: outline)
    }

    /// The same records without those that `keep` refuses.
    public func filter(_ keep: (Int) -> Bool) -> RecordBatch {
        let kept = ranges.indices.filter(keep)
        if kept.count == ranges.count { return self }
        return RecordBatch(
            bytes: bytes, ranges: kept.map { ranges[$0] }, stamps: stamps.isEmpty ? [] : kept.map { stamps[$0] },
            outline: outline?.keeping(kept))
    }
}

/// Top-level members to set on a record, or to take from it, while it is written.
///
/// A store refuses names with a dot, with `badMemberName`: everywhere else they are paths.
public struct Stamp: Sendable, Hashable {
    /// Names and their new values, in the order in which they are written; nil takes the member away.
    public var members: [Member]

    /// A member by its name, and what becomes of it.
    public struct Member: Sendable, Hashable {
        /// A key of the record itself; one with a dot is refused when it is written.
        public var name: String
        /// Copied into the record byte for byte; nil takes the member away.
        public var value: JSONText?

        /// Makes a member; ``Stamp/checkNames(_:)`` checks names.
        public init(_ name: String, _ value: JSONText?) {
            self.name = name
            self.value = value
        }
    }

    /// A stamp of these members; of two with the same name the later one counts.
    public init(_ members: [Member] = []) { self.members = members }

    /// Changes nothing.
    public static let none = Stamp()

    /// Whether it changes nothing.
    public var isEmpty: Bool { members.isEmpty }

    /// - Throws: ``SoupError`` with `badMemberName` for names that a store must refuse.
    public static func checkNames(_ names: some Sequence<String>) throws {
        for name in names where name.utf8.contains(UInt8(ascii: ".")) {
            throw SoupError(
                .badMemberName, "\"\(name)\" cannot be the name of a member: with a dot it is a path",
                hint: "Give the whole value of \"\(JSONPath(name).keys.first ?? "")\" instead")
        }
    }

    /// Checks what a backend is to set in its entries.
    ///
    /// - Throws: ``SoupError`` with `badMemberName` for names that a store must refuse, and with `json` for a value so
    ///   deep that the entry around it could not be read again.
    public static func check(_ members: [Member]) throws {
        try checkNames(members.map(\.name))
        for member in members {
            guard let value = member.value, let first = value.bytes.first, first == 0x5B || first == 0x7B else {
                continue
            }
            do throws(JSONError) {
                _ = try JSONText(ArraySlice([0x5B] + value.bytes + [0x5D]))
            } catch {
                throw SoupError(
                    .json, "the value of \"\(member.name)\" cannot be set: \(error.reason.rawValue)",
                    place: Place(path: member.name), cause: error)
            }
        }
    }

    /// Sets a member, or takes it away; a name that is already there is replaced.
    public func setting(_ name: String, _ value: JSONText?) -> Stamp {
        var copy = self
        copy.members.removeAll { $0.name == name }
        copy.members.append(Member(name, value))
        return copy
    }

    /// What a record without local changes carries: four flags that are false, and no last error.
    public static let clean = Stamp(
        EntryField.localFlags.map { Member($0, .false) } + [Member(EntryField.lastError, nil)])

    /// ``clean``, and the id of the sync down that brings the record.
    public static func synced(by syncId: Int64) -> Stamp { clean.setting(EntryField.syncId, .integer(syncId)) }

    /// This stamp, then another; where both name a member the other wins.
    public func merging(_ other: Stamp) -> Stamp {
        other.members.reduce(self) { $0.setting($1.name, $1.value) }
    }
}

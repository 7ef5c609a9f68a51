// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Records for a store, as slices of the bytes in which they arrived.
///
/// They are not decoded on the way: a target cuts a response into a batch, and a backend copies the slices into rows.
///
/// The bytes of a record are read once. The scan of a page validates them and notes the position of each top-level
/// member, and ``project(_:of:into:)`` then takes the ID, the modification date and the indexed paths from these
/// positions. A batch that was created from bytes and ranges has no positions until ``scanned()``, which the engine
/// calls for each page that a target returns; before that, each projection reads the record completely.
public struct RecordBatch: Sendable {
    /// The bytes that contain all records; for a page, the body of the response.
    public let bytes: [UInt8]
    /// The offsets of the records in ``bytes``, one JSON object each.
    public let ranges: [Range<Int>]
    /// The stamps of the single records; empty, or one for each record.
    public let stamps: [RecordBatch.Stamp]
    /// The positions of the records' members, from the scanner; nil if the records have not been scanned.
    private let outline: JSONOutline?

    /// Creates a batch from bytes and the positions of the records in them.
    ///
    /// - Parameters:
    ///   - ranges: each must contain exactly one JSON object; otherwise a backend refuses the batch.
    ///   - stamps: empty, or as many as ranges.
    public init(bytes: [UInt8], ranges: [Range<Int>], stamps: [RecordBatch.Stamp] = []) {
        self.bytes = bytes
        self.ranges = ranges
        self.stamps = stamps.count == ranges.count ? stamps : []
        outline = nil
    }

    /// Creates a batch from a scanned page, so that members can be taken from its records without reading them again.
    ///
    /// - Parameters:
    ///   - bytes: the bytes that were scanned.
    ///   - stamps: empty, or as many as the page has records.
    public init(bytes: [UInt8], scan: JSONPageScan, stamps: [RecordBatch.Stamp] = []) {
        self.init(
            bytes: bytes, ranges: scan.records, stamps: stamps,
            outline: scan.outline.length == bytes.count ? scan.outline : nil)
    }

    /// Creates a batch from scanned parts of the same bytes, such as the children of several records of a page.
    ///
    /// - Parameters:
    ///   - bytes: the bytes that every scan read a part of.
    ///   - scans: their records become those of the batch, in this order.
    ///   - stamps: empty, or as many as the scans have records.
    public init(bytes: [UInt8], scans: [JSONPageScan], stamps: [RecordBatch.Stamp] = []) {
        let isScanned = scans.allSatisfy { $0.outline.length == bytes.count }
        self.init(
            bytes: bytes, ranges: scans.flatMap(\.records), stamps: stamps,
            outline: isScanned ? JSONOutline(joining: scans.map(\.outline)) : nil)
    }

    private init(bytes: [UInt8], ranges: [Range<Int>], stamps: [RecordBatch.Stamp], outline: JSONOutline?) {
        self.bytes = bytes
        self.ranges = ranges
        self.stamps = stamps.count == ranges.count ? stamps : []
        self.outline = outline
    }

    /// Creates a batch from separate texts.
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

    /// A batch without records, as on the only page of a query that finds nothing.
    public static let empty = RecordBatch(bytes: [], ranges: [])

    /// The number of records.
    public var count: Int { ranges.count }
    /// Whether there are no records, whatever ``bytes`` contains.
    public var isEmpty: Bool { ranges.isEmpty }

    /// The text of a record, unchanged.
    public subscript(index: Int) -> JSONText { JSONText(trusted: bytes[ranges[index]]) }

    /// Returns the text of a record, after checking that it is one JSON object.
    ///
    /// A record that was scanned is not read again.
    ///
    /// - Throws: ``JSONError`` if the record is not a JSON object; never for the records of a scanned batch.
    public func record(_ index: Int) throws(JSONError) -> JSONText {
        if outline != nil { return self[index] }
        let range = ranges[index]
        guard range.lowerBound >= 0, range.upperBound <= bytes.count else {
            throw JSONError(.unexpectedEnd, at: bytes.count)
        }
        let text = try JSONText(bytes[range])
        guard text.bytes.first == UInt8(ascii: "{") else { throw JSONError(.notAnObject, at: range.lowerBound) }
        return text
    }

    /// Returns the same records with the positions of their members, so that they are not read again.
    ///
    /// Each record is read and validated once. A batch that was scanned already is returned unchanged.
    ///
    /// - Throws: ``InvalidRecord`` for the first record that is not a JSON object.
    public func scanned() throws(InvalidRecord) -> RecordBatch {
        if outline != nil { return self }
        var outline = JSONOutline(length: bytes.count)
        var objects: [Range<Int>] = []
        objects.reserveCapacity(ranges.count)
        let slice = bytes[...]
        for (index, range) in ranges.enumerated() {
            do throws(JSONError) {
                guard bytes.count <= JSONOutline.maximumLength else {
                    throw JSONError(.tooLong, at: JSONOutline.maximumLength)
                }
                objects.append(try outline.readRecord(slice.span, in: range))
            } catch {
                throw InvalidRecord(index: index, error: error)
            }
            if index == 0 { outline.reserve(count: ranges.count) }
        }
        return RecordBatch(bytes: bytes, ranges: objects, stamps: stamps, outline: outline)
    }

    /// A record of a batch that is not a JSON object.
    public struct InvalidRecord: Error, Sendable, Hashable {
        /// The position of the record in the batch.
        public let index: Int
        /// The reason, at an offset into the bytes of the batch.
        public let error: JSONError

        /// Creates an error; ``RecordBatch/scanned()`` throws it.
        public init(index: Int, error: JSONError) {
            self.index = index
            self.error = error
        }
    }

    /// Takes the projection's paths from a record, as ``JSONScanner`` does.
    ///
    /// - Throws: ``JSONError`` if the record is not a JSON object; never for the records of a scanned batch.
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

    /// Returns the same records with additional stamps, by their positions.
    ///
    /// If both stamps name a member, the new one is used.
    public func stamping(_ more: [Int: RecordBatch.Stamp]) -> RecordBatch {
        guard !more.isEmpty else { return self }
        let stamps = ranges.indices.map { index in
            let known = self.stamps.isEmpty ? RecordBatch.Stamp.none : self.stamps[index]
            return more[index].map { known.merging($0) } ?? known
        }
        return RecordBatch(bytes: bytes, ranges: ranges, stamps: stamps, outline: outline)
    }

    /// Returns the records for which `keep` returns true.
    public func filter(_ keep: (Int) -> Bool) -> RecordBatch {
        let kept = ranges.indices.filter(keep)
        if kept.count == ranges.count { return self }
        return RecordBatch(
            bytes: bytes, ranges: kept.map { ranges[$0] }, stamps: stamps.isEmpty ? [] : kept.map { stamps[$0] },
            outline: outline?.keeping(kept))
    }
}

extension RecordBatch {
    /// The top-level members to set on a record, or to remove from it, while it is written.
    ///
    /// A store refuses names with a dot, with `badMemberName`, because they are paths everywhere else.
    public struct Stamp: Sendable, Hashable {
        /// The members and their new values, each name once, in the order in which they are written; nil removes the
        /// member.
        public private(set) var members: [Member]

        /// A member by its name, with its new value.
        public struct Member: Sendable, Hashable {
            /// The key in the record itself; a key with a dot is refused when it is written.
            public var name: String
            /// The value, which is copied into the record byte for byte; nil removes the member.
            public var value: JSONText?

            /// Creates a member; ``RecordBatch/Stamp/checkNames(_:)`` checks names.
            public init(_ name: String, _ value: JSONText?) {
                self.name = name
                self.value = value
            }
        }

        /// Creates a stamp; of two members with the same name the later one is used.
        public init(_ members: [Member] = []) {
            self.members = []
            for member in members { set(member.name, member.value) }
        }

        /// A stamp that changes nothing.
        public static let none = RecordBatch.Stamp()

        /// Whether the stamp changes nothing.
        public var isEmpty: Bool { members.isEmpty }

        /// Checks names of members.
        ///
        /// - Throws: ``SoupError`` with `badMemberName` for names that a store must refuse.
        public static func checkNames(_ names: some Sequence<String>) throws {
            for name in names where name.utf8.contains(UInt8(ascii: ".")) {
                throw SoupError(
                    .badMemberName, "\"\(name)\" cannot be the name of a member: with a dot it is a path",
                    hint: "Set the whole value of \"\(JSONPath(name).keys.first ?? "")\" instead.")
            }
        }

        /// Checks the members that a backend will set in its entries.
        ///
        /// - Throws: ``SoupError`` with `badMemberName` for names that a store must refuse, and with `json` for a value
        ///   nested so deep that the entry with it could not be read again.
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
                        place: SoupError.Place(path: member.name), cause: error)
                }
            }
        }

        /// Returns the stamp with a member set or removed; an existing member of that name is replaced at its position.
        public func setting(_ name: String, _ value: JSONText?) -> RecordBatch.Stamp {
            var copy = self
            copy.set(name, value)
            return copy
        }

        private mutating func set(_ name: String, _ value: JSONText?) {
            if let position = members.firstIndex(where: { $0.name == name }) {
                members[position].value = value
            } else {
                members.append(Member(name, value))
            }
        }

        /// The stamp of a record without local changes: four flags that are false, and no last error.
        public static let clean = RecordBatch.Stamp(
            EntryField.localFlags.map { Member($0, .false) } + [Member(EntryField.lastError, nil)])

        /// Returns ``clean`` with the ID of the sync down that fetched the record.
        public static func synced(by syncId: Int64) -> RecordBatch.Stamp {
            clean.setting(EntryField.syncId, .integer(syncId))
        }

        /// Returns this stamp followed by another; if both name a member, the other's is used.
        public func merging(_ other: RecordBatch.Stamp) -> RecordBatch.Stamp {
            other.members.reduce(self) { $0.setting($1.name, $1.value) }
        }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The answer to a query, cut into records, with chosen fields of each and the way to the next page.
///
/// Nothing is decoded but what is asked for.
public struct QueryPageScan: Sendable {
    /// The bytes that were cut: the whole body, or that of the page of children.
    public let bytes: [UInt8]
    /// Where each record lies in ``bytes``, from brace to brace, in the order of the page.
    public let records: [Range<Int>]
    /// `nextRecordsUrl`; nil on the last page.
    public let next: String?
    /// `totalSize`: the rows on all pages of the query; nil for a list that is not a query's.
    public let totalSize: Int?
    private let scan: JSONPageScan
    private let width: Int

    /// Cuts a page of a query.
    ///
    /// - Throws: ``SoupError`` with `json` when the answer is not a page: it must have `records`, `done` and
    ///   `totalSize`, and `nextRecordsUrl` if and only if it is not the last one.
    public init(_ answer: HTTPAnswer, projecting paths: [JSONPath] = []) throws {
        try self.init(answer.body, projecting: paths)
    }

    /// Cuts the bytes of an answer, or of the page of children inside of one.
    ///
    /// - Throws: as ``init(_:projecting:)``.
    public init(_ bytes: [UInt8], projecting paths: [JSONPath] = []) throws {
        try self.init(bytes, projecting: paths.isEmpty ? nil : JSONProjection(paths))
    }

    /// The same with a projection that is made once for many pages; nil when no fields are wanted.
    ///
    /// - Throws: as ``init(_:projecting:)``.
    public init(_ bytes: [UInt8], projecting projection: JSONProjection?) throws {
        try self.init(bytes, recordsAt: "records", of: "the query", projection)
        let isDone = scan.envelope[2].kind
        guard isDone == .true || isDone == .false else {
            throw Self.fault("does not say whether it is the last page (\"done\")")
        }
        guard let totalSize, totalSize >= 0 else { throw Self.fault("has no number of rows at \"totalSize\"") }
        if next == nil, isDone == .false { throw Self.fault("is not complete and does not say how to go on") }
        if next != nil, isDone == .true { throw Self.fault("is complete and still names a next page") }
    }

    /// Cuts a list that is not a query's, such as `searchRecords`: it has no further pages and no number of rows.
    ///
    /// - Throws: ``SoupError`` with `json` when the answer has no such list.
    public init(
        listIn answer: HTTPAnswer, at path: JSONPath, of what: String, projecting paths: [JSONPath] = []
    ) throws {
        try self.init(
            answer.body, recordsAt: path, of: what, paths.isEmpty ? nil : JSONProjection(paths))
    }

    private init(_ bytes: [UInt8], recordsAt: JSONPath, of what: String, _ projection: JSONProjection?) throws {
        let scan: JSONPageScan
        do {
            scan = try JSONScanner.page(
                bytes, recordsAt: recordsAt, envelope: ["nextRecordsUrl", "totalSize", "done"],
                projecting: projection)
        } catch {
            throw SoupError(.json, "the answer to \(what) is not a page: \(error)", cause: error)
        }
        guard !scan.repeatsMembers else {
            throw SoupError(
                .json, "the answer to \(what) has a member twice", hint: SoupError.changedResponsesHint)
        }
        guard scan.foundRecords else {
            throw SoupError(.json, "the answer to \(what) has no array at \"\(recordsAt)\"", hint: Self.hint)
        }
        self.bytes = bytes
        records = scan.records
        self.scan = scan
        width = projection?.paths.count ?? 0
        func text(_ index: Int) -> JSONText? { JSONText.text(of: scan.envelope[index], in: bytes[...]) }
        next = text(0)?.string.flatMap { $0.isEmpty ? nil : $0 }
        totalSize = text(1)?.value.intValue.flatMap { Int(exactly: $0) }
    }

    private static let hint =
        "Check the URL of the server and the version of its API. " + SoupError.changedResponsesHint

    private static func fault(_ what: String) -> SoupError {
        SoupError(.json, "the answer to the query \(what)", hint: hint)
    }

    /// The error for a row whose ID was not asked for.
    public static func foreign(_ id: String, _ asked: Int) -> SoupError {
        SoupError(
            .json, "the server answered a query for \(asked) id(s) with the record \(id)",
            hint: SoupError.changedResponsesHint)
    }

    /// The records of this page; those of all pages are ``totalSize``.
    public var count: Int { records.count }

    /// The records on their way to a store.
    ///
    /// - Parameter stamps: what to stamp on each record alone; empty, or one for each.
    public func batch(stamping stamps: [Stamp] = []) -> RecordBatch {
        RecordBatch(bytes: bytes, scan: scan, stamps: stamps)
    }

    /// A field of a record, by the position of its path.
    public func field(_ path: Int, in record: Int) -> JSONField { scan.fields[record * width + path] }

    /// The ID of a record: the text of a field that every row must have.
    ///
    /// - Throws: ``SoupError`` with `json` for a row without one.
    public func id(at path: Int, _ name: String, in record: Int) throws -> String {
        // Another field can be a number; an ID is a text.
        let isNumber = field(path, in: record).kind == .number
        guard let id = text(of: path, in: record), !id.isEmpty, !isNumber || name.lowercased() != "id" else {
            throw SoupError(.json, "record \(record) of the server's page has no \"\(name)\"", hint: Self.hint)
        }
        return id
    }

    /// The text of a field that holds a string or a number; nil for everything else.
    public func text(of path: Int, in record: Int) -> String? {
        let field = field(path, in: record)
        switch field.kind {
        case .string: return String(decoding: bytes[field.start + 1..<field.end - 1], as: UTF8.self)
        case .escapedString: return JSONText.text(of: field, in: bytes[...])?.string
        case .number: return String(decoding: bytes[field.range], as: UTF8.self)
        default: return nil
        }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The response to a query, split into records, with selected fields of each record and the URL of the next page.
///
/// Only the selected fields are decoded.
public struct QueryPageScan: Sendable {
    /// The bytes that were split, or in which a part was split: the whole body.
    public let bytes: [UInt8]
    /// The position of each record in ``bytes``, from brace to brace, in the order of the page.
    public let records: [Range<Int>]
    /// `nextRecordsUrl`; nil on the last page.
    public let next: String?
    /// `totalSize`: the number of rows on all pages of the query; nil for a list that is not from a query.
    public let totalSize: Int?
    private let scan: JSONPageScan
    private let width: Int

    /// Splits a page of a query.
    ///
    /// - Throws: ``SoupError`` with `json` if the response is not a page: it must have `records`, `done` and
    ///   `totalSize`, and `nextRecordsUrl` if and only if it is not the last one.
    public init(_ answer: HTTPAnswer, projecting paths: [JSONPath] = []) throws {
        try self.init(answer.body, projecting: paths)
    }

    /// Splits the bytes of a response.
    ///
    /// - Throws: as the initializer from a response.
    public init(_ bytes: [UInt8], projecting paths: [JSONPath] = []) throws {
        try self.init(bytes, projecting: paths.isEmpty ? nil : JSONProjection(paths))
    }

    /// Splits the bytes with a projection that is created once for many pages; nil if no fields are selected.
    ///
    /// - Throws: as the initializer from a response.
    ///
    /// - Parameter range: the page of children to split inside the response; nil for the whole response.
    public init(_ bytes: [UInt8], in range: Range<Int>? = nil, projecting projection: JSONProjection?) throws {
        try self.init(bytes, in: range, recordsAt: "records", of: "the query", projection)
        let isDone = scan.envelope[2].kind
        guard isDone == .true || isDone == .false else {
            throw Self.fault("has no true or false at \"done\"")
        }
        guard let totalSize, totalSize >= 0 else { throw Self.fault("has no number of rows at \"totalSize\"") }
        if next == nil, isDone == .false { throw Self.fault("is not the last page and has no \"nextRecordsUrl\"") }
        if next != nil, isDone == .true { throw Self.fault("is the last page and has a \"nextRecordsUrl\"") }
    }

    /// Splits a list that is not from a query, such as `searchRecords`: it has no further pages and no number of rows.
    ///
    /// - Throws: ``SoupError`` with `json` if the response has no such list.
    public init(
        listIn answer: HTTPAnswer, at path: JSONPath, of what: String, projecting paths: [JSONPath] = []
    ) throws {
        try self.init(
            answer.body, recordsAt: path, of: what, paths.isEmpty ? nil : JSONProjection(paths))
    }

    private init(
        _ bytes: [UInt8], in range: Range<Int>? = nil, recordsAt: JSONPath, of what: String,
        _ projection: JSONProjection?
    ) throws {
        let scan: JSONPageScan
        do {
            scan = try JSONScanner.page(
                bytes, recordsAt: recordsAt, envelope: ["nextRecordsUrl", "totalSize", "done"],
                projecting: projection, in: range)
        } catch {
            throw SoupError(.json, "the response to \(what) is not a page: \(error)", cause: error)
        }
        guard !scan.repeatsMembers else {
            throw SoupError(
                .json, "the response to \(what) contains a member twice", hint: SoupError.changedResponsesHint)
        }
        guard scan.foundRecords else {
            throw SoupError(.json, "the response to \(what) has no array at \"\(recordsAt)\"", hint: Self.hint)
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

    private static func fault(_ problem: String) -> SoupError {
        SoupError(.json, "the response to the query \(problem)", hint: hint)
    }

    /// Returns the error for a row whose ID was not requested.
    public static func foreign(_ id: String, requested count: Int) -> SoupError {
        SoupError(
            .json, "the server returned the record \(id) for a query of \(count) other ID(s)",
            hint: SoupError.changedResponsesHint)
    }

    /// The number of records on this page; ``totalSize`` counts those of all pages.
    public var count: Int { records.count }

    /// Returns the records as a batch for a store.
    ///
    /// - Parameter stamps: the values to add to each record; empty, or one stamp per record.
    public func batch(stamping stamps: [RecordBatch.Stamp] = []) -> RecordBatch {
        RecordBatch(bytes: bytes, scan: scan, stamps: stamps)
    }

    /// Returns the records of several pages of children as one batch.
    ///
    /// - Parameters:
    ///   - pages: parts of the same response, in the order of the records.
    ///   - stamps: the values to add to each record; empty, or one stamp per record.
    public static func batch(of pages: [QueryPageScan], stamping stamps: [RecordBatch.Stamp] = []) -> RecordBatch {
        guard let first = pages.first else { return .empty }
        return RecordBatch(bytes: first.bytes, scans: pages.map(\.scan), stamps: stamps)
    }

    /// Returns a field of a record, by the position of its path.
    public func field(_ path: Int, in record: Int) -> JSONField { scan.fields[record * width + path] }

    /// Returns the ID of a record: the text of a field that every row must have.
    ///
    /// - Throws: ``SoupError`` with `json` for a row without one.
    public func id(at path: Int, _ name: String, in record: Int) throws -> String {
        // Another ID field can be a number; `Id` is always a text.
        let isNumber = field(path, in: record).kind == .number
        guard let id = text(of: path, in: record), !id.isEmpty, !isNumber || name.lowercased() != "id" else {
            throw SoupError(.json, "record \(record) of the server's page has no \"\(name)\"", hint: Self.hint)
        }
        return id
    }

    /// Returns the text of a field that contains a string or a number; nil for any other value.
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

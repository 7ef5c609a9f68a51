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
    /// `totalSize`, when the answer has it.
    public let totalSize: Int?
    private let scan: JSONPageScan
    private let width: Int

    /// - Throws: ``SoupError`` with `json` when the answer is not a page.
    public init(_ answer: HTTPAnswer, recordsAt: JSONPath = "records", projecting paths: [JSONPath] = []) throws {
        try self.init(answer.body, recordsAt: recordsAt, projecting: paths)
    }

    /// Cuts the bytes of an answer, or of the page of children inside of one.
    ///
    /// - Throws: ``SoupError`` with `json` when they are not a page.
    public init(_ bytes: [UInt8], recordsAt: JSONPath = "records", projecting paths: [JSONPath] = []) throws {
        try self.init(bytes, recordsAt: recordsAt, projecting: paths.isEmpty ? nil : JSONProjection(paths))
    }

    /// The same with a projection that is made once for many pages; nil when no fields are wanted.
    ///
    /// - Throws: ``SoupError`` with `json` when the bytes are not a page.
    public init(_ bytes: [UInt8], recordsAt: JSONPath = "records", projecting projection: JSONProjection?) throws {
        let scan: JSONPageScan
        do {
            scan = try JSONScanner.page(
                bytes, recordsAt: recordsAt, envelope: ["nextRecordsUrl", "totalSize", "done"],
                projecting: projection)
        } catch {
            throw SoupError(.json, "the answer to the query is not a page: \(error)", cause: error)
        }
        guard scan.foundRecords else {
            throw SoupError(.json, "the answer to the query has no array at \"\(recordsAt)\"")
        }
        self.bytes = bytes
        records = scan.records
        self.scan = scan
        width = projection?.paths.count ?? 0
        func text(_ index: Int) -> JSONText? { JSONText.text(of: scan.envelope[index], in: bytes[...]) }
        next = text(0)?.string.flatMap { $0.isEmpty ? nil : $0 }
        totalSize = text(1)?.value.intValue.flatMap { Int(exactly: $0) }
        if next == nil, scan.envelope[2].kind == .false {
            throw SoupError(.json, "the answer to the query is not complete and does not say how to go on")
        }
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

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import SoupCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The cursor of a target that reads the result of a Bulk 2.0 query job.
///
/// A large result is read at several places in parallel. The cursor contains all of these places, so that an
/// interrupted run resumes at each of them, regardless of the order in which their pages arrived.
package struct BulkQueryCursor: Sendable, Hashable {
    /// A part of a result, from one place to another.
    package struct Segment: Sendable, Hashable {
        /// The path of its next records.
        package var url: String
        /// The ID of the first record after it; nil if it extends to the end of the result.
        package var end: String?

        /// Creates a segment without a request to the server.
        package init(url: String, end: String?) {
            self.url = url
            self.end = end
        }
    }

    /// The ID of the job.
    package var job: String
    /// The number of records of the whole query.
    package var totalSize: Int
    /// The server's time before the job ran.
    package var serverTime: Date?
    /// The kinds of the columns, by name.
    package var kinds: [String: CSVRecords.Kind]
    /// The segments that are being read in parallel; nil before the job is complete.
    package var segments: [Segment]?
    /// The paths of the result's pages that follow the segments and are not being read yet.
    package var waiting: [String] = []
    /// The path of the list with further pages; nil if there are none.
    package var more: String?
    /// The number of records that the job reports; nil if it reports none.
    package var found: Int?
    /// The number of records read so far.
    package var read = 0

    /// Creates a cursor at the beginning of a job's result.
    package init(job: String, totalSize: Int, serverTime: Date?, kinds: [String: CSVRecords.Kind]) {
        self.job = job
        self.totalSize = totalSize
        self.serverTime = serverTime
        self.kinds = kinds
    }

    /// Whether the whole result was read.
    var isOver: Bool { segments?.isEmpty == true && waiting.isEmpty && more == nil }

    /// Returns whether a text can be the ID of a job, which becomes part of a path.
    static func isJob(_ text: String) -> Bool {
        !text.isEmpty
            && text.unicodeScalars.allSatisfy { $0.isASCII && ($0.properties.isAlphabetic || "0"..."9" ~= $0) }
    }

    /// Returns whether a text can be the path of a page, which must be on the session's own server.
    static func isPath(_ text: String) -> Bool {
        text.hasPrefix("/") && !text.hasPrefix("//") && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}

// MARK: Text

extension BulkQueryCursor {
    private static let prefix = "bulk:"

    /// Reads the text of a cursor; nil for a cursor of another kind.
    package init?(_ cursor: PageCursor) {
        let prefix = Self.prefix
        guard cursor.rawValue.hasPrefix(prefix),
            let json = try? JSONValue(parsing: String(cursor.rawValue.dropFirst(prefix.count))),
            let job = json["job"]?.stringValue, Self.isJob(job),
            let total = json["total"]?.intValue.flatMap({ Int(exactly: $0) })
        else { return nil }
        var kinds: [String: CSVRecords.Kind] = [:]
        for (name, kind) in json["kinds"]?.objectValue?.members ?? [] {
            guard let known = kind.stringValue.flatMap(CSVRecords.Kind.init) else { return nil }
            kinds[name] = known
        }
        self.init(
            job: job, totalSize: total, serverTime: json["time"]?.intValue.map { Date(millisecondsSince1970: $0) },
            kinds: kinds)
        found = json["found"]?.intValue.flatMap { Int(exactly: $0) }
        read = json["read"]?.intValue.flatMap { Int(exactly: $0) } ?? 0
        for item in json["stretches"]?.arrayValue ?? [] {
            guard let url = item["url"]?.stringValue, Self.isPath(url) else { return nil }
            segments = (segments ?? []) + [Segment(url: url, end: item["end"]?.stringValue)]
        }
        for item in json["waiting"]?.arrayValue ?? [] {
            guard let url = item.stringValue, Self.isPath(url) else { return nil }
            waiting.append(url)
        }
        if let url = json["more"]?.stringValue {
            guard Self.isPath(url) else { return nil }
            more = url
        }
        // Without this, the cursor would look like one whose job is not complete.
        if !waiting.isEmpty || more != nil { segments = segments ?? [] }
    }

    /// The cursor as text: `bulk:` and a JSON object.
    package var pageCursor: PageCursor {
        var object: JSONObject = ["job": .string(job), "total": .int(Int64(totalSize))]
        object["time"] = serverTime.map { .int($0.millisecondsSince1970) }
        var kinds = JSONObject()
        for (name, kind) in self.kinds.sorted(by: { $0.key < $1.key }) { kinds[name] = .string(kind.rawValue) }
        object["kinds"] = .object(kinds)
        if let segments, !segments.isEmpty {
            object["stretches"] = .array(
                segments.map { segment in
                    var item: JSONObject = ["url": .string(segment.url)]
                    item["end"] = segment.end.map { .string($0) }
                    return .object(item)
                })
        }
        if !waiting.isEmpty { object["waiting"] = .array(waiting.map { .string($0) }) }
        object["more"] = more.map { .string($0) }
        object["found"] = found.map { .int(Int64($0)) }
        if read != 0 { object["read"] = .int(Int64(read)) }
        return PageCursor("\(Self.prefix)\(JSONValue.object(object))")
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The cursor of a target that reads the result of a Bulk 2.0 query job.
public struct BulkQueryCursor: Sendable, Hashable, Codable {
    /// The id of the job.
    public var job: String
    /// Where the next page of the result begins; nil for the first one.
    public var locator: String?
    /// The number of records of the whole query.
    public var totalSize: Int
    /// A time of the server before the job ran, in milliseconds since 1970.
    public var serverTime: Int64?
    /// What the columns hold, by their names.
    public var kinds: [String: CSVRecords.Kind]

    /// Makes a cursor to the first page of a job's result.
    public init(job: String, totalSize: Int, serverTime: Int64?, kinds: [String: CSVRecords.Kind]) {
        self.job = job
        self.totalSize = totalSize
        self.serverTime = serverTime
        self.kinds = kinds
    }

    /// Reads the text of a cursor; nil for one of another kind.
    public init?(_ cursor: PageCursor) {
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
        self.init(job: job, totalSize: total, serverTime: json["time"]?.intValue, kinds: kinds)
        locator = json["locator"]?.stringValue
    }

    /// The cursor as text: `bulk:` and a JSON object.
    public var pageCursor: PageCursor {
        var object: JSONObject = ["job": .string(job), "total": .int(Int64(totalSize))]
        object["locator"] = locator.map { .string($0) }
        object["time"] = serverTime.map { .int($0) }
        var kinds = JSONObject()
        for (name, kind) in self.kinds.sorted(by: { $0.key < $1.key }) { kinds[name] = .string(kind.rawValue) }
        object["kinds"] = .object(kinds)
        return PageCursor("\(Self.prefix)\(JSONValue.object(object))")
    }

    /// Whether a text can be the id of a job; it becomes a part of a path.
    static func isJob(_ text: String) -> Bool {
        !text.isEmpty
            && text.unicodeScalars.allSatisfy { $0.isASCII && ($0.properties.isAlphabetic || "0"..."9" ~= $0) }
    }

    private static let prefix = "bulk:"
}

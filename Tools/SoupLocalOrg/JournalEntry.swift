// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import SoupCore

/// A request that a local org has answered, for tests and demos that inspect requests.
public struct JournalEntry: Sendable, Hashable {
    /// Counted from 1.
    public var number: Int
    /// The verb of the request.
    public var method: String
    /// The path of the request, with the query.
    public var path: String
    /// The headers, by their names in lower case; tokens are replaced by an ellipsis.
    public var headers: [String: String]
    /// The body, decompressed; empty for old requests: only the latest requests keep their bodies.
    public var body: [UInt8]
    /// The status of the response; 0 for a broken connection.
    public var status: Int
    /// The ID of the fault that took effect; if there is none, of the last one that only delayed the request.
    public var fault: String?
    /// The IDs of all faults that applied, in order.
    public var faults: [String]
    /// The time to the response in milliseconds, including the pauses of faults but not the sending.
    public var milliseconds: Int64
    /// The number of rows that the request created, changed, deleted or undeleted, including dependent rows and rows
    /// whose references were cleared or restored.
    ///
    /// Rows whose values stayed the same do not count. Writes that `allOrNone` rolled back do.
    public var rowsWritten: Int

    /// The entry in the form of the administration, without the body.
    public var json: JSONValue {
        [
            "number": .int(Int64(number)), "method": .string(method), "path": .string(path),
            "headers": .object(
                JSONObject(headers.sorted { $0.key < $1.key }.map { (key: $0.key, value: .string($0.value)) })),
            "bodySize": .int(Int64(body.count)), "status": .int(Int64(status)),
            "fault": fault.map { .string($0) } ?? .null, "faults": .array(faults.map { .string($0) }),
            "ms": .int(milliseconds), "rowsWritten": .int(Int64(rowsWritten)),
        ]
    }
}

/// The latest requests.
struct RequestJournal: Sendable {
    private(set) var entries: [JournalEntry] = []
    private var count = 0
    /// The size of the bodies that are kept, and the first entry that still has its body.
    private var bodySize = 0
    private var firstWithBody = 0

    private static let capacity = 5000
    /// The maximum size of all bodies together; the bodies of the oldest requests are removed first.
    private static let bodyLimit = 8 << 20

    /// Adds a request.
    mutating func note(
        _ request: OrgRequest, status: Int, struck: [OrgFault], milliseconds: Int64, rowsWritten: Int
    ) {
        count += 1
        var headers: [String: String] = [:]
        for field in request.headers {
            let name = field.name.canonicalName
            headers[name] = ["authorization", "x-sfdc-session", "cookie"].contains(name) ? "…" : field.value
        }
        entries.append(
            JournalEntry(
                number: count, method: request.method, path: request.url, headers: headers, body: request.body,
                status: status, fault: (struck.first { !$0.effect.isDelay } ?? struck.last)?.id,
                faults: struck.map(\.id), milliseconds: milliseconds, rowsWritten: rowsWritten))
        bodySize += request.body.count
        while bodySize > Self.bodyLimit, firstWithBody < entries.count - 1 {
            bodySize -= entries[firstWithBody].body.count
            entries[firstWithBody].body = []
            firstWithBody += 1
        }
        if entries.count > Self.capacity + 500 {
            for entry in entries.prefix(500) { bodySize -= entry.body.count }
            entries.removeFirst(500)
            firstWithBody = max(0, firstWithBody - 500)
        }
    }
}

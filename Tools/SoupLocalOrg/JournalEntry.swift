// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import SoupCore

/// A request that a local org has answered, for tests and demos that want to see what was sent.
public struct JournalEntry: Sendable, Hashable {
    /// Counted from 1.
    public var number: Int
    /// The verb, as it came.
    public var method: String
    /// With the query, as it came.
    public var path: String
    /// Names in lower case; tokens are replaced by dots.
    public var headers: [String: String]
    /// As it came; empty for old requests, of which only the latest keep theirs.
    public var body: [UInt8]
    /// The status of the answer; 0 when the connection broke instead.
    public var status: Int
    /// The fault that had its way, by its id; without one, the last of those that only took time.
    public var fault: String?
    /// All faults that struck, in their order.
    public var faults: [String]
    /// How long the answer took, in milliseconds: the pauses that faults make included, sending not.
    public var milliseconds: Int64
    /// How many rows the request created, changed, deleted or brought back, with those that went or came along with
    /// another, and those whose references were emptied or restored for it.
    ///
    /// Rows whose values stayed the same do not count. Writes that `allOrNone` took back do.
    public var rowsWritten: Int

    /// The entry as the administration shows it, without the body itself.
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
    /// The bytes of the bodies that are kept, and the first entry that still has its own.
    private var bodySize = 0
    private var firstWithBody = 0

    private static let capacity = 5000
    /// Old requests lose their bodies when all bodies together are longer than this.
    private static let bodyLimit = 8 << 20

    /// - Parameter milliseconds: how long it took.
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

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

/// The latest requests that a local org has answered.
///
/// ``LocalOrg/journal`` returns its entries.
public struct OrgJournal: Sendable {
    private(set) var entries: [Entry] = []
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
            Entry(
                number: count, method: request.method, path: request.url, headers: headers, body: request.body,
                status: status, fault: (struck.first { !$0.effect.isDelay } ?? struck.last)?.id,
                faults: struck.map(\.id), duration: .milliseconds(milliseconds), rowsWritten: rowsWritten))
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

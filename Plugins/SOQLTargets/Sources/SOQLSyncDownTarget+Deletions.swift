// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupSalesforce
public import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SOQLSyncDownTarget {
    /// The way in which the target finds records that were deleted on the server.
    public enum DeleteMode: String, Sendable, Hashable, Codable, CaseIterable {
        /// All IDs are compared, but only when ghosts are cleaned.
        case compare
        /// At the end of each run, the target requests the records that were deleted since the last request.
        case incremental
    }

    /// Fetches the records of the query's object that were deleted since a time, in one request.
    ///
    /// - Throws: ``SoupError``: `server`, `network`, `json`.
    /// - Returns: nil unless the key `deletes` is `incremental`; an incomplete report if the time is too long ago for
    ///   the server, if there are too many deletions, and for objects whose deletions it does not record.
    public func deletions(since time: Date?, level: Int, in context: SyncContext) async throws -> DeletionReport? {
        guard deletes == .incremental else { return nil }
        guard let time = time?.millisecondsSince1970, let object else { return .incomplete }
        // The server ignores seconds, and requires an end after the start; an end in the future is allowed.
        // The engine subtracts the lookback from a time of the server, which may be ahead of the device's clock.
        let end = max(context.clock.milliseconds, time + max(0, lookback.milliseconds)) + 10 * 60_000
        let span = [("start", time), ("end", end)].map { name, time in
            "\(name)=\(URLText.query(DateText.format(time / 60_000 * 60_000, zone: "Z")))"
        }
        let client = SalesforceClient(context)
        let path = "\(client.apiPath)/sobjects/\(URLText.segment(object))/deleted?\(span.joined(separator: "&"))"
        let answer = try await client.send(.get, path)
        guard answer.isOK else {
            if let code = answer.salesforceError?.code, Self.uncovered.contains(code) {
                context.log("the server does not list the records that were deleted since then: \(code)")
                return .incomplete
            }
            throw answer.salesforceFailure(of: "the request for deleted \(object) records")
        }
        let json: JSONValue
        do {
            json = try JSONValue(parsing: answer.body)
        } catch {
            throw SoupError(.json, "the list of deleted \(object) records is not JSON: \(error)", cause: error)
        }
        guard let records = json["deletedRecords"]?.arrayValue else {
            throw SoupError(.json, "the list of deleted \(object) records has no array at \"deletedRecords\"")
        }
        func date(_ key: String) -> Int64? { json[key]?.stringValue.flatMap { DateText.milliseconds($0) } }
        guard let covered = date("latestDateCovered"), let earliest = date("earliestDateAvailable"), earliest <= time
        else { return .incomplete }
        return .complete(
            ids: try records.map { record in
                guard let id = record["id"]?.stringValue else {
                    throw SoupError(.json, "the list of deleted \(object) records contains a record without an ID")
                }
                return id
            }, coveredUntil: Date(millisecondsSince1970: min(covered, end)))
    }

    /// Errors that mean that the server does not support this period, this object, or this number of deletions.
    private static let uncovered: Set<String> = [
        "INVALID_REPLICATION_DATE", "EXCEEDED_ID_LIMIT", "OPERATION_TOO_LARGE", "INVALID_TYPE_FOR_OPERATION",
        "NOT_FOUND", "METHOD_NOT_ALLOWED", "INVALID_TYPE",
    ]
}

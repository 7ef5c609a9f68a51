// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import SoupCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension SalesforceClient {
    /// Fetches the IDs of the records of an object that were deleted since a time, with one request.
    ///
    /// - Parameters:
    ///   - time: nil if no deletions are known yet; then nothing is requested.
    ///   - lookback: the time by which `time` is earlier than the end of the last report.
    /// - Throws: ``SoupError``: `server`, `network`, `json`.
    /// - Returns: an incomplete report if the time is too long ago for the server, if there are too many deletions, and
    ///   for objects whose deletions it does not record.
    package func deletions(
        of object: String, since time: Date?, lookback: Duration
    ) async throws -> DeletionReport {
        guard let time = time?.millisecondsSince1970 else { return .incomplete }
        // The server ignores seconds, and requires an end after the start; an end in the future is allowed. The start
        // follows from a time of the server, which may be ahead of the device's clock.
        let end = max(context.clock.milliseconds, time + max(0, lookback.milliseconds)) + Self.margin
        let answer = try await deletions(of: object, from: time, to: end)
        guard let now = answer.serverTime?.millisecondsSince1970, now > end else {
            return try deletions(in: answer, of: object, from: time, to: end)
        }
        // The device's clock is behind, or the server's was set: the period ends too early.
        let later = try await deletions(of: object, from: time, to: now + Self.margin)
        return try deletions(in: later, of: object, from: time, to: now + Self.margin)
    }

    /// The time in milliseconds by which a period ends after the present, because of different clocks.
    private static let margin: Int64 = 10 * 60_000

    private func deletions(of object: String, from time: Int64, to end: Int64) async throws -> HTTPAnswer {
        let span = [("start", time), ("end", end)].map { name, time in
            "\(name)=\(URLText.query(DateText.format(time / 60_000 * 60_000, zone: "Z")))"
        }
        let path = "\(apiPath)/sobjects/\(URLText.segment(object))/deleted?\(span.joined(separator: "&"))"
        return try await send(.get, path)
    }

    private func deletions(
        in answer: HTTPAnswer, of object: String, from time: Int64, to end: Int64
    ) throws -> DeletionReport {
        guard answer.isOK else {
            if let code = answer.salesforceError?.code, Self.uncovered.contains(code) {
                context.log("the server does not list the \(object) records that were deleted since then: \(code)")
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
        // A time after the response cannot be covered.
        let now = answer.serverTime?.millisecondsSince1970 ?? end
        func date(_ key: String) -> Int64? { json[key]?.stringValue.flatMap { DateText.milliseconds($0) } }
        guard let covered = date("latestDateCovered"), let earliest = date("earliestDateAvailable"), earliest <= time
        else { return .incomplete }
        return .complete(
            ids: try records.map { record in
                guard let id = record["id"]?.stringValue else {
                    throw SoupError(.json, "the list of deleted \(object) records contains a record without an ID")
                }
                return SalesforceID.longForm(of: id) ?? id
            }, coveredUntil: Date(millisecondsSince1970: min(covered, now, end)))
    }

    /// Errors that mean that the server does not support this period, this object, or this number of deletions.
    private static let uncovered: Set<String> = [
        "INVALID_REPLICATION_DATE", "EXCEEDED_ID_LIMIT", "OPERATION_TOO_LARGE", "INVALID_TYPE_FOR_OPERATION",
        "NOT_FOUND", "METHOD_NOT_ALLOWED", "INVALID_TYPE",
    ]

    /// Fetches the IDs of all records of an object that changed from a time on, page by page.
    ///
    /// - Parameter limit: the greatest number of IDs; if the first page announces more, no other is requested.
    /// - Throws: ``SoupError``: `server`, `network`, `json`, `incompleteAnswer`.
    package func changedIds(
        of object: String, _ names: RecordFieldNames, since time: Date, limit: Int
    ) async throws -> ChangeReport {
        try await byDateOfAnyChange { dateField in
            let mark = HighWaterMark(time: time, inclusive: true)
            let query = try SOQLRewriter("select \(names.id) from \(object)")
                .changed(after: mark, modificationDateField: names.name(of: dateField))
            var ids: [String] = []
            var isComplete = true
            try await walkPages(of: query.text, projecting: [JSONPath(names.id)]) { page in
                for record in 0..<page.count { ids.append(try page.id(at: 0, names.id, in: record)) }
                isComplete = max(ids.count, page.totalSize ?? 0) <= limit
                return isComplete
            }
            return isComplete ? .complete(ids: ids) : .incomplete
        }
    }

    /// Returns whether requesting records by ID, in slices, needs fewer requests than a query for all IDs.
    package func prefersSlices(_ ids: [String]) -> Bool {
        guard let count = context.entryCount else { return false }
        return SOQLIdList.slices(of: ids).count <= max(1, count / Self.defaultBatchSize)
    }
}

extension RecordFieldNames {
    /// Returns the error of a target whose deletions are to be requested although its ID field is not `Id`.
    ///
    /// - Parameters:
    ///   - deletes: the value of the key `deletes`.
    ///   - path: the place of the key.
    package func problem(with deletes: DeleteMode?, at path: String = "deletes") -> SoupError? {
        guard deletes == .incremental, id.lowercased() != "id" else { return nil }
        return SoupError(
            .badConfiguration, "deleted records are identified by \"Id\", and idFieldName is \"\(id)\"",
            place: SoupError.Place(path: path), hint: "Remove \"deletes\" or \"idFieldName\".")
    }
}

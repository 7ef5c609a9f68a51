// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import SoupCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension SalesforceClient {
    /// The maximum time to wait for a job, in milliseconds.
    static let bulkTimeout: Int64 = 30 * 60_000

    /// Starts a Bulk 2.0 job for a query.
    ///
    /// - Parameter fields: the fields that the query selects, all of the object itself.
    /// - Throws: ``SoupError`` if the server does not accept the job, or if a job cannot return a field: `server`,
    ///   `notSupported`, `network`, `json`; `CancellationError`.
    package func startBulkQuery(
        _ soql: String, of object: String, fields: [String], totalSize: Int, serverTime: Date?
    ) async throws -> BulkQueryCursor {
        let kinds = try await bulkKinds(of: fields, in: object)
        let body = JSONText.object([("operation", .string("query")), ("query", .string(soql))])
        let answer = try await send(.post, "\(apiPath)/jobs/query", json: body)
        guard answer.isOK else { throw answer.salesforceFailure(of: "the bulk query") }
        guard let job = (try? JSONValue(parsing: answer.body))?["id"]?.stringValue, BulkQueryCursor.isJob(job) else {
            throw SoupError(.json, "the response to the bulk query contains no job ID")
        }
        return BulkQueryCursor(job: job, totalSize: totalSize, serverTime: serverTime, kinds: kinds)
    }

    /// Waits until a job is complete.
    ///
    /// - Throws: ``SoupError``: `bulkQueryFailed` if it failed or is not done after ``bulkTimeout``, `objectNotFound`
    ///   if it no longer exists, otherwise the server's error.
    /// - Returns: the number of records that it found, if it reports one.
    func waitForBulkJob(_ job: String) async throws -> Int? {
        let deadline = context.clock.milliseconds + Self.bulkTimeout
        var pause: Int64 = 500
        while true {
            let answer = try await send(.get, "\(apiPath)/jobs/query/\(job)")
            guard answer.isOK else { throw answer.salesforceFailure(of: "the state of a bulk query") }
            guard let json = try? JSONValue(parsing: answer.body), let state = json["state"]?.stringValue else {
                throw SoupError(.json, "the state of a bulk query cannot be read")
            }
            switch state {
            case "JobComplete": return json["numberRecordsProcessed"]?.intValue.flatMap { Int(exactly: $0) }
            case "UploadComplete", "InProgress": break
            default:
                let reason = json["errorMessage"]?.stringValue ?? "the server reported no reason"
                throw SoupError(
                    .bulkQueryFailed, "the bulk query ended with the state \(state): \(reason)",
                    hint: "Fetch the records page by page: set \"bulk\": \"never\" in the target.")
            }
            guard context.clock.milliseconds < deadline else {
                throw SoupError(
                    .bulkQueryFailed, "the bulk query is not complete after \(Self.bulkTimeout / 60_000) minutes",
                    hint: "Run the sync again later, or set \"bulk\": \"never\" in the target.")
            }
            try await context.clock.sleep(milliseconds: pause)
            pause = min(pause * 2, 15_000)
        }
    }

    /// Returns the types of the columns of a job's result.
    private func bulkKinds(of fields: [String], in object: String) async throws -> [String: CSVRecords.Kind] {
        guard let described = try await describe(object).value["fields"]?.arrayValue else {
            throw SoupError(.json, "the description of \(object) has no fields")
        }
        var kinds: [String: CSVRecords.Kind] = [:]
        for name in fields {
            let field = described.first { $0["name"]?.stringValue?.lowercased() == name.lowercased() }
            guard let known = field?["name"]?.stringValue, let type = field?["type"]?.stringValue,
                let kind = Self.kind(of: type)
            else { throw SoupError(.notSupported, "\(object).\(name) cannot be fetched by a bulk query") }
            kinds[known] = kind
        }
        return kinds
    }

    /// Returns the kind for a field type; nil if CSV represents it differently from the REST API.
    private static func kind(of type: String) -> CSVRecords.Kind? {
        switch type.lowercased() {
        case "boolean": .boolean
        case "int", "double", "currency", "percent", "long": .number
        case "datetime": .dateTime
        case "base64", "address", "location", "complexvalue", "anytype", "json": nil
        default: .text
        }
    }
}

extension SoupError.Code {
    /// A Bulk 2.0 query job failed, was aborted, did not finish in time, or returned fewer records than it found.
    public static let bulkQueryFailed: Self = "bulkQueryFailed"
}

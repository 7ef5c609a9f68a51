// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A job of Bulk API 2.0.
struct BulkJob: Sendable {
    enum State: String, Sendable {
        case open = "Open"
        case uploadComplete = "UploadComplete"
        case inProgress = "InProgress"
        case complete = "JobComplete"
        case failed = "Failed"
        case aborted = "Aborted"

        /// Whether nothing will happen to the job any more.
        var isFinal: Bool { [.complete, .failed, .aborted].contains(self) }
    }

    var id: String
    var operation: BulkOperation
    /// The object, as the schema names it.
    var object: String
    var userId: String
    /// Milliseconds since 1970.
    var created: Int64
    var modified: Int64
    var state: State
    var format: CSVFormat
    /// The version it was made with: `60.0`.
    var version: String
    /// What keeps the work from being done.
    var trouble = BulkTrouble()
    /// What upserts go by.
    var key: String?
    /// What was uploaded; nil before.
    var upload: [UInt8]?
    var query = ""
    var isChunkable = false
    var processed = 0
    var failed = 0
    var error: String?
    /// What an ingest did.
    var ingested: BulkIngest?
    /// What a query found.
    var result: BulkResult?

    /// The job's kind as paths name it.
    var folder: String { operation.isQuery ? "query" : "ingest" }

    /// The job's kind as lists are asked for it.
    var type: String { operation.isQuery ? "V2Query" : "V2Ingest" }

    /// What the API says of the job.
    ///
    /// - Parameter isBrief: without what only the job's own resource tells.
    func json(_ apiPath: String, isBrief: Bool = false) -> JSONValue {
        var json: JSONObject = [
            "id": .string(id), "operation": .string(operation.rawValue), "object": .string(object),
            "createdById": .string(userId), "createdDate": .string(Timestamp.format(created)),
            "systemModstamp": .string(Timestamp.format(modified)), "state": .string(state.rawValue),
            "concurrencyMode": "Parallel", "contentType": "CSV", "apiVersion": .double(Double(version) ?? 0),
        ]
        if let key { json["externalIdFieldName"] = .string(key) }
        json["jobType"] = .string(type)
        if !operation.isQuery {
            json["contentUrl"] = .string("\(apiPath.drop { $0 == "/" })/jobs/ingest/\(id)/batches")
        }
        json["lineEnding"] = .string(format.lineEndingName)
        json["columnDelimiter"] = .string(format.delimiterName)
        if isBrief { return .object(json) }
        json["retries"] = 0
        json["totalProcessingTime"] = 0
        if operation.isQuery {
            json["numberRecordsProcessed"] = .int(Int64(processed))
            json["isPkChunkingSupported"] = .bool(isChunkable)
        } else {
            json["apiActiveProcessingTime"] = 0
            json["apexProcessingTime"] = 0
            json["numberRecordsProcessed"] = .int(Int64(processed))
            json["numberRecordsFailed"] = .int(Int64(failed))
        }
        if let error { json["errorMessage"] = .string(error) }
        return .object(json)
    }
}

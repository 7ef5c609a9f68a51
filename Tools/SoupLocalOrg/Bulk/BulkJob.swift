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

        /// Whether the job has ended.
        var isFinal: Bool { [.complete, .failed, .aborted].contains(self) }
    }

    var id: String
    var operation: BulkOperation
    /// The name of the object.
    var object: String
    var userId: String
    /// Milliseconds since 1970.
    var created: Int64
    var modified: Int64
    var state: State
    var format: CSVFormat
    /// The version with which it was created: `60.0`.
    var version: String
    /// The delays and failures of the work.
    var processing = BulkProcessing()
    /// The field by which an upsert matches records.
    var key: String?
    /// The uploaded records; nil before the upload.
    var upload: [UInt8]?
    var query = ""
    var isChunkable = false
    var processed = 0
    var failed = 0
    var error: String?
    /// The results of an ingest.
    var ingested: BulkIngest?
    /// The result of a query.
    var result: BulkResult?

    /// The segment of paths for the job's kind.
    var folder: String { operation.isQuery ? "query" : "ingest" }

    /// The name of the job's kind in requests for lists.
    var type: String { operation.isQuery ? "V2Query" : "V2Ingest" }

    /// Returns the job as the API reports it.
    ///
    /// - Parameter isBrief: whether to leave out the members that only the job's own resource has.
    func json(_ apiPath: String, isBrief: Bool = false) -> JSONValue {
        var json: JSONObject = [
            "id": .string(id), "operation": .string(operation.rawValue), "object": .string(object),
            "createdById": .string(userId), "createdDate": .string(DateText.format(created)),
            "systemModstamp": .string(DateText.format(modified)), "state": .string(state.rawValue),
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

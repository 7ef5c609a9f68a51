// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A job of Bulk API 1.0: a container of batches.
struct ClassicJob: Sendable {
    /// The format of batches.
    enum ContentType: String, Sendable, CaseIterable {
        case csv = "CSV"
        case json = "JSON"
        case xml = "XML"

        var mediaType: String {
            switch self {
            case .csv: "text/csv"
            case .json: "application/json"
            case .xml: "application/xml"
            }
        }
    }

    enum State: String, Sendable {
        case open = "Open"
        case closed = "Closed"
        case aborted = "Aborted"
    }

    var id: String
    var operation: BulkOperation
    var object: String
    var userId: String
    /// Milliseconds since 1970.
    var created: Int64
    var modified: Int64
    var state = State.open
    var key: String?
    var concurrency = "Parallel"
    var contentType = ContentType.csv
    /// `60.0`.
    var version: String
    /// The maximum number of records of a batch if queries are split by the records' IDs.
    var chunkSize: Int?
    /// The IDs of its batches, in order.
    var batches: [String] = []

    /// Returns the job as the API reports it, in the order of the API.
    func facts(_ batches: [ClassicBatch]) -> [ClassicFact] {
        func count(_ state: ClassicBatch.State) -> ClassicFact.Value { .number(batches.count { $0.state == state }) }
        var facts: [ClassicFact] = [
            ("id", .text(id)), ("operation", .text(operation.rawValue)), ("object", .text(object)),
            ("createdById", .text(userId)), ("createdDate", .text(DateText.format(created, zone: "Z"))),
            ("systemModstamp", .text(DateText.format(modified, zone: "Z"))), ("state", .text(state.rawValue)),
        ].map(ClassicFact.init)
        if let key { facts.append(ClassicFact("externalIdFieldName", .text(key))) }
        facts += [
            ("concurrencyMode", .text(concurrency)), ("contentType", .text(contentType.rawValue)),
            ("numberBatchesQueued", count(.queued)), ("numberBatchesInProgress", count(.inProgress)),
            ("numberBatchesCompleted", count(.completed)), ("numberBatchesFailed", count(.failed)),
            ("numberBatchesTotal", .number(batches.count)),
            ("numberRecordsProcessed", .number(batches.reduce(0) { $0 + $1.processed })),
            ("numberRetries", .number(0)), ("apiVersion", .version(version)),
            ("numberRecordsFailed", .number(batches.reduce(0) { $0 + $1.failed })),
            ("totalProcessingTime", .number(0)), ("apiActiveProcessingTime", .number(0)),
            ("apexProcessingTime", .number(0)),
        ].map(ClassicFact.init)
        return facts
    }
}

/// A batch of records, or a query.
struct ClassicBatch: Sendable {
    enum State: String, Sendable {
        case queued = "Queued"
        case inProgress = "InProgress"
        case completed = "Completed"
        case failed = "Failed"
        case notProcessed = "Not Processed"

        /// Whether the batch has ended.
        var isFinal: Bool { [.completed, .failed, .notProcessed].contains(self) }
    }

    var id: String
    var jobId: String
    /// Milliseconds since 1970.
    var created: Int64
    var modified: Int64
    var state = State.queued
    var message: String?
    var request: [UInt8]
    /// The delays and failures of the work.
    var processing = BulkProcessing()
    var processed = 0
    var failed = 0
    /// The results of the records, in the job's format.
    var result: [UInt8] = []
    /// The results of a query with their IDs.
    var results: [(id: String, body: [UInt8])] = []

    /// The batch as the API reports it, in the order of the API.
    var facts: [ClassicFact] {
        var facts: [ClassicFact] = [
            ("id", .text(id)), ("jobId", .text(jobId)), ("state", .state(state)),
        ].map(ClassicFact.init)
        if let message { facts.append(ClassicFact("stateMessage", .text(message))) }
        facts += [
            ("createdDate", .text(DateText.format(created, zone: "Z"))),
            ("systemModstamp", .text(DateText.format(modified, zone: "Z"))),
            ("numberRecordsProcessed", .number(processed)), ("numberRecordsFailed", .number(failed)),
            ("totalProcessingTime", .number(0)), ("apiActiveProcessingTime", .number(0)),
            ("apexProcessingTime", .number(0)),
        ].map(ClassicFact.init)
        return facts
    }
}

/// A property of a job or a batch.
struct ClassicFact: Sendable {
    enum Value: Sendable {
        case text(String)
        case number(Int)
        case version(String)
        case state(ClassicBatch.State)
    }

    var name: String
    var value: Value

    init(_ name: String, _ value: Value) {
        self.name = name
        self.value = value
    }

    init(_ pair: (String, Value)) { self.init(pair.0, pair.1) }

    var text: String {
        switch value {
        case .text(let text), .version(let text): text
        case .number(let number): String(number)
        case .state(let state): state.rawValue
        }
    }

    var json: JSONValue {
        switch value {
        case .text(let text): .string(text)
        case .number(let number): .int(Int64(number))
        case .version(let text): .double(Double(text) ?? 0)
        // Clients of the JSON format expect this form.
        case .state(.notProcessed): "NotProcessed"
        case .state(let state): .string(state.rawValue)
        }
    }
}

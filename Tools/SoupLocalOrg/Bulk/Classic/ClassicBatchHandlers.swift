// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/services/async/{version}/job/{job}/batch`: lists and adds batches.
struct ClassicBatchesHandler: ClassicHandler {
    private let request: OrgRequest
    private let context: OrgContext
    private let format: ClassicFormat
    private let job: ClassicJob

    init(request: OrgRequest, context: OrgContext) throws {
        self.request = request
        self.context = context
        format = ClassicFormat(for: request, in: context)
        job = try ClassicBulkAPI(context: context).job(request.path["job"])
    }

    func list() throws -> OrgAnswer {
        let runner = ClassicBatchRunner(context: context, job: job)
        for id in job.batches { try runner.poll(id) }
        let all = context.org.bulk.batches(of: context.org.bulk.classicJobs[job.id] ?? job)
        return format.list("batchInfoList", of: "batchInfo", all.map(\.facts))
    }

    func add() throws -> OrgAnswer {
        guard job.state == .open else {
            throw OrgError(400, "InvalidJobState", message: "Closed already: cannot add a batch to \(job.id)")
        }
        guard job.batches.count < BulkRegister.mostBatches else {
            throw OrgError(
                400, "ExceededQuota",
                message: "The job \(job.id) has \(job.batches.count) batches, the maximum")
        }
        let org = context.org
        var batch = ClassicBatch(
            id: org.bulk.nextId("751"), jobId: job.id, created: context.timestamp, modified: context.timestamp,
            request: request.body)
        batch.processing = BulkProcessing(in: context)
        org.bulk.keep(batch)
        let answer = format.answer("batchInfo", batch.facts, status: 201)
        if batch.processing.isReady(at: org.clock.now) {
            try ClassicBatchRunner(context: context, job: job).run(batch)
        }
        return answer
    }
}

/// Answers `/services/async/{version}/job/{job}/batch/{batch}` and the resources below it.
struct ClassicBatchHandler: ClassicHandler {
    private let request: OrgRequest
    private let context: OrgContext
    private let format: ClassicFormat
    private let job: ClassicJob
    private let id: String

    init(request: OrgRequest, context: OrgContext) throws {
        self.request = request
        self.context = context
        format = ClassicFormat(for: request, in: context)
        job = try ClassicBulkAPI(context: context).job(request.path["job"])
        let text = request.path["batch"]
        guard let id = RecordID.normalized(text), job.batches.contains(id) else {
            throw OrgError(400, "InvalidBatch", message: "Unable to find batch: \(text)")
        }
        self.id = id
    }

    func info() throws -> OrgAnswer {
        try ClassicBatchRunner(context: context, job: job).poll(id)
        return format.answer("batchInfo", try batch.facts)
    }

    /// Returns the records or the query of the batch as they were sent.
    func requestBody() throws -> OrgAnswer {
        OrgAnswer(200, body: try batch.request, contentType: job.contentType.mediaType)
    }

    /// Returns the outcomes of the records; for a query the IDs of its results.
    func result() throws -> OrgAnswer {
        let batch = try batch
        guard batch.state == .completed else {
            throw OrgError(
                400, batch.state == .failed ? "InvalidBatch" : "InvalidBatchState",
                message: batch.message ?? "The batch is \(batch.state.rawValue): it has no result")
        }
        guard job.operation.isQuery else {
            return OrgAnswer(200, body: batch.result, contentType: job.contentType.mediaType)
        }
        return format.resultList(batch.results.map(\.id))
    }

    func queryResult() throws -> OrgAnswer {
        let wanted = request.path["result"]
        guard let found = try batch.results.first(where: { $0.id == wanted }) else {
            throw OrgError(400, "InvalidBatch", message: "Unable to find result: \(wanted)")
        }
        return OrgAnswer(200, body: found.body, contentType: job.contentType.mediaType)
    }

    func refuseUnknownPath() throws -> OrgAnswer { throw ClassicBulkAPI.unknownPath }

    private var batch: ClassicBatch {
        get throws {
            guard let batch = context.org.bulk.batches[id] else {
                throw OrgError(400, "InvalidBatch", message: "Unable to find batch: \(id)")
            }
            return batch
        }
    }
}

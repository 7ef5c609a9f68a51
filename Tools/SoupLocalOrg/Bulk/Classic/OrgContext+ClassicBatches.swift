// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgContext {
    /// Everything below a job's `/batch`.
    func classicBatch(
        _ request: OrgRequest, _ job: ClassicJob, _ path: [String], _ language: ClassicAnswer
    ) throws -> OrgAnswer {
        guard let text = path.first else {
            if request.method == "POST" { return try addBatch(request, job, language) }
            return try only("GET", request) {
                for id in job.batches { try self.lookAt(id, job) }
                let all = self.classicBatches(self.org.bulk.classicJobs[job.id] ?? job)
                return language.answer("batchInfoList", "batchInfo", all.map(\.facts))
            }
        }
        guard let id = RecordID.normalized(text), job.batches.contains(id) else {
            throw OrgError(400, "InvalidBatch", "Unable to find batch: \(text)")
        }
        return try only("GET", request) {
            switch path.count {
            case 1:
                try self.lookAt(id, job)
                return language.answer("batchInfo", try self.batch(id).facts)
            case 2 where path[1] == "request":
                return OrgAnswer(200, body: try self.batch(id).request, contentType: job.contentType.mediaType)
            case 2 where path[1] == "result": return try self.result(of: try self.batch(id), job, language)
            case 3 where path[1] == "result":
                guard let found = try self.batch(id).results.first(where: { $0.id == path[2] }) else {
                    throw OrgError(400, "InvalidBatch", "Unable to find result: \(path[2])")
                }
                return OrgAnswer(200, body: found.body, contentType: job.contentType.mediaType)
            default: throw OrgError(404, "InvalidUrl", "Destination URL not found")
            }
        }
    }

    private func batch(_ id: String) throws -> ClassicBatch {
        guard let batch = org.bulk.batches[id] else {
            throw OrgError(400, "InvalidBatch", "Unable to find batch: \(id)")
        }
        return batch
    }

    private func addBatch(_ request: OrgRequest, _ job: ClassicJob, _ language: ClassicAnswer) throws -> OrgAnswer {
        guard job.state == .open else {
            throw OrgError(400, "InvalidJobState", "Closed already: cannot add a batch to \(job.id)")
        }
        guard job.batches.count < BulkRegister.mostBatches else {
            throw OrgError(
                400, "ExceededQuota", "The job \(job.id) has \(job.batches.count) batches, and takes no more")
        }
        var batch = ClassicBatch(
            id: org.bulk.nextId("751"), jobId: job.id, created: timestamp, modified: timestamp, request: request.body)
        batch.trouble = bulkTrouble
        org.bulk.keep(batch)
        let answer = language.answer("batchInfo", batch.facts, status: 201)
        if batch.trouble.isOver(at: org.clock.now) { try run(batch, job) }
        return answer
    }

    /// Moves a batch on, as looking at it does.
    private func lookAt(_ id: String, _ job: ClassicJob) throws {
        guard var batch = org.bulk.batches[id], !batch.state.isFinal else { return }
        guard trouble.bulk.failure == nil, !batch.trouble.isOver(at: org.clock.now) else {
            return try run(batch, job)
        }
        batch.trouble.looks = max(0, batch.trouble.looks - 1)
        if batch.trouble.state == .inProgress { batch.state = .inProgress }
        org.bulk.keep(batch)
    }

    private func result(of batch: ClassicBatch, _ job: ClassicJob, _ language: ClassicAnswer) throws -> OrgAnswer {
        guard batch.state == .completed else {
            throw OrgError(
                400, batch.state == .failed ? "InvalidBatch" : "InvalidBatchState",
                batch.message ?? "The batch is \(batch.state.rawValue): it has no result")
        }
        guard job.operation.isQuery else {
            return OrgAnswer(200, body: batch.result, contentType: job.contentType.mediaType)
        }
        return language.answer(resultsOf: batch)
    }

    /// Does the work of a batch, as the user who made its job.
    private func run(_ batch: ClassicBatch, _ job: ClassicJob) throws {
        try acting(as: job.userId) { try work(on: batch, of: job) }
    }

    private func work(on batch: ClassicBatch, of job: ClassicJob) throws {
        var batch = batch
        do {
            if let message = trouble.bulk.failure ?? batch.trouble.failure {
                trouble.hasHit = true
                throw BulkFailure(message: message)
            }
            let object = try object(job.object)
            if job.operation.isQuery {
                try runQuery(&batch, job, object)
            } else {
                let outcomes = try ClassicRecords(batch.request, job, object, schema).write(self)
                batch.processed = outcomes.count
                batch.failed = outcomes.count { !$0.isSuccess }
                batch.result = ClassicOutcomes(outcomes).body(job.contentType)
                batch.state = .completed
            }
        } catch let failure as BulkFailure {
            batch.state = .failed
            batch.message = failure.message
        }
        batch.modified = timestamp
        org.bulk.keep(batch)
    }

    // MARK: Queries

    private func runQuery(_ batch: inout ClassicBatch, _ job: ClassicJob, _ object: OrgObject) throws {
        let text = String(decoding: batch.request, as: UTF8.self)
        do {
            let query = try BulkQuery(
                text, schema: schema, caller: caller(seesDeleted: job.operation == .queryAll))
            guard query.plan.object.name == object.name else {
                throw OrgError(
                    400, "INVALID_TYPE_FOR_OPERATION",
                    "The root entity of the requested query (\(query.plan.object.name)) does not match the entity of "
                        + "the requested Bulk API Job (\(object.name)).")
            }
            let rows = try query.rows(self)
            guard let size = job.chunkSize, query.isChunkable else {
                return try finish(&batch, query, rows[...], job)
            }
            // The batch that was sent does nothing itself: others take its place, one for each piece.
            let count = job.batches.count + (rows.count + size - 1) / size
            guard count <= BulkRegister.mostBatches else {
                throw OrgError(
                    400, "ExceededQuota",
                    "The query would be cut into \(count) batches; a job takes \(BulkRegister.mostBatches)")
            }
            let rest = rows.sorted()
            for start in stride(from: 0, to: max(1, rest.count), by: size) {
                var piece = ClassicBatch(
                    id: org.bulk.nextId("751"), jobId: job.id, created: timestamp, modified: timestamp,
                    request: batch.request)
                try finish(&piece, query, rest[start..<min(start + size, rest.count)], job)
                org.bulk.keep(piece)
            }
            batch.state = .notProcessed
        } catch let error as OrgError {
            let item = error.items.first
            throw BulkFailure.batch("Failed to process query: \(item?.code ?? ""): \(item?.message ?? "")")
        }
    }

    private func finish(
        _ batch: inout ClassicBatch, _ query: BulkQuery, _ rows: ArraySlice<Int64>, _ job: ClassicJob
    ) throws {
        let body: [UInt8]
        if job.contentType == .json {
            body = try rowWriting.array(query.plan, Array(rows))
        } else if rows.isEmpty {
            body = Array("\"Records not found for this query\"\n".utf8)
        } else {
            let result = try query.result(Array(rows), CSVFormat(), zone: "Z", self)
            body = result.header + result.lines
        }
        batch.results = [(org.bulk.nextId("752"), body)]
        batch.processed = rows.count
        batch.state = .completed
    }
}

extension ClassicAnswer {
    fileprivate func answer(resultsOf batch: ClassicBatch) -> OrgAnswer { resultList(batch.results.map(\.id)) }
}

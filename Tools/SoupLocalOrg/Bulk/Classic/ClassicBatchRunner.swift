// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Moves the batches of a job of Bulk API 1.0 through their states and does their work.
struct ClassicBatchRunner {
    let context: OrgContext
    let job: ClassicJob

    /// Moves a batch on, as a request for its state does.
    func poll(_ id: String) throws {
        let org = context.org
        guard var batch = org.bulk.batches[id], !batch.state.isFinal else { return }
        guard context.faults.bulk.failure == nil, !batch.processing.isReady(at: org.clock.now) else {
            return try run(batch)
        }
        batch.processing.remainingPolls = max(0, batch.processing.remainingPolls - 1)
        if batch.processing.state == .inProgress { batch.state = .inProgress }
        org.bulk.keep(batch)
    }

    /// Does the work of a batch, as the user who created its job.
    func run(_ batch: ClassicBatch) throws {
        try context.acting(as: job.userId) { try process(batch) }
    }

    private func process(_ batch: ClassicBatch) throws {
        var batch = batch
        do {
            if let message = context.faults.bulk.failure ?? batch.processing.failure {
                context.faults.hasHit = true
                throw BulkFailure(message: message)
            }
            let object = try context.object(job.object)
            if job.operation.isQuery {
                try runQuery(&batch, of: object)
            } else {
                let records = try ClassicRecords(batch.request, of: job, object: object, schema: context.schema)
                let outcomes = try records.write(context)
                batch.processed = outcomes.count
                batch.failed = outcomes.count { !$0.isSuccess }
                batch.result = ClassicOutcomes(outcomes).body(job.contentType)
                batch.state = .completed
            }
        } catch let failure as BulkFailure {
            batch.state = .failed
            batch.message = failure.message
        }
        batch.modified = context.timestamp
        context.org.bulk.keep(batch)
    }

    // MARK: Queries

    private func runQuery(_ batch: inout ClassicBatch, of object: OrgObject) throws {
        let text = String(decoding: batch.request, as: UTF8.self)
        do {
            let query = try BulkQuery(
                text, schema: context.schema, caller: context.caller(seesDeleted: job.operation == .queryAll))
            guard query.plan.object.name == object.name else {
                throw OrgError(
                    400, "INVALID_TYPE_FOR_OPERATION",
                    message:
                        "The root entity of the requested query (\(query.plan.object.name)) does not match the entity of "
                        + "the requested Bulk API Job (\(object.name)).")
            }
            let rows = try query.rows(context)
            guard let size = job.chunkSize, query.isChunkable else {
                return try finish(&batch, query, rows: rows[...])
            }
            // The batch itself is not processed: other batches replace it, one for each piece.
            let count = job.batches.count + (rows.count + size - 1) / size
            guard count <= BulkRegister.mostBatches else {
                throw OrgError(
                    400, "ExceededQuota",
                    message:
                        "The query would be split into \(count) batches; a job has at most \(BulkRegister.mostBatches)")
            }
            let rest = rows.sorted()
            for start in stride(from: 0, to: max(1, rest.count), by: size) {
                var piece = ClassicBatch(
                    id: context.org.bulk.nextId("751"), jobId: job.id, created: context.timestamp,
                    modified: context.timestamp,
                    request: batch.request)
                try finish(&piece, query, rows: rest[start..<min(start + size, rest.count)])
                context.org.bulk.keep(piece)
            }
            batch.state = .notProcessed
        } catch let error as OrgError {
            let item = error.items.first
            throw BulkFailure.batch("Failed to process query: \(item?.code ?? ""): \(item?.message ?? "")")
        }
    }

    private func finish(
        _ batch: inout ClassicBatch, _ query: BulkQuery, rows: ArraySlice<Int64>
    ) throws {
        let body: [UInt8]
        if job.contentType == .json {
            body = try context.reader.writer.array(query.plan, Array(rows))
        } else if rows.isEmpty {
            body = Array("\"Records not found for this query\"\n".utf8)
        } else {
            let result = try query.result(of: Array(rows), format: CSVFormat(), zone: "Z", in: context)
            body = result.header + result.lines
        }
        batch.results = [(context.org.bulk.nextId("752"), body)]
        batch.processed = rows.count
        batch.state = .completed
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Moves the jobs of Bulk API 2.0 through their states and does their work.
struct BulkJobRunner {
    let context: OrgContext

    /// Returns the job with an ID from a path.
    ///
    /// - Parameter folder: `ingest` or `query`.
    /// - Throws: ``OrgError/notFound`` if there is no such job.
    func job(_ text: String, folder: String) throws -> BulkJob {
        guard let id = RecordID.normalized(text), let job = context.org.bulk.jobs[id], job.folder == folder else {
            throw OrgError.notFound
        }
        return job
    }

    /// Returns the error for a job that is in the wrong state.
    static func wrongState(_ message: String) -> OrgError { OrgError(400, "INVALIDJOBSTATE", message: message) }

    /// Returns a job after a request for its state; the job proceeds with each such request.
    func polled(_ job: BulkJob) throws -> BulkJob {
        guard job.state == .uploadComplete || job.state == .inProgress else { return job }
        guard context.faults.bulk.failure == nil, !job.processing.isReady(at: context.org.clock.now) else {
            try run(job)
            return context.org.bulk.jobs[job.id] ?? job
        }
        var job = job
        job.processing.remainingPolls = max(0, job.processing.remainingPolls - 1)
        if job.processing.state == .inProgress { job.state = .inProgress }
        return keep(job)
    }

    /// Sets a job to a state that a client asks for.
    func changeState(of job: BulkJob, to state: String) throws -> BulkJob {
        var job = job
        switch state {
        case BulkJob.State.aborted.rawValue:
            guard !job.state.isFinal else {
                throw Self.wrongState("Aborting already \(job.state.rawValue) Job not allowed")
            }
            job.state = .aborted
        case BulkJob.State.uploadComplete.rawValue where !job.operation.isQuery:
            guard job.state == .open else {
                throw Self.wrongState("Closing already \(job.state.rawValue) Job not allowed")
            }
            job.state = .uploadComplete
            job.processing = BulkProcessing(in: context)
        default:
            let states = (job.operation.isQuery ? [.aborted] : [BulkJob.State.uploadComplete, .aborted])
                .map(\.rawValue).joined(separator: " or ")
            throw state.isEmpty
                ? OrgError(400, "INVALIDJOB", message: "The request has no state: a job can be made \(states)")
                : Self.wrongState("Setting the state of a job to \(state) is not allowed: it can be made \(states)")
        }
        return keep(job)
    }

    /// Stores a job with the current time.
    @discardableResult func keep(_ job: BulkJob) -> BulkJob {
        var job = job
        job.modified = context.timestamp
        context.org.bulk.keep(job)
        return job
    }

    /// Does the work of a job if it is complete and nothing delays it.
    func runIfReady(_ job: BulkJob) throws {
        if job.state == .uploadComplete, job.processing.isReady(at: context.org.clock.now) { try run(job) }
    }

    /// Does the work of a job, as the user who created it.
    private func run(_ job: BulkJob) throws { try context.acting(as: job.userId) { try process(job) } }

    private func process(_ job: BulkJob) throws {
        var job = job
        do {
            if let message = context.faults.bulk.failure ?? job.processing.failure {
                context.faults.hasHit = true
                throw BulkFailure(message: message)
            }
            if job.operation.isQuery {
                let query = try query(of: job)
                let result = try query.result(
                    of: try query.rows(context), format: job.format, zone: "+0000", in: context)
                job.processed = result.count
                job.result = result
            } else {
                let ingest = try BulkIngest(job, object: try context.object(job.object), context: context)
                job.processed = ingest.successes + ingest.failures
                job.failed = ingest.failures
                job.ingested = ingest
                // The results contain every record.
                job.upload = nil
            }
            job.state = .complete
        } catch let failure as BulkFailure {
            job.state = .failed
            job.error = failure.message
        } catch let error as OrgError {
            job.state = .failed
            job.error = error.items.map { "\($0.code): \($0.message)" }.joined(separator: "; ")
        }
        keep(job)
    }

    /// Returns the compiled query of a job.
    func query(of job: BulkJob) throws -> BulkQuery {
        try BulkQuery(
            job.query, schema: context.schema, caller: context.caller(seesDeleted: job.operation == .queryAll))
    }
}

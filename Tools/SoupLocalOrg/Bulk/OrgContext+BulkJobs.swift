// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgContext {
    /// Everything below `/jobs`: Bulk API 2.0.
    func jobs(_ request: OrgRequest, _ path: [String]) throws -> OrgAnswer {
        let rest = Array(path.dropFirst())
        switch path.first {
        case "ingest": return try ingestJobs(request, rest)
        case "query": return try queryJobs(request, rest)
        default: throw OrgError.notFound
        }
    }

    /// A job by the id in a path.
    func job(_ text: String, _ folder: String) throws -> BulkJob {
        guard let id = RecordID.normalized(text), let job = org.bulk.jobs[id], job.folder == folder else {
            throw OrgError.notFound
        }
        return job
    }

    /// Answers what is the same for jobs of both kinds: a job itself.
    func jobItself(_ request: OrgRequest, _ job: BulkJob) throws -> OrgAnswer {
        switch request.method {
        case "GET", "HEAD": return OrgAnswer(try looked(at: job).json(apiPath))
        case "PATCH":
            let job = try moved(job, to: try request.jsonObject()["state"]?.stringValue ?? "")
            let answer = OrgAnswer(job.json(apiPath, isBrief: true))
            if job.state == .uploadComplete, job.trouble.isOver(at: org.clock.now) { try run(job) }
            return answer
        case "DELETE":
            guard job.state != .open, job.state != .inProgress else {
                throw Self.wrongState("Deleting a job that is \(job.state.rawValue) is not allowed")
            }
            org.bulk.remove(job.id)
            return .noContent
        default: return try allow(["GET", "PATCH", "DELETE"], request) { .noContent }
        }
    }

    static func wrongState(_ message: String) -> OrgError { OrgError(400, "INVALIDJOBSTATE", message) }

    /// The job after somebody looked at it: looking is what moves it on.
    private func looked(at job: BulkJob) throws -> BulkJob {
        guard job.state == .uploadComplete || job.state == .inProgress else { return job }
        guard trouble.bulk.failure == nil, !job.trouble.isOver(at: org.clock.now) else {
            try run(job)
            return org.bulk.jobs[job.id] ?? job
        }
        var job = job
        job.trouble.looks = max(0, job.trouble.looks - 1)
        if job.trouble.state == .inProgress { job.state = .inProgress }
        return keep(job)
    }

    private func moved(_ job: BulkJob, to state: String) throws -> BulkJob {
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
            job.trouble = bulkTrouble
        default:
            let states = (job.operation.isQuery ? [.aborted] : [BulkJob.State.uploadComplete, .aborted])
                .map(\.rawValue).joined(separator: " or ")
            throw state.isEmpty
                ? OrgError(400, "INVALIDJOB", "The request has no state: a job can be made \(states)")
                : Self.wrongState("Setting the state of a job to \(state) is not allowed: it can be made \(states)")
        }
        return keep(job)
    }

    @discardableResult func keep(_ job: BulkJob) -> BulkJob {
        var job = job
        job.modified = timestamp
        org.bulk.keep(job)
        return job
    }

    /// Does the work of a job, as the user who made it.
    func run(_ job: BulkJob) throws { try acting(as: job.userId) { try work(on: job) } }

    private func work(on job: BulkJob) throws {
        var job = job
        do {
            if let message = trouble.bulk.failure ?? job.trouble.failure {
                trouble.hasHit = true
                throw BulkFailure(message: message)
            }
            if job.operation.isQuery {
                let query = try bulkQuery(job)
                let result = try query.result(try query.rows(self), job.format, zone: "+0000", self)
                job.processed = result.count
                job.result = result
            } else {
                let ingest = try BulkIngest(job, try object(job.object), self)
                job.processed = ingest.successes + ingest.failures
                job.failed = ingest.failures
                job.ingested = ingest
                // Its results hold every record.
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

    func bulkQuery(_ job: BulkJob) throws -> BulkQuery {
        try BulkQuery(job.query, schema: schema, caller: caller(seesDeleted: job.operation == .queryAll))
    }

    // MARK: What jobs have in common

    /// How the CSV of a job that is to be made is laid out.
    func csvFormat(_ body: JSONObject) throws -> CSVFormat {
        var format = CSVFormat()
        if let name = body["columnDelimiter"]?.stringValue {
            guard let known = CSVFormat.delimiters.first(where: { $0.name == name }) else {
                throw OrgError(400, "INVALIDJOB", "Unknown columnDelimiter: \(name)")
            }
            format.delimiter = known.byte
        }
        if let name = body["lineEnding"]?.stringValue {
            guard ["LF", "CRLF"].contains(name) else {
                throw OrgError(400, "INVALIDJOB", "Unknown lineEnding: \(name)")
            }
            format.usesCRLF = name == "CRLF"
        }
        if let type = body["contentType"]?.stringValue, type != "CSV" {
            throw OrgError(400, "INVALIDJOB", "Unsupported contentType: \(type); jobs take CSV")
        }
        return format
    }

    /// The jobs of a kind, 1,000 a page; with `jobType` those of that type only.
    func jobList(_ request: OrgRequest, _ folder: String) throws -> OrgAnswer {
        let type = request.parameter("jobType")
        let all = org.bulk.order.compactMap { org.bulk.jobs[$0] }.filter { job in
            job.folder == folder && type.map { $0 == job.type } ?? true
        }
        let start = try request.parameter("queryLocator").map { text in
            guard let start = Int(text), all.indices.contains(start) else {
                throw OrgError(400, "INVALID_QUERY_LOCATOR", "invalid query locator")
            }
            return start
        }
        let shown = all.dropFirst(start ?? 0).prefix(1000)
        let next = (start ?? 0) + shown.count
        return OrgAnswer([
            "done": .bool(next >= all.count), "records": .array(shown.map { $0.json(apiPath, isBrief: true) }),
            "nextRecordsUrl": next < all.count
                ? .string("\(apiPath)/jobs/\(folder)?\(type.map { "jobType=\($0)&" } ?? "")queryLocator=\(next)")
                : .null,
        ])
    }

    static let csvType = "text/csv;charset=UTF-8"
}

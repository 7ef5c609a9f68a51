// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers the resources of an ingest job: the upload of its records and its results.
struct BulkIngestHandler: ResourceHandler {
    private let request: OrgRequest
    private let context: OrgContext
    private let job: BulkJob

    init(request: OrgRequest, context: OrgContext) throws {
        self.request = request
        self.context = context
        job = try BulkJobRunner(context: context).job(request.path["job"], folder: "ingest")
    }

    func upload() throws -> OrgAnswer {
        guard request.header("Content-Type")?.lowercased().hasPrefix("text/csv") ?? false else {
            throw OrgError(415, "UNSUPPORTED_MEDIA_TYPE", message: "Content-Type must be text/csv")
        }
        guard job.state == .open else {
            throw BulkJobRunner.wrongState("Uploading to a job that is \(job.state.rawValue) is not allowed")
        }
        guard job.upload == nil else {
            throw BulkJobRunner.wrongState(
                "Found multiple contents for job: <\(job.id)>: abort or delete it, and PUT once to a new one")
        }
        var job = job
        job.upload = request.body
        BulkJobRunner(context: context).keep(job)
        return OrgAnswer(201)
    }

    func successfulResults() throws -> OrgAnswer { try results(job.ingested?.successful ?? []) }

    func failedResults() throws -> OrgAnswer { try results(job.ingested?.failed ?? []) }

    func unprocessedRecords() throws -> OrgAnswer {
        try results(job.ingested?.unprocessed ?? BulkIngest.unprocessed(job))
    }

    private func results(_ body: @autoclosure () -> [UInt8]) throws -> OrgAnswer {
        guard job.state.isFinal else {
            throw BulkJobRunner.wrongState("The job is \(job.state.rawValue): it has no results yet")
        }
        return OrgAnswer(200, body: body(), contentType: OrgAnswer.csvType)
    }
}

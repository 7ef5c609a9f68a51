// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/services/async/{version}/job/{job}`: a job's state and its changes.
struct ClassicJobHandler: ClassicHandler {
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

    func info() throws -> OrgAnswer { format.answer("jobInfo", job.facts(context.org.bulk.batches(of: job))) }

    /// Closes or aborts the job.
    func change() throws -> OrgAnswer {
        let org = context.org
        var job = job
        let wanted = try request.classicJobInfo(format)["state"] ?? ""
        guard job.state == .open else {
            throw OrgError(
                400, "InvalidJobState", message: "\(job.state.rawValue) already: the state is final")
        }
        switch wanted {
        case ClassicJob.State.closed.rawValue: job.state = .closed
        case ClassicJob.State.aborted.rawValue:
            job.state = .aborted
            for id in job.batches {
                guard var batch = org.bulk.batches[id], !batch.state.isFinal else { continue }
                batch.state = .notProcessed
                org.bulk.keep(batch)
            }
        default: throw OrgError(400, "InvalidJobState", message: "Unable to set the state \(wanted)")
        }
        job.modified = context.timestamp
        org.bulk.keep(job)
        return format.answer("jobInfo", job.facts(org.bulk.batches(of: job)))
    }

    func refuseUnknownPath() throws -> OrgAnswer { throw ClassicBulkAPI.unknownPath }
}

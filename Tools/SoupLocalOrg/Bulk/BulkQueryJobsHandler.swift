// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/jobs/query`: lists and creates query jobs.
struct BulkQueryJobsHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    func list() throws -> OrgAnswer { try .jobs(in: "query", request, context) }

    func create() throws -> OrgAnswer {
        let body = try request.jsonObject()
        guard let operation = body["operation"]?.stringValue.flatMap({ BulkOperation(rawValue: $0) }),
            operation.isQuery
        else {
            throw OrgError(
                400, "INVALIDJOB", message: "A job of this kind has the operation query or queryAll")
        }
        guard let text = body["query"]?.stringValue, !text.isEmpty else {
            throw OrgError(400, "INVALIDJOB", message: "A job of this kind needs a query")
        }
        var job = BulkJob(
            id: "", operation: operation, object: "", userId: context.userId, created: context.timestamp,
            modified: context.timestamp, state: .uploadComplete, format: try CSVFormat(body),
            version: context.versionName)
        job.query = text
        let runner = BulkJobRunner(context: context)
        let query = try runner.query(of: job)
        try query.check(context)
        job.object = query.plan.object.name
        job.isChunkable = query.isChunkable
        job.processing = BulkProcessing(in: context)
        job.id = context.org.bulk.nextId("750")
        context.org.bulk.keep(job)
        let answer = OrgAnswer(job.json(context.apiPath, isBrief: true))
        try runner.runIfReady(job)
        return answer
    }
}

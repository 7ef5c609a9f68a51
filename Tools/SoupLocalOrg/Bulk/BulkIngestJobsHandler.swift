// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/jobs/ingest`: lists and creates ingest jobs.
struct BulkIngestJobsHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    func list() throws -> OrgAnswer { try .jobs(in: "ingest", request, context) }

    func create() throws -> OrgAnswer {
        let body: JSONObject
        var content: [UInt8]?
        if let parts = try MultipartBody(request, code: "INVALIDJOB") {
            guard let job = parts["job"], let data = parts["content"] else {
                throw OrgError(400, "INVALIDJOB", message: "The body needs the parts job and content")
            }
            body = try OrgRequest(method: "POST", url: "/", body: Array(job)).jsonObject()
            content = Array(data)
        } else {
            body = try request.jsonObject()
        }
        guard let operation = body["operation"]?.stringValue.flatMap({ BulkOperation(rawValue: $0) }),
            !operation.isQuery
        else {
            throw OrgError(
                400, "INVALIDJOB", message: "A job needs an operation: insert, update, upsert, delete, hardDelete")
        }
        guard let name = body["object"]?.stringValue, let object = context.schema[name] else {
            throw OrgError(
                400, "INVALIDENTITY", message: "Unable to find object: \(body["object"]?.stringValue ?? "null")")
        }
        var job = BulkJob(
            id: context.org.bulk.nextId("750"), operation: operation, object: object.name, userId: context.userId,
            created: context.timestamp, modified: context.timestamp, state: .open, format: try CSVFormat(body),
            version: context.versionName)
        if operation == .upsert { job.key = try object.upsertKey(in: body).name }
        if let content {
            job.upload = content
            job.state = .uploadComplete
            job.processing = BulkProcessing(in: context)
        }
        context.org.bulk.keep(job)
        let answer = OrgAnswer(job.json(context.apiPath, isBrief: true))
        try BulkJobRunner(context: context).runIfReady(job)
        return answer
    }
}

extension OrgObject {
    /// Returns the field by which the records of an upsert are matched.
    ///
    /// - Throws: ``OrgError`` with `INVALIDJOB` if the body names none, or one that is not an external ID.
    func upsertKey(in body: JSONObject) throws -> OrgField {
        guard let name = body["externalIdFieldName"]?.stringValue else {
            throw OrgError(400, "INVALIDJOB", message: "An upsert needs an externalIdFieldName")
        }
        guard let field = field(name), field.isExternalId || field.isIdLookup || field.type == .id else {
            throw OrgError(
                400, "INVALIDJOB",
                message:
                    "Field name provided, \(name) does not match an External ID, Salesforce Id, or indexed field for "
                    + self.name)
        }
        return field
    }
}

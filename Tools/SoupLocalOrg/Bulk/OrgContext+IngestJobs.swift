// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgContext {
    /// Everything below `/jobs/ingest`.
    func ingestJobs(_ request: OrgRequest, _ path: [String]) throws -> OrgAnswer {
        guard let id = path.first else {
            if request.method == "POST" { return try createIngestJob(request) }
            return try allow(["GET", "POST"], request) { try self.jobList(request, "ingest") }
        }
        let job = try job(id, "ingest")
        guard path.count == 2 else {
            guard path.count == 1 else { throw OrgError.notFound }
            return try jobItself(request, job)
        }
        switch path[1].lowercased() {
        case "batches": return try allow(["PUT"], request) { try self.upload(request, job) }
        case "successfulresults": return try results(request, job, \.successful)
        case "failedresults": return try results(request, job, \.failed)
        case "unprocessedrecords": return try results(request, job, \.unprocessed)
        default: throw OrgError.notFound
        }
    }

    private func createIngestJob(_ request: OrgRequest) throws -> OrgAnswer {
        let body: JSONObject
        var content: [UInt8]?
        if let parts = try MultipartBody(request, code: "INVALIDJOB") {
            guard let job = parts["job"], let data = parts["content"] else {
                throw OrgError(400, "INVALIDJOB", "The body needs the parts job and content")
            }
            body = try OrgRequest(method: "POST", url: "/", body: Array(job)).jsonObject()
            content = Array(data)
        } else {
            body = try request.jsonObject()
        }
        guard let operation = body["operation"]?.stringValue.flatMap({ BulkOperation(rawValue: $0) }),
            !operation.isQuery
        else {
            throw OrgError(400, "INVALIDJOB", "A job needs an operation: insert, update, upsert, delete, hardDelete")
        }
        guard let name = body["object"]?.stringValue, let object = schema[name] else {
            throw OrgError(400, "INVALIDENTITY", "Unable to find object: \(body["object"]?.stringValue ?? "null")")
        }
        var job = BulkJob(
            id: org.bulk.nextId("750"), operation: operation, object: object.name, userId: userId, created: timestamp,
            modified: timestamp, state: .open, format: try csvFormat(body), version: versionName)
        if operation == .upsert { job.key = try upsertKey(body, object).name }
        if let content {
            job.upload = content
            job.state = .uploadComplete
            job.trouble = bulkTrouble
        }
        org.bulk.keep(job)
        let answer = OrgAnswer(job.json(apiPath, isBrief: true))
        if job.state == .uploadComplete, job.trouble.isOver(at: org.clock.now) { try run(job) }
        return answer
    }

    /// The field that the records of an upsert are told apart by.
    func upsertKey(_ body: JSONObject, _ object: OrgObject) throws -> OrgField {
        guard let name = body["externalIdFieldName"]?.stringValue else {
            throw OrgError(400, "INVALIDJOB", "An upsert needs an externalIdFieldName")
        }
        guard let field = object.field(name), field.isExternalId || field.isIdLookup || field.type == .id else {
            throw OrgError(
                400, "INVALIDJOB",
                "Field name provided, \(name) does not match an External ID, Salesforce Id, or indexed field for "
                    + object.name)
        }
        return field
    }

    /// The version in ``apiPath``: `60.0`.
    var versionName: String { String(apiPath.split(separator: "/").last?.dropFirst() ?? "") }

    private func upload(_ request: OrgRequest, _ job: BulkJob) throws -> OrgAnswer {
        guard request.header("Content-Type")?.lowercased().hasPrefix("text/csv") ?? false else {
            throw OrgError(415, "UNSUPPORTED_MEDIA_TYPE", "Content-Type must be text/csv")
        }
        guard job.state == .open else {
            throw Self.wrongState("Uploading to a job that is \(job.state.rawValue) is not allowed")
        }
        guard job.upload == nil else {
            throw Self.wrongState(
                "Found multiple contents for job: <\(job.id)>: abort or delete it, and PUT once to a new one")
        }
        var job = job
        job.upload = request.body
        keep(job)
        return OrgAnswer(201)
    }

    private func results(
        _ request: OrgRequest, _ job: BulkJob, _ part: KeyPath<BulkIngest, [UInt8]>
    ) throws -> OrgAnswer {
        try allow(["GET"], request) {
            guard job.state.isFinal else {
                throw Self.wrongState("The job is \(job.state.rawValue): it has no results yet")
            }
            let body = job.ingested?[keyPath: part] ?? (part == \.unprocessed ? BulkIngest.unprocessed(job) : [])
            return OrgAnswer(200, body: body, contentType: Self.csvType)
        }
    }
}

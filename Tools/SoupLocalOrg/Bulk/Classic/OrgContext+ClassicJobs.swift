// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

extension OrgContext {
    /// Everything below `/services/async`: the first generation of the Bulk API.
    func classicBulk(_ request: OrgRequest, _ path: [String]) throws -> OrgAnswer {
        let language = ClassicAnswer(isJSON: speaksJSON(request, path))
        do {
            if let fault = request.bodyFault { throw fault }
            try authenticateClassic(request)
            guard let version = path.first, isClassicVersion(version), path.count > 1, path[1] == "job" else {
                throw OrgError(404, "InvalidUrl", "Destination URL not found")
            }
            apiPath = "/services/data/v\(version)"
            return try classicJob(request, Array(path.dropFirst(2)), language)
        } catch let error as OrgError {
            return language.answer(error)
        }
    }

    /// Whether a request is answered in JSON: as it is written, and else as its job is.
    private func speaksJSON(_ request: OrgRequest, _ path: [String]) -> Bool {
        if let type = request.header("Content-Type")?.lowercased() { return type.contains("json") }
        if let type = request.header("Accept")?.lowercased(), type.contains("json") { return true }
        return path.count > 2 && org.bulk.classicJobs[path[2]]?.contentType == .json
    }

    private func authenticateClassic(_ request: OrgRequest) throws {
        var request = request
        if let token = request.header("X-SFDC-Session") { request.headers[.authorization] = "Bearer \(token)" }
        do {
            try authenticate(request)
        } catch let error as OrgError where error.status == 401 {
            throw OrgError(401, "InvalidSessionId", "Invalid session id")
        } catch let error as OrgError where error.items.first?.code == "REQUEST_LIMIT_EXCEEDED" {
            throw OrgError(error.status, "ExceededQuota", error.items.first?.message ?? "")
        }
    }

    /// Clients of this API ask for versions of old, so all that ever had it are taken.
    private func isClassicVersion(_ version: String) -> Bool {
        guard version.hasSuffix(".0"), let number = Int(version.dropLast(2)), "\(number).0" == version else {
            return false
        }
        return number >= 16 && Double(number) <= (org.definition.apiVersions.compactMap { Double($0) }.max() ?? 0)
    }

    private func classicJob(_ request: OrgRequest, _ path: [String], _ language: ClassicAnswer) throws -> OrgAnswer {
        guard let id = path.first else {
            return try only("POST", request) { try self.createClassicJob(request, language) }
        }
        guard let job = RecordID.normalized(id).flatMap({ org.bulk.classicJobs[$0] }) else {
            throw OrgError(400, "InvalidJob", "Unable to find job: \(id)")
        }
        if path.count == 1 {
            if request.method == "POST" { return try moveClassicJob(request, job, language) }
            return try only("GET", request) { language.answer("jobInfo", job.facts(self.classicBatches(job))) }
        }
        guard path[1] == "batch" else { throw OrgError(404, "InvalidUrl", "Destination URL not found") }
        return try classicBatch(request, job, Array(path.dropFirst(2)), language)
    }

    /// Runs `body` for one verb.
    func only(_ method: String, _ request: OrgRequest, _ body: () throws -> OrgAnswer) throws -> OrgAnswer {
        guard request.method == method || (method == "GET" && request.method == "HEAD") else {
            throw OrgError(405, "InvalidOperation", "\(request.method) is not allowed here")
        }
        return try body()
    }

    func classicBatches(_ job: ClassicJob) -> [ClassicBatch] { job.batches.compactMap { org.bulk.batches[$0] } }

    // MARK: Making and moving

    private func createClassicJob(_ request: OrgRequest, _ language: ClassicAnswer) throws -> OrgAnswer {
        let info = try jobInfo(request, language)
        guard let operation = info["operation"].flatMap({ BulkOperation(rawValue: $0) }) else {
            throw OrgError(400, "InvalidJob", "Unable to parse Job: unknown operation \(info["operation"] ?? "null")")
        }
        guard let object = schema[info["object"] ?? ""] else {
            throw OrgError(400, "InvalidJob", "Unable to find object: \(info["object"] ?? "null")")
        }
        let typeName = info["contentType"] ?? "XML"
        guard let contentType = ClassicJob.ContentType(rawValue: typeName) else {
            throw OrgError(400, "InvalidJob", "Unsupported contentType: \(typeName)")
        }
        if contentType == .xml, operation.isQuery {
            throw OrgError(400, "InvalidJob", "Queries are answered in CSV and JSON here, not in XML")
        }
        var job = ClassicJob(
            id: "", operation: operation, object: object.name, userId: userId, created: timestamp,
            modified: timestamp, contentType: contentType, version: versionName)
        if operation == .upsert {
            var body = JSONObject()
            body["externalIdFieldName"] = info["externalIdFieldName"].map { .string($0) }
            do {
                job.key = try upsertKey(body, object).name
            } catch let error as OrgError {
                throw OrgError(400, "InvalidJob", error.items.first?.message ?? "")
            }
        }
        // Some clients count the modes.
        job.concurrency = ["1", "Serial"].contains(info["concurrencyMode"]) ? "Serial" : "Parallel"
        if operation.isQuery { job.chunkSize = try chunkSize(request) }
        job.id = org.bulk.nextId("750")
        org.bulk.keep(job)
        return language.answer("jobInfo", job.facts([]), status: 201)
    }

    /// What the header for cutting queries asks for: `true`, or `chunkSize=1000; parent=Account`.
    private func chunkSize(_ request: OrgRequest) throws -> Int? {
        guard let text = request.header("Sforce-Enable-PKChunking")?.lowercased(), text != "false" else { return nil }
        for part in text.utf8.split(separator: UInt8(ascii: ";")) {
            let pair = part.split(separator: UInt8(ascii: "=")).map { half in
                String(decoding: half.filter { $0 != 0x20 && $0 != 0x09 }, as: UTF8.self)
            }
            guard pair.first == "chunksize" else { continue }
            guard let size = Int(pair.last ?? ""), (1...250_000).contains(size) else {
                throw OrgError(400, "InvalidJob", "chunkSize must be from 1 to 250000")
            }
            return size
        }
        return 100_000
    }

    private func moveClassicJob(
        _ request: OrgRequest, _ job: ClassicJob, _ language: ClassicAnswer
    ) throws -> OrgAnswer {
        var job = job
        let wanted = try jobInfo(request, language)["state"] ?? ""
        guard job.state == .open else {
            throw OrgError(400, "InvalidJobState", "\(job.state.rawValue) already: the state is final")
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
        default: throw OrgError(400, "InvalidJobState", "Unable to set the state \(wanted)")
        }
        job.modified = timestamp
        org.bulk.keep(job)
        return language.answer("jobInfo", job.facts(classicBatches(job)))
    }

    /// The members of a body that describes a job, in either language.
    private func jobInfo(_ request: OrgRequest, _ language: ClassicAnswer) throws -> [String: String] {
        if language.isJSON {
            guard let object = try? request.jsonObject() else {
                throw OrgError(400, "InvalidJob", "Unable to parse Job")
            }
            return Dictionary(object.members.map { ($0.key, $0.value.stringValue ?? $0.value.description) }) { $1 }
        }
        do {
            let root = try XMLElement.parse(request.body)
            guard root.name == "jobInfo" else { throw OrgError(400, "InvalidJob", "Unable to parse Job") }
            return Dictionary(root.elements.map { ($0.name, $0.text) }) { $1 }
        } catch let failure as XMLReader.Failure {
            throw OrgError(400, "InvalidJob", "Unable to parse Job \(failure.description)")
        }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/jobs/ingest/{job}` and `/jobs/query/{job}`: a job's state, its changes and its deletion.
struct BulkJobHandler: ResourceHandler {
    private let request: OrgRequest
    private let context: OrgContext
    private let job: BulkJob
    private let runner: BulkJobRunner

    init(request: OrgRequest, context: OrgContext) throws {
        self.request = request
        self.context = context
        runner = BulkJobRunner(context: context)
        // `/services/data/{version}/jobs/{folder}/{job}`
        job = try runner.job(request.path["job"], folder: request.segments[4])
    }

    func info() throws -> OrgAnswer { OrgAnswer(try runner.polled(job).json(context.apiPath)) }

    func changeState() throws -> OrgAnswer {
        let job = try runner.changeState(of: job, to: try request.jsonObject()["state"]?.stringValue ?? "")
        let answer = OrgAnswer(job.json(context.apiPath, isBrief: true))
        try runner.runIfReady(job)
        return answer
    }

    func delete() throws -> OrgAnswer {
        guard job.state != .open, job.state != .inProgress else {
            throw BulkJobRunner.wrongState("Deleting a job that is \(job.state.rawValue) is not allowed")
        }
        context.org.bulk.remove(job.id)
        return .noContent
    }
}

extension OrgAnswer {
    static let csvType = "text/csv;charset=UTF-8"

    /// A list of the jobs of a folder, 1,000 a page; with the parameter `jobType` only those of that type.
    static func jobs(in folder: String, _ request: OrgRequest, _ context: OrgContext) throws -> OrgAnswer {
        let type = request.parameter("jobType")
        let all = context.org.bulk.order.compactMap { context.org.bulk.jobs[$0] }.filter { job in
            job.folder == folder && type.map { $0 == job.type } ?? true
        }
        let start = try request.parameter("queryLocator").map { text in
            guard let start = Int(text), all.indices.contains(start) else {
                throw OrgError(400, "INVALID_QUERY_LOCATOR", message: "invalid query locator")
            }
            return start
        }
        let shown = all.dropFirst(start ?? 0).prefix(1000)
        let next = (start ?? 0) + shown.count
        let path = "\(context.apiPath)/jobs/\(folder)"
        return OrgAnswer([
            "done": .bool(next >= all.count), "records": .array(shown.map { $0.json(context.apiPath, isBrief: true) }),
            "nextRecordsUrl": next < all.count
                ? .string("\(path)?\(type.map { "jobType=\($0)&" } ?? "")queryLocator=\(next)") : .null,
        ])
    }
}

extension CSVFormat {
    /// Reads the CSV format from the body of a request for a new job.
    init(_ body: JSONObject) throws {
        self.init()
        if let name = body["columnDelimiter"]?.stringValue {
            guard let known = Self.delimiters.first(where: { $0.name == name }) else {
                throw OrgError(400, "INVALIDJOB", message: "Unknown columnDelimiter: \(name)")
            }
            delimiter = known.byte
        }
        if let name = body["lineEnding"]?.stringValue {
            guard ["LF", "CRLF"].contains(name) else {
                throw OrgError(400, "INVALIDJOB", message: "Unknown lineEnding: \(name)")
            }
            usesCRLF = name == "CRLF"
        }
        if let type = body["contentType"]?.stringValue, type != "CSV" {
            throw OrgError(400, "INVALIDJOB", message: "Unsupported contentType: \(type); jobs take CSV")
        }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgContext {
    /// Everything below `/jobs/query`.
    func queryJobs(_ request: OrgRequest, _ path: [String]) throws -> OrgAnswer {
        guard let id = path.first else {
            if request.method == "POST" { return try createQueryJob(request) }
            return try allow(["GET", "POST"], request) { try self.jobList(request, "query") }
        }
        let job = try job(id, "query")
        guard path.count == 2 else {
            guard path.count == 1 else { throw OrgError.notFound }
            return try jobItself(request, job)
        }
        switch path[1].lowercased() {
        case "results": return try allow(["GET"], request) { try self.queryResults(request, job) }
        case "resultpages" where version >= 58:
            return try allow(["GET"], request) { try self.resultPages(request, job) }
        default: throw OrgError.notFound
        }
    }

    private func createQueryJob(_ request: OrgRequest) throws -> OrgAnswer {
        let body = try request.jsonObject()
        guard let operation = body["operation"]?.stringValue.flatMap({ BulkOperation(rawValue: $0) }),
            operation.isQuery
        else { throw OrgError(400, "INVALIDJOB", "A job of this kind has the operation query or queryAll") }
        guard let text = body["query"]?.stringValue, !text.isEmpty else {
            throw OrgError(400, "INVALIDJOB", "A job of this kind needs a query")
        }
        var job = BulkJob(
            id: "", operation: operation, object: "", userId: userId, created: timestamp, modified: timestamp,
            state: .uploadComplete, format: try csvFormat(body), version: versionName)
        job.query = text
        let query = try bulkQuery(job)
        try query.check(self)
        job.object = query.plan.object.name
        job.isChunkable = query.isChunkable
        job.trouble = bulkTrouble
        job.id = org.bulk.nextId("750")
        org.bulk.keep(job)
        let answer = OrgAnswer(job.json(apiPath, isBrief: true))
        if job.trouble.isOver(at: org.clock.now) { try run(job) }
        return answer
    }

    // MARK: Results

    /// A stretch of a job's lines, as locators name it.
    private struct Stretch {
        var start: Int
        /// Nil when the request says how long it is.
        var count: Int?

        /// Numbers in base 36: the start, or the start and the count.
        var locator: String {
            String(start, radix: 36) + (count.map { "-" + String($0, radix: 36) } ?? "")
        }

        init(start: Int, count: Int? = nil) {
            self.start = start
            self.count = count
        }

        init?(_ locator: String) {
            let numbers = locator.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
                .map { digits in
                    // A sign would be read as a part of the number.
                    digits.first == UInt8(ascii: "+") ? nil : Int(String(decoding: digits, as: UTF8.self), radix: 36)
                }
            guard numbers.count <= 2, let start = numbers[0], numbers.allSatisfy({ $0 != nil }) else { return nil }
            self.init(start: start, count: numbers.count == 2 ? numbers[1] : nil)
        }
    }

    /// The result of a job that is done; nil for the answer that there is nothing to be had yet.
    private func result(of job: BulkJob) throws -> BulkResult? {
        if job.state == .complete, let result = job.result { return result }
        guard org.options.refusesEarlyResults else { return nil }
        throw Self.wrongState("The job is \(job.state.rawValue): it has no results")
    }

    private func stretch(_ request: OrgRequest, of result: BulkResult) throws -> Stretch {
        guard let locator = request.parameter("locator"), !locator.isEmpty else { return Stretch(start: 0) }
        guard let stretch = Stretch(locator), stretch.start > 0 || stretch.count != nil,
            (0..<max(1, result.count)).contains(stretch.start), stretch.count ?? 1 > 0
        else { throw OrgError(400, "INVALID_LOCATOR", "The locator \(locator) is not one of the job") }
        return stretch
    }

    private func queryResults(_ request: OrgRequest, _ job: BulkJob) throws -> OrgAnswer {
        guard let result = try result(of: job) else { return .noContent }
        let stretch = try stretch(request, of: result)
        var size = stretch.count ?? org.options.bulkPageSize
        if let text = request.parameter("maxRecords") {
            guard let wanted = Int(text), wanted > 0 else {
                throw OrgError(400, "INVALID_INPUT", "maxRecords must be a number above 0, not \(text)")
            }
            size = min(wanted, stretch.count ?? wanted)
        }
        size = max(1, min(size, pageLimit ?? size))
        let range = stretch.start..<min(stretch.start + min(size, result.count), result.count)
        let next = range.upperBound < result.count ? Stretch(start: range.upperBound).locator : "null"
        var answer = OrgAnswer(
            200, body: result.page(range), contentType: Self.csvType,
            headers: [("Sforce-Locator", next), ("Sforce-NumberOfRecords", String(range.count))])
        answer.isPacked = stretch.count != nil
        return answer
    }

    /// Where the pages of a result are, five at a time, so that a client can read them side by side.
    private func resultPages(_ request: OrgRequest, _ job: BulkJob) throws -> OrgAnswer {
        guard job.version == versionName else {
            throw OrgError(409, "CONFLICT", "The job was made with version \(job.version), not \(versionName)")
        }
        guard let result = try result(of: job) else { return .noContent }
        let start = try stretch(request, of: result).start
        let size = max(1, min(org.options.bulkPageSize, 1 << 40))
        let base = "\(apiPath)/jobs/query/\(job.id)"
        var pages: [JSONValue] = []
        var next = start
        repeat {
            let page = Stretch(start: next, count: size).locator
            pages.append(["resultUrl": .string("\(base)/results?locator=\(page)")])
            next += size
        } while next < result.count && pages.count < 5
        let more: JSONValue =
            next < result.count ? .string("\(base)/resultPages?locator=\(Stretch(start: next).locator)") : .null
        // The reference names the key both ways.
        var answer = OrgAnswer([
            "resultPages": .array(pages), "nextRecordsUrl": more, "nextRecordUrl": more,
            "done": .bool(next >= result.count),
        ])
        answer.isPacked = true
        return answer
    }
}

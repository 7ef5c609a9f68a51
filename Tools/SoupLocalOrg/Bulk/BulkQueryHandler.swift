// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/jobs/query/{job}/results`: the lines that a query job found, a page at a time.
struct BulkQueryHandler: ResourceHandler {
    private let request: OrgRequest
    private let context: OrgContext
    private let job: BulkJob

    init(request: OrgRequest, context: OrgContext) throws {
        self.request = request
        self.context = context
        job = try BulkJobRunner(context: context).job(request.path["job"], folder: "query")
    }

    func results() throws -> OrgAnswer {
        guard let result = try job.availableResult(context.org.options) else { return .noContent }
        let range = try ResultRange(request, of: result)
        var size = range.count ?? context.org.options.bulkPageSize
        if let text = request.parameter("maxRecords") {
            guard let wanted = Int(text), wanted > 0 else {
                throw OrgError(
                    400, "INVALID_INPUT", message: "maxRecords must be a number above 0, not \(text)")
            }
            size = min(wanted, range.count ?? wanted)
        }
        size = max(1, min(size, context.pageLimit ?? size))
        let lines = range.start..<min(range.start + min(size, result.count), result.count)
        let next = lines.upperBound < result.count ? ResultRange(start: lines.upperBound).locator : "null"
        var answer = OrgAnswer(
            200, body: result.page(lines), contentType: OrgAnswer.csvType,
            headers: [("Sforce-Locator", next), ("Sforce-NumberOfRecords", String(lines.count))])
        answer.isPacked = range.count != nil
        return answer
    }
}

/// Answers `/jobs/query/{job}/resultPages`: the URLs of the next five pages, which a client can read in parallel.
struct BulkQueryPagesHandler: ResourceHandler {
    private let request: OrgRequest
    private let context: OrgContext
    private let job: BulkJob

    static func accepts(_ path: PathPattern.Values, in context: OrgContext) -> Bool { context.version >= 58 }

    init(request: OrgRequest, context: OrgContext) throws {
        self.request = request
        self.context = context
        job = try BulkJobRunner(context: context).job(request.path["job"], folder: "query")
    }

    func pages() throws -> OrgAnswer {
        guard job.version == context.versionName else {
            throw OrgError(
                409, "CONFLICT",
                message: "The job was made with version \(job.version), not \(context.versionName)")
        }
        guard let result = try job.availableResult(context.org.options) else { return .noContent }
        let start = try ResultRange(request, of: result).start
        let size = max(1, min(context.org.options.bulkPageSize, 1 << 40))
        let base = "\(context.apiPath)/jobs/query/\(job.id)"
        var pages: [JSONValue] = []
        var next = start
        repeat {
            let page = ResultRange(start: next, count: size).locator
            pages.append(["resultUrl": .string("\(base)/results?locator=\(page)")])
            next += size
        } while next < result.count && pages.count < 5
        let more: JSONValue =
            next < result.count
            ? .string("\(base)/resultPages?locator=\(ResultRange(start: next).locator)") : .null
        // The reference documents the key with both names.
        var answer = OrgAnswer([
            "resultPages": .array(pages), "nextRecordsUrl": more, "nextRecordUrl": more,
            "done": .bool(next >= result.count),
        ])
        answer.isPacked = true
        return answer
    }
}

extension BulkJob {
    /// Returns the result of a finished query; nil if the response is empty until then.
    ///
    /// - Throws: ``OrgError`` if the options reject early requests.
    fileprivate func availableResult(_ options: OrgOptions) throws -> BulkResult? {
        if state == .complete, let result { return result }
        guard options.refusesEarlyResults else { return nil }
        throw BulkJobRunner.wrongState("The job is \(state.rawValue): it has no results")
    }
}

/// A range of a job's lines, as locators name it.
private struct ResultRange {
    var start: Int
    /// The number of lines; nil if the request sets it.
    var count: Int?

    /// The position as text: the start, or the start and the count, in base 36.
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
                // `Int` would accept a sign.
                digits.first == UInt8(ascii: "+") ? nil : Int(String(decoding: digits, as: UTF8.self), radix: 36)
            }
        guard numbers.count <= 2, let start = numbers[0], numbers.allSatisfy({ $0 != nil }) else { return nil }
        self.init(start: start, count: numbers.count == 2 ? numbers[1] : nil)
    }

    /// Reads the locator of a request.
    ///
    /// - Throws: ``OrgError`` with `INVALID_LOCATOR` for a locator that is not one of the result.
    init(_ request: OrgRequest, of result: BulkResult) throws {
        guard let locator = request.parameter("locator"), !locator.isEmpty else {
            self.init(start: 0)
            return
        }
        guard let range = Self(locator), range.start > 0 || range.count != nil,
            (0..<max(1, result.count)).contains(range.start), range.count ?? 1 > 0
        else {
            throw OrgError(400, "INVALID_LOCATOR", message: "The locator \(locator) is not one of the job")
        }
        self = range
    }
}

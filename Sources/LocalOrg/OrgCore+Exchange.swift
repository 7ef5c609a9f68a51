// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import HTTPTypes
internal import SoupCore

extension OrgCore {
    /// Whether a request is for the administration, which faults leave alone.
    func isAdministration(_ request: OrgRequest) -> Bool { options.admin && request.segments.first == "_emu" }

    /// Answers a request that these faults strike.
    func exchange(_ request: OrgRequest, _ struck: [OrgFault]) -> LocalOrg.Exchange {
        var itemFaults: [OrgFault.ItemError] = []
        var pageLimit: Int?
        var replacement: OrgAnswer?
        var point: OrgFault.DropPoint?
        bulk.trouble = BulkTrouble()
        for fault in struck {
            switch fault.effect {
            case .http(let status, let code, let message, let headers):
                replacement = Self.failure(status, code, message, headers)
            case .limit:
                replacement = OrgAnswer(OrgError(403, "REQUEST_LIMIT_EXCEEDED", "TotalRequests Limit exceeded."))
            case .drop(let place): point = place
            case .expireToken: tokens.expireAll()
            case .expireCursors: cursors.expireAll()
            case .itemError(let error): itemFaults.append(error)
            case .shrinkPages(let rows): pageLimit = rows
            case .jobFail(let message): bulk.trouble.failure = message
            case .jobStall(let looks, let milliseconds):
                bulk.trouble.looks = looks
                bulk.trouble.until = clock.now + min(milliseconds, 1 << 50)
            case .latency, .truncate, .garbage: break
            }
        }
        var rowsWritten = 0
        var answer = OrgAnswer(0)
        if point != .accept && point != .beforeHeaders {
            (answer, rowsWritten) = replacement.map { ($0, 0) } ?? self.answer(request, itemFaults, pageLimit)
        }
        for fault in struck {
            switch fault.effect {
            case .truncate(let bytes): answer.body = Array(answer.body.prefix(max(0, bytes)))
            case .garbage: answer.body = Array("<html>garbage</html>".utf8)
            default: break
            }
        }
        if !isAdministration(request) {
            journal.note(
                request, status: point == nil ? answer.status : 0, fault: struck.last?.id, rowsWritten: rowsWritten)
        }
        return LocalOrg.Exchange(
            answer: finished(answer, request), cut: point.map { Self.cut($0, answer.body.count) })
    }

    private static func cut(_ point: OrgFault.DropPoint, _ size: Int) -> LocalOrg.Exchange.Cut {
        switch point {
        case .accept: .refused
        case .beforeHeaders, .afterCommit: .beforeHeaders
        case .midBody: .inBody(size / 2)
        }
    }

    private static func failure(
        _ status: Int, _ code: String, _ message: String?, _ headers: [String: String]
    ) -> OrgAnswer {
        let known = [
            "SERVER_UNAVAILABLE": "System temporarily unavailable. Please retry.",
            "UNABLE_TO_LOCK_ROW": "unable to obtain exclusive access to this record or 1 records",
        ]
        var answer = OrgAnswer(OrgError(status, code, message ?? known[code] ?? "An unexpected error occurred."))
        if status == 502 || status == 504 {
            answer.body = Array("<html><body><h1>\(status)</h1></body></html>".utf8)
            answer.contentType = "text/html"
        }
        answer.headers = headers.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        return answer
    }

    /// The answer of the resources themselves, and how many rows they wrote.
    private func answer(
        _ request: OrgRequest, _ itemFaults: [OrgFault.ItemError], _ pageLimit: Int?
    ) -> (OrgAnswer, Int) {
        var answer = OrgAnswer(500)
        var rowsWritten = 0
        do {
            try queue.inDatabase { db in
                let context = OrgContext(org: self, db: db, userId: definition.caller.id)
                context.itemFaults = itemFaults
                context.pageLimit = pageLimit
                if isAdministration(request) {
                    answer = try context.answer(request)
                } else {
                    try db.inTransaction {
                        answer = try context.answer(request)
                        return .commit
                    }
                }
                rowsWritten = context.rowsWritten
            }
        } catch {
            answer = OrgAnswer(OrgError(500, "UNKNOWN_EXCEPTION", "The local org failed: \(error)"))
        }
        return (answer, rowsWritten)
    }

    /// The answer with the headers that every answer has.
    private func finished(_ answer: OrgAnswer, _ request: OrgRequest) -> HTTPAnswer {
        var response = HTTPResponse(status: HTTPResponse.Status(code: max(100, min(answer.status, 999))))
        response.headerFields[.date] = Timestamp.formatHTTPDate(clock.now)
        if let type = answer.contentType { response.headerFields[.contentType] = type }
        for (name, value) in answer.headers {
            if let name = HTTPField.Name(name) { response.headerFields[name] = value }
        }
        var body = request.method == "HEAD" ? [] : answer.body
        if request.header("X-PrettyPrint") == "1", answer.contentType == OrgAnswer.json { body = PrettyJSON.text(body) }
        if answer.isPacked, request.takesGzip, !body.isEmpty {
            body = GzipPacker.packed(body)
            response.headerFields[.contentEncoding] = "gzip"
        }
        return HTTPAnswer(response, body: body)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import HTTPTypes
internal import SoupCore

extension OrgCore {
    /// Whether a request is for the administration, to which faults do not apply.
    func isAdministration(_ request: OrgRequest) -> Bool { options.admin && request.segments.first == "_emu" }

    /// Answers a request to which these faults apply.
    ///
    /// - Parameter started: when it arrived, in milliseconds of the clock that the org follows.
    func exchange(_ request: OrgRequest, _ struck: [Strike], started: Int64) -> LocalOrg.Exchange {
        var effects = FaultEffects()
        var replacement: OrgAnswer?
        var point: OrgFault.DropPoint?
        var pace: LocalOrg.Exchange.Pace?
        for strike in struck {
            switch strike.fault.effect {
            case .http(let status, let code, let message, let headers, let type):
                replacement = Self.failure(
                    status, code: code, message: message, headers: headers, contentType: type)
            case .limit:
                replacement = OrgAnswer(
                    OrgError(403, "REQUEST_LIMIT_EXCEEDED", message: "TotalRequests Limit exceeded."))
            case .drop(let place): point = place
            case .expireToken: tokens.expireAll()
            case .expireTokenLater(let calls, let time):
                tokens.limit(calls: calls, expires: time.map { clock.now.plus($0) })
            case .refreshFails(.invalidGrant):
                replacement = OAuthRefusal("invalid_grant", "expired access/refresh token").answer
            case .refreshFails(.status(let status)):
                replacement = Self.failure(
                    status, code: status == 429 ? "REQUEST_LIMIT_EXCEEDED" : "SERVER_UNAVAILABLE")
            case .refreshFails(.timeout): point = .beforeHeaders
            case .badOAuthToken: effects.hasBadOAuthToken = true
            case .expireCursors: cursors.expireAll()
            case .expireCursorsLater(let pages, let time):
                effects.cursorPages = pages
                effects.cursorLifetime = time
            case .itemError(let error): effects.itemErrors.append(error)
            case .shrinkPages(let rows): effects.pageLimit = rows
            case .jobFail(let message): effects.bulk.failure = message
            case .jobStall(let looks, let milliseconds, let state):
                effects.bulk = BulkProcessing(
                    failure: effects.bulk.failure, remainingPolls: looks, notBefore: clock.now.plus(milliseconds),
                    state: state)
            case .shuffle(let seed):
                var random = strike.random
                effects.shuffleSeed = seed ?? Int64(random.next() >> 2)
            case .reverseIndependent: effects.reversesSubrequests = true
            case .mutateBetweenPages(let changes): effects.changes = changes
            case .searchIndexDelay(let time): effects.searchIndexDelay = time
            case .replicationLag(let time): effects.replicationLag = time
            case .moveInstance(let url): effects.instanceURL = url
            case .slowBody(let rate, let place, let stall):
                pace = LocalOrg.Exchange.Pace(bytesPerSecond: rate, stallAfter: place, stall: stall)
            case .latency, .truncate, .garbage, .duplicateResponse, .gateway: break
            }
        }
        var struck = struck
        var rowsWritten = 0
        var answer = OrgAnswer(0)
        if point != .accept && point != .beforeHeaders {
            if let replacement {
                answer = replacement
            } else {
                let hasHit: Bool
                (answer, rowsWritten, hasHit) = self.answer(request, effects)
                if !hasHit { undo(&struck) }
            }
        }
        let own = answer
        for strike in struck { damage(&answer, strike) }
        if !isAdministration(request) {
            if own.status > 0 { lastAnswer = own }
            journal.note(
                request, status: point == nil ? answer.status : 0, struck: struck.map(\.fault),
                milliseconds: max(0, clock.baseNow - started), rowsWritten: rowsWritten)
        }
        let response = finished(answer, request)
        return LocalOrg.Exchange(
            answer: response, cut: point.map { Self.cut($0, response.body.count) }, pace: pace)
    }

    /// Removes the faults that had no effect on the request, so that they wait for another one.
    private func undo(_ struck: inout [Strike]) {
        for strike in struck where strike.fault.effect.mayMiss { faults.undoStrike(strike.fault.id) }
        struck.removeAll { $0.fault.effect.mayMiss }
    }

    /// Applies a fault to a response.
    private func damage(_ answer: inout OrgAnswer, _ strike: Strike) {
        switch strike.fault.effect {
        case .truncate(let bytes): answer.body = Array(answer.body.prefix(max(0, bytes)))
        case .garbage(nil): answer.body = Array("<html>garbage</html>".utf8)
        case .garbage(let count?):
            var random = strike.random
            answer.body = (0..<min(max(0, count), FaultKind.mostGarbage)).map { _ in
                UInt8(truncatingIfNeeded: random.next() >> 32)
            }
        case .duplicateResponse: if let lastAnswer { answer = lastAnswer }
        case .gateway(let status, let body):
            answer = OrgAnswer(status)
            answer.contentType = "text/html"
            answer.body = Array((body ?? "<html><body><h1>\(status)</h1></body></html>").utf8)
        default: break
        }
    }

    private static func cut(_ point: OrgFault.DropPoint, _ size: Int) -> LocalOrg.Exchange.Cut {
        switch point {
        case .accept: .refused
        case .beforeHeaders, .afterCommit: .beforeHeaders
        case .midBody: .inBody(size / 2)
        }
    }

    private static func failure(
        _ status: Int, code: String, message: String? = nil, headers: [String: String] = [:],
        contentType type: String? = nil
    ) -> OrgAnswer {
        let known = [
            "INVALID_SESSION_ID": "Session expired or invalid",
            "NOT_FOUND": "The requested resource does not exist",
            "INVALID_INPUT": "The request is not valid",
            "REQUEST_LIMIT_EXCEEDED": "TotalRequests Limit exceeded.",
            "SERVER_UNAVAILABLE": "System temporarily unavailable. Please retry.",
            "UNABLE_TO_LOCK_ROW": "unable to obtain exclusive access to this record or 1 records",
        ]
        var answer = OrgAnswer(
            OrgError(status, code, message: message ?? known[code] ?? "An unexpected error occurred."))
        let isPage = type?.lowercased().utf8.holds("html".utf8) ?? (status == 502 || status == 504)
        if isPage { answer.body = Array("<html><body><h1>\(message ?? String(status))</h1></body></html>".utf8) }
        if let type = type ?? (isPage ? "text/html" : nil) { answer.contentType = type }
        answer.headers = headers.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        return answer
    }

    /// Returns the response of the resources, the number of rows that they wrote, and whether a fault that applies to
    /// some requests only has had an effect.
    private func answer(_ request: OrgRequest, _ effects: FaultEffects) -> (OrgAnswer, Int, Bool) {
        var answer = OrgAnswer(500)
        var rowsWritten = 0
        var hasHit = false
        do {
            try queue.inDatabase { db in
                let context = OrgContext(org: self, db: db, userId: definition.caller.id)
                context.faults = effects
                if isAdministration(request) {
                    try context.recycleBin.removeExpired()
                    answer = try RequestDispatcher(context: context).answer(request)
                    try save(in: db)
                } else {
                    try db.inTransaction(.deferred) {
                        try context.recycleBin.removeExpired()
                        try context.applyRowChanges()
                        answer = try RequestDispatcher(context: context).answer(request)
                        try save(in: db)
                        return .commit
                    }
                }
                rowsWritten = context.rowsWritten
                hasHit = context.faults.hasHit
            }
        } catch {
            unsaved = Set(OrgStateFile.Part.allCases)
            // Expired records are in the recycle bin again.
            binEnds = nil
            answer = OrgAnswer(OrgError(500, "UNKNOWN_EXCEPTION", message: "The local org failed: \(error)"))
        }
        return (answer, rowsWritten, hasHit)
    }

    /// Returns the response with the headers that every response has.
    func finished(_ answer: OrgAnswer, _ request: OrgRequest) -> HTTPAnswer {
        var response = HTTPResponse(status: HTTPResponse.Status(code: max(100, min(answer.status, 999))))
        response.headerFields[.date] = DateText.formatHTTPDate(clock.now)
        if let type = answer.contentType { response.headerFields[.contentType] = type }
        for (name, value) in answer.headers {
            if let name = HTTPField.Name(name) { response.headerFields[name] = value }
        }
        // A client would read a body after such a head as the beginning of the next response.
        let hasBody = request.method != "HEAD" && response.status != .noContent && response.status != .notModified
        var body = hasBody ? answer.body : []
        if request.header("X-PrettyPrint") == "1", answer.contentType == OrgAnswer.json, !answer.isVerbatim {
            body = PrettyJSON.text(body)
        }
        if answer.isPacked, request.takesGzip, !body.isEmpty, let packed = Gzip.packed(body) {
            body = packed
            response.headerFields[.contentEncoding] = "gzip"
        }
        return HTTPAnswer(response, body: body)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import HTTPTypes
internal import SoupCore

extension OrgCore {
    /// Returns whether a request is for the administration, to which faults do not apply.
    func isAdministration(_ request: OrgRequest) -> Bool { options.admin && request.segments.first == "_emu" }

    /// Answers a request to which these faults apply.
    ///
    /// - Parameter started: when it arrived, in milliseconds of the clock that the org follows.
    func exchange(_ request: OrgRequest, _ struck: [Strike], started: Int64) -> LocalOrg.Exchange {
        let plan = FaultPlan(struck, now: clock.now)
        for change in plan.changes { apply(change) }
        var struck = struck
        var outcome = Outcome(answer: OrgAnswer(0))
        if plan.isAnswered {
            if let replacement = plan.replacement {
                outcome.answer = replacement
            } else {
                outcome = answer(request, plan.effects)
                if !outcome.hasHit { undo(&struck) }
            }
        }
        var answer = outcome.answer
        for strike in struck { answer.damage(by: strike, previous: lastAnswer) }
        if !isAdministration(request) {
            if outcome.answer.status > 0 { lastAnswer = outcome.answer }
            journal.note(
                request, status: plan.dropPoint == nil ? answer.status : 0, struck: struck.map(\.fault),
                milliseconds: max(0, clock.baseNow - started), rowsWritten: outcome.rowsWritten)
        }
        let response = finished(answer, request)
        return LocalOrg.Exchange(
            answer: response,
            cut: plan.dropPoint.map { LocalOrg.Exchange.Cut($0, bodySize: response.body.count) }, pace: plan.pace)
    }

    /// Makes the change of the org's state that a fault makes.
    private func apply(_ change: FaultPlan.StateChange) {
        switch change {
        case .endTokens: tokens.expireAll()
        case .limitTokens(let calls, let expires): tokens.limit(calls: calls, expires: expires)
        case .endQueries: cursors.expireAll()
        }
    }

    /// Removes the faults that had no effect on the request, so that they wait for another one.
    private func undo(_ struck: inout [Strike]) {
        for strike in struck where strike.fault.effect.mayMiss { faults.undoStrike(strike.fault.id) }
        struck.removeAll { $0.fault.effect.mayMiss }
    }

    /// The response of the org's resources.
    private struct Outcome {
        var answer: OrgAnswer
        /// The number of rows that the request wrote.
        var rowsWritten = 0
        /// Whether a fault that applies to some requests only has had an effect.
        var hasHit = false
    }

    /// Returns the response of the resources.
    private func answer(_ request: OrgRequest, _ effects: FaultEffects) -> Outcome {
        var outcome = Outcome(answer: OrgAnswer(500))
        do {
            try queue.inDatabase { db in
                let context = OrgContext(org: self, db: db, userId: definition.caller.id)
                context.faults = effects
                if isAdministration(request) {
                    try context.recycleBin.removeExpired()
                    outcome.answer = try RequestDispatcher(context: context).answer(request)
                    try save(in: db)
                } else {
                    try db.inTransaction(.deferred) {
                        try context.recycleBin.removeExpired()
                        try FaultRowChanges(context: context).apply(effects.changes)
                        outcome.answer = try RequestDispatcher(context: context).answer(request)
                        try save(in: db)
                        return .commit
                    }
                }
                outcome.rowsWritten = context.rowsWritten
                outcome.hasHit = context.faults.hasHit
            }
        } catch {
            unsaved = Set(OrgStateFile.Part.allCases)
            // Expired records are in the recycle bin again.
            binEnds = nil
            outcome.answer = OrgAnswer(
                OrgError(500, "UNKNOWN_EXCEPTION", message: "The local org failed: \(error)"))
        }
        return outcome
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

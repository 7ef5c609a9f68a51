// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension PushLedger {
    /// Records the outcome of each change in a composite request.
    ///
    /// - Parameters:
    ///   - positions: the positions of the changes, one for each subrequest.
    ///   - changes: all changes of the push.
    ///   - actions: the requested action of each change of the push.
    package mutating func note(
        _ answer: HTTPAnswer, to subrequests: [CompositeSubrequest], at positions: [Int], changes: [RecordChange],
        actions: [RecordForm.Action?]
    ) {
        if !answer.isOK { return noteRefusal(answer, at: positions, changes: changes) }
        guard let subanswers = answer.subanswers(to: subrequests) else {
            return noteLost("the response does not match the composite request", at: positions)
        }
        for (position, subanswer) in zip(positions, subanswers) {
            note(
                subanswer, at: position, change: changes[position], action: actions[position],
                date: answer.confirmationDate)
        }
    }

    /// Records the outcome of the change in a subrequest.
    ///
    /// - Parameter date: the time of the whole response, for the modification date.
    package mutating func note(
        _ subanswer: CompositeSubanswer, at position: Int, change: RecordChange, action: RecordForm.Action?,
        date: String?
    ) {
        let answer = APIAnswer(
            status: subanswer.status, body: subanswer.body, isConditional: action?.unmodifiedSince != nil)
        note(answer, status: subanswer.status, at: position, change: change, action: action, date: date)
    }

    /// Records the outcome of the change in a request for one record.
    ///
    /// If the response is not the API's own, the push ends after this change.
    package mutating func note(
        _ answer: HTTPAnswer, at position: Int, change: RecordChange, action: RecordForm.Action?
    ) {
        let own = answer.apiAnswer(isConditional: action?.unmodifiedSince != nil)
        if case .foreign = own { return noteLost(answer.foreignDescription, at: [position]) }
        note(
            own, status: answer.status, at: position, change: change, action: action, date: answer.confirmationDate)
    }

    private mutating func note(
        _ answer: APIAnswer, status: Int, at position: Int, change: RecordChange, action: RecordForm.Action?,
        date: String?
    ) {
        let outcome = PushOutcome(of: change, action: action, status: status, answer: answer, date: date)
        setOutcome(outcome, at: position)
        guard let type = action?.type.lowercased() else { return }
        switch outcome.result {
        case .ok: confirmedObjects.insert(type)
        case .failed(let failure) where failure.isGone: confirmedObjects.insert(type)
        case .failed where change.kind == .update || change.kind == .delete:
            guard answer.refusal?.existence(status: status) == .goneIfObjectExists else { return }
            unconfirmed[position] = action?.type
        default: return
        }
    }

    /// Decides whether records that the API reported as `NOT_FOUND` no longer exist.
    ///
    /// The API answers a wrong version or object in the same way. So the records count as deleted only if the API
    /// confirmed another record of their object in this push, or if the server describes the object; this needs one
    /// request per object. Otherwise the failures name the missing object, and can be retried.
    public mutating func confirmGone(with client: SalesforceClient) async {
        for (type, positions) in Dictionary(grouping: unconfirmed.keys, by: { unconfirmed[$0] ?? "" }) {
            let isConfirmed = confirmedObjects.contains(type.lowercased())
            let uncertainty = isConfirmed ? nil : await uncertainty(about: type, client)
            for position in positions {
                guard var outcome = self[position], case .failed(var failure) = outcome.result else { continue }
                if let uncertainty {
                    failure.message += "; the record may exist: \(uncertainty)"
                    failure.retry = .inLaterRun
                } else {
                    failure.isGone = true
                }
                outcome.result = .failed(failure)
                setOutcome(outcome, at: position)
            }
        }
        unconfirmed = [:]
    }

    /// Returns the reason why the server may not have an object; nil if the object exists.
    private func uncertainty(about type: String, _ client: SalesforceClient) async -> String? {
        guard !Task.isCancelled, !StopSignal.isRaised else { return "the push ended before the object was confirmed" }
        do {
            try await client.requireObject(type)
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Records a response that refuses a whole request.
    ///
    /// If the response is not the API's own, the outcome of the changes is unknown, and the push ends.
    ///
    /// - Parameter changes: all changes of the push.
    public mutating func noteRefusal(_ answer: HTTPAnswer, at positions: [Int], changes: [RecordChange]) {
        guard let error = answer.apiAnswer.refusal else { return noteLost(answer.foreignDescription, at: positions) }
        for position in positions {
            var failure = PushFailure(error, kind: changes[position].kind, status: answer.status)
            failure.isGone = false
            setOutcome(.failed(failure), at: position)
        }
    }
}

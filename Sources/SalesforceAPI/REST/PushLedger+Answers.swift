// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

extension PushLedger {
    /// Notes what the answer to a composite request says of each of its changes.
    ///
    /// - Parameters:
    ///   - positions: the positions of the changes, one for each subrequest.
    ///   - changes: all changes of the push.
    ///   - actions: what was asked for, for each change.
    public mutating func note(
        _ answer: HTTPAnswer, to subrequests: [CompositeSubrequest], for positions: [Int], _ changes: [RecordChange],
        _ actions: [RecordForm.Action?]
    ) {
        if !answer.isSuccess { return noteRefusal(answer, for: positions, changes) }
        guard let subanswers = answer.subanswers(to: subrequests) else {
            return lose(positions, "what came is not the answer to the composite request")
        }
        for (position, subanswer) in zip(positions, subanswers) {
            settle(
                position,
                PushOutcome(
                    of: changes[position], actions[position], status: subanswer.status, body: subanswer.body,
                    date: answer.confirmationDate))
        }
    }

    /// Notes an answer that refuses a whole request.
    ///
    /// An error of something between here and the server says nothing of what the server did.
    public mutating func noteRefusal(_ answer: HTTPAnswer, for positions: [Int], _ changes: [RecordChange]) {
        guard let error = answer.refusal else { return lose(positions, "HTTP \(answer.status)") }
        for position in positions {
            var failure = PushFailure(error, kind: changes[position].kind, status: answer.status)
            failure.isGone = false
            settle(position, .failed(failure))
        }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSalesforce
internal import SoupCore

/// A push in collections: sends the requests one after another and records the results.
struct CollectionPush {
    private var push: PreparedPush
    /// Whether updates with a modification date are sent as composite requests.
    private let isStrict: Bool
    private let client: SalesforceClient
    /// The number of further requests that may be sent to find the record for which the server refuses a whole request.
    private var divisions = 40

    init(_ push: PreparedPush, isStrict: Bool, client: SalesforceClient) {
        self.push = push
        self.isStrict = isStrict
        self.client = client
    }

    var outcomes: [PushOutcome] { push.ledger.finished() }

    mutating func run() async throws {
        var calls = CollectionCall.calls(push, isStrict: isStrict)[...]
        while let call = calls.popFirst(), !push.ledger.isStopped {
            let (push, client) = (self.push, self.client)
            let answer = try await self.push.ledger.exchange(for: call.positions) {
                try await call.send(push, with: client)
            }
            guard let answer else { return }
            if let halves = divide(call, answer) {
                calls = halves + calls
            } else {
                note(answer, call)
            }
        }
        await push.ledger.confirmGone(with: client)
    }

    /// Returns the halves of a request that the API refused as a whole; nil for every other response.
    ///
    /// One record with a value of the wrong type can cause a refusal, and the other records should not fail. After any
    /// other response the records may be on the server.
    private mutating func divide(_ call: CollectionCall, _ answer: HTTPAnswer) -> [CollectionCall]? {
        guard answer.status == 400, call.positions.count > 1, divisions > 1, answer.apiAnswer.refusal != nil else {
            return nil
        }
        divisions -= 2
        let middle = call.positions.count / 2
        return [call.positions[..<middle], call.positions[middle...]].map {
            CollectionCall(kind: call.kind, positions: Array($0))
        }
    }

    private mutating func note(_ answer: HTTPAnswer, _ call: CollectionCall) {
        if call.kind == .conditionalUpdate {
            let subrequests = call.subrequests(push, apiPath: client.apiPath)
            return push.ledger.note(
                answer, to: subrequests, at: call.positions, changes: push.changes, actions: push.actions)
        }
        guard answer.isOK else {
            return push.ledger.noteRefusal(answer, at: call.positions, changes: push.changes)
        }
        guard case .success(.array(let items)) = answer.apiAnswer, items.count == call.positions.count,
            zip(items, call.positions).allSatisfy({ fits($0, push.changes[$1]) })
        else { return push.ledger.noteLost("the response does not match the request", at: call.positions) }
        for (item, position) in zip(items, call.positions) {
            let outcome = outcome(of: push.changes[position], item: item, date: answer.confirmationDate)
            push.ledger.setOutcome(outcome, at: position)
        }
    }

    /// Returns whether an item can belong to a change: it has a success flag, and no ID of another record.
    private func fits(_ item: JSONValue, _ change: RecordChange) -> Bool {
        guard item["success"]?.boolValue != nil else { return false }
        guard let id = item["id"]?.stringValue else { return true }
        return change.serverId.map { SalesforceID.same($0, id) } ?? true
    }

    private func outcome(of change: RecordChange, item: JSONValue, date: String?) -> PushOutcome {
        if item["success"]?.boolValue == true {
            let id = item["id"]?.stringValue ?? change.serverId
            guard change.kind != .create || SalesforceID.isPossible(id ?? "") else {
                return .unknown(.lostId(returned: id))
            }
            return .ok(serverId: id, modificationDate: change.kind == .delete ? nil : date)
        }
        guard let error = SalesforceErrorBody.all(in: item["errors"]).first else {
            return .unknown(.lost("the server reports a failure without an error"))
        }
        return .failed(PushFailure(error, kind: change.kind))
    }
}

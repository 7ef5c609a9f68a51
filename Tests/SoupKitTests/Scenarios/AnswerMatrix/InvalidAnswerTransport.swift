// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import Synchronization

/// A gateway in front of an org that sends an invalid answer to one request, or to each.
final class InvalidAnswerTransport: HTTPTransport {
    /// The answer, and the requests that receive it.
    struct Plan: Sendable {
        var answer: InvalidAnswer
        /// The number of the request, counted from 1 since the start of the plan; nil for all requests.
        var number: Int?
        /// Whether the org receives the request before the gateway answers.
        var reachesServer: Bool
    }

    private struct State {
        var plan: Plan?
        var count = 0
        var replaced = 0
    }

    private let base: any HTTPTransport
    private let wire: WireReplay
    private let state = Mutex(State())

    init(_ base: any HTTPTransport, wire: WireReplay) {
        self.base = base
        self.wire = wire
    }

    /// Resets the counts and starts a plan; nil forwards every request.
    func start(_ plan: Plan?) {
        state.withLock { $0 = State(plan: plan) }
    }

    /// The number of requests since the start of the plan.
    var count: Int { state.withLock { $0.count } }
    /// The number of requests that received the invalid answer.
    var replaced: Int { state.withLock { $0.replaced } }

    func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
        let plan = state.withLock { state -> Plan? in
            state.count += 1
            guard let plan = state.plan, plan.number.map({ $0 == state.count }) ?? true else { return nil }
            return plan
        }
        guard let plan else { return try await base.send(request, body: body) }
        if !plan.reachesServer, let answer = plan.answer.replacing(HTTPAnswer(HTTPResponse(status: .ok))) {
            state.withLock { $0.replaced += 1 }
            return answer
        }
        let answer = try await base.send(request, body: body)
        if plan.answer.isWireFormat {
            state.withLock { $0.replaced += 1 }
            return try await wire.replay(answer, as: plan.answer, method: request.method)
        }
        guard let invalid = plan.answer.replacing(answer) else { return answer }
        state.withLock { $0.replaced += 1 }
        return invalid
    }
}

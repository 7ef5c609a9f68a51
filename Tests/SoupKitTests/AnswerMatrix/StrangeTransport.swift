// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import Synchronization

/// A gateway in front of an org: one request, or each of them, gets a strange answer.
final class StrangeTransport: HTTPTransport {
    /// Which requests are struck, and how.
    struct Plan: Sendable {
        var answer: StrangeAnswer
        /// The request, counted from 1 and from the time of the plan; nil for each.
        var number: Int?
        /// Whether the org gets the request before the gateway answers.
        var reachesServer: Bool
    }

    private struct State {
        var plan: Plan?
        var count = 0
        var struck = 0
    }

    private let base: any HTTPTransport
    private let wire: WireDouble
    private let state = Mutex(State())

    init(_ base: any HTTPTransport, wire: WireDouble) {
        self.base = base
        self.wire = wire
    }

    /// Begins to count, and to strike; nil lets every request pass.
    func follow(_ plan: Plan?) {
        state.withLock { $0 = State(plan: plan) }
    }

    /// How many requests came since the plan was made.
    var count: Int { state.withLock { $0.count } }
    /// How many of them got a strange answer.
    var struck: Int { state.withLock { $0.struck } }

    func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
        let plan = state.withLock { state -> Plan? in
            state.count += 1
            guard let plan = state.plan, plan.number.map({ $0 == state.count }) ?? true else { return nil }
            return plan
        }
        guard let plan else { return try await base.send(request, body: body) }
        if !plan.reachesServer, let answer = plan.answer.replacing(HTTPAnswer(HTTPResponse(status: .ok))) {
            state.withLock { $0.struck += 1 }
            return answer
        }
        let answer = try await base.send(request, body: body)
        if plan.answer.isOfTheWire {
            state.withLock { $0.struck += 1 }
            return try await wire.fetch(answer, as: plan.answer, method: request.method)
        }
        guard let strange = plan.answer.replacing(answer) else { return answer }
        state.withLock { $0.struck += 1 }
        return strange
    }
}

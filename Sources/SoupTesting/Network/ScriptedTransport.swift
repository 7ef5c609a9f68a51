// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import SoupCore
internal import Synchronization

/// A transport that plays a server: it answers from a script or a closure and records every request.
///
/// ```swift
/// let transport = ScriptedTransport([
///     .answer(to: "GET /readings?page=1", #"{"readings": [{"Id": "r1"}], "nextPage": 2}"#),
///     .fail(.unknown),
/// ])
/// ```
public final class ScriptedTransport: HTTPTransport {
    /// Answers a request, or throws as a transport does; also the closure of each ``Step``.
    public typealias Server = @Sendable (RecordedRequest) async throws -> HTTPAnswer

    private struct State {
        var steps: [Step]
        var requests: [RecordedRequest] = []
        var violations: [String] = []
    }

    private let state: Mutex<State>
    private let server: Server?

    /// Plays steps in order.
    ///
    /// A request that a step did not expect gets that step's reply all the same, and one behind the last step is
    /// answered with 599; both are noted in ``violations``.
    public init(_ steps: [Step]) {
        state = Mutex(State(steps: steps))
        server = nil
    }

    /// Asks a closure for every answer.
    ///
    /// It may throw what a transport throws, and may be called concurrently.
    public init(server: @escaping Server) {
        state = Mutex(State(steps: []))
        self.server = server
    }

    /// The requests so far, in the order in which they arrived.
    public var requests: [RecordedRequest] { state.withLock { $0.requests } }

    /// What did not go by the script: unexpected requests, and steps that were not reached.
    public var violations: [String] {
        state.withLock { state in
            state.violations + state.steps.map { "not asked for: \($0.expectation ?? "any request")" }
        }
    }

    /// The requests as lines, for a test that compares them as a whole.
    public var dump: [String] { requests.map(\.description) }

    /// Notes the request and plays the next step, or asks the closure.
    ///
    /// - Throws: what they throw; `CancellationError`, without noting the request, in a task that was cancelled before.
    public func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
        try await send(request, body: body) { _ in }
    }

    /// The same, and shows the beginning of the answer, however short that is.
    public func send(
        _ request: HTTPRequest, body: [UInt8]?, showing beginning: @escaping @Sendable (HTTPAnswer) -> Void
    ) async throws -> HTTPAnswer {
        let answer = try await answer(request, body)
        beginning(answer.beginning)
        return answer
    }

    private func answer(_ request: HTTPRequest, _ body: [UInt8]?) async throws -> HTTPAnswer {
        try Task.checkCancellation()
        let recorded = RecordedRequest(request, body: body)
        let step = state.withLock { state -> Step? in
            state.requests.append(recorded)
            guard server == nil else { return nil }
            guard !state.steps.isEmpty else {
                state.violations.append("behind the end of the script: \(recorded)")
                return nil
            }
            let step = state.steps.removeFirst()
            if let expectation = step.expectation, expectation != recorded.description {
                state.violations.append("expected \(expectation)\n     but got \(recorded)")
            }
            return step
        }
        if let server { return try await server(recorded) }
        guard let step else { return HTTPAnswer(status: 599, "not in the script") }
        return try await step.reply(recorded)
    }
}

extension ScriptedTransport {
    /// One exchange of a script.
    public struct Step: Sendable {
        /// The request that must come, as ``RecordedRequest/description`` writes it; nil takes any.
        public var expectation: String?
        /// Makes the answer, also for a request that is not the expected one.
        public var reply: Server

        /// Makes a step that takes any request, unless it is told which.
        public init(_ expectation: String? = nil, reply: @escaping Server) {
            self.expectation = expectation
            self.reply = reply
        }

        /// Answers with JSON.
        public static func answer(
            to expectation: String? = nil, status: Int = 200, _ json: String = "", headers: HTTPFields = [:]
        ) -> Step {
            Step(expectation) { _ in HTTPAnswer(status: status, json, headers: headers) }
        }

        /// Breaks the connection.
        public static func fail(to expectation: String? = nil, _ delivery: NetworkFailure.Delivery) -> Step {
            Step(expectation) { _ in throw SoupError.network(delivery, "scripted failure") }
        }

        /// Never answers: returns only when the task is cancelled.
        public static func hang(to expectation: String? = nil) -> Step {
            Step(expectation) { _ in try await Stall.untilCancelled() }
        }
    }
}

extension HTTPAnswer {
    /// An answer with JSON, as servers write it.
    public init(status: Int = 200, _ json: String = "", headers: HTTPFields = [:]) {
        var headers = headers
        if headers[.contentType] == nil { headers[.contentType] = "application/json;charset=UTF-8" }
        self.init(HTTPResponse(status: .init(code: status), headerFields: headers), body: Array(json.utf8))
    }
}

/// Waits for the end of the task.
public enum Stall {
    /// Returns never; throws `CancellationError` when the task is cancelled.
    public static func untilCancelled() async throws -> HTTPAnswer {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in stream {}
        continuation.finish()
        throw CancellationError()
    }
}

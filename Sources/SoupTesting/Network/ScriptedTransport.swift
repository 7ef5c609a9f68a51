// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import SoupCore
internal import Synchronization

/// A transport that simulates a server: it answers from a script or a closure and records every request.
///
/// ```swift
/// let transport = ScriptedTransport([
///     .answer(to: "GET /readings?page=1", #"{"readings": [{"Id": "r1"}], "nextPage": 2}"#),
///     .fail(.unknown),
/// ])
/// ```
public final class ScriptedTransport: HTTPTransport {
    /// A function that answers a request, or throws an error as a transport does; also the closure of each ``Step``.
    public typealias Server = @Sendable (RecordedRequest) async throws -> HTTPAnswer

    private struct State {
        var steps: [Step]
        var requests: [RecordedRequest] = []
        var violations: [String] = []
    }

    private let state: Mutex<State>
    private let server: Server?

    /// Creates a transport that plays steps in order.
    ///
    /// An unexpected request gets the reply of the current step, and a request after the last step gets 599; both are
    /// recorded in ``violations``.
    public init(_ steps: [Step]) {
        state = Mutex(State(steps: steps))
        server = nil
    }

    /// Creates a transport that calls a closure for every response.
    ///
    /// The closure may throw the errors of a transport, and may be called concurrently.
    public init(server: @escaping Server) {
        state = Mutex(State(steps: []))
        self.server = server
    }

    /// The requests so far, in the order in which they arrived.
    public var requests: [RecordedRequest] { state.withLock { $0.requests } }

    /// The differences from the script: unexpected requests, and steps that were not reached.
    public var violations: [String] {
        state.withLock { state in
            state.violations + state.steps.map { "not requested: \($0.expectation ?? "any request")" }
        }
    }

    /// The requests as lines, to compare them as a whole in a test.
    public var dump: [String] { requests.map(\.description) }

    /// Records the request and plays the next step, or calls the closure.
    ///
    /// - Throws: the errors of the step or the closure; `CancellationError`, without recording the request, if the task
    ///   was already cancelled.
    public func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
        try await send(request, body: body) { _ in }
    }

    /// Sends a request as ``send(_:body:)``, and passes the beginning of the response to `beginning`, even if it is
    /// short.
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
                state.violations.append("after the end of the script: \(recorded)")
                return nil
            }
            let step = state.steps.removeFirst()
            if let expectation = step.expectation, expectation != recorded.description {
                state.violations.append("expected \(expectation)\n     but got \(recorded)")
            }
            return step
        }
        if let server { return try await server(recorded) }
        guard let step else { return HTTPAnswer(status: 599, "the script has no response to this request") }
        return try await step.reply(recorded)
    }
}

extension ScriptedTransport {
    /// One exchange of a script.
    public struct Step: Sendable {
        /// The expected request, as ``RecordedRequest/description`` writes it; nil accepts any.
        public var expectation: String?
        /// The function that returns the response, also for an unexpected request.
        public var reply: Server

        /// Creates a step; without an expectation it accepts any request.
        public init(_ expectation: String? = nil, reply: @escaping Server) {
            self.expectation = expectation
            self.reply = reply
        }

        /// Returns a step that answers with JSON.
        public static func answer(
            to expectation: String? = nil, status: Int = 200, _ json: String = "", headers: HTTPFields = [:]
        ) -> Step {
            Step(expectation) { _ in HTTPAnswer(status: status, json, headers: headers) }
        }

        /// Returns a step that fails with a network error.
        public static func fail(to expectation: String? = nil, _ delivery: NetworkFailure.Delivery) -> Step {
            Step(expectation) { _ in throw SoupError.network(delivery, "scripted failure") }
        }

        /// Returns a step that never answers, and ends only when the task is cancelled.
        public static func hang(to expectation: String? = nil) -> Step {
            Step(expectation) { _ in try await Stall.untilCancelled() }
        }
    }
}

extension HTTPAnswer {
    /// Creates a JSON response in the form that servers use.
    public init(status: Int = 200, _ json: String = "", headers: HTTPFields = [:]) {
        var headers = headers
        if headers[.contentType] == nil { headers[.contentType] = "application/json;charset=UTF-8" }
        self.init(HTTPResponse(status: .init(code: status), headerFields: headers), body: Array(json.utf8))
    }
}

/// Waits until the task is cancelled.
public enum Stall {
    /// Never returns; throws `CancellationError` when the task is cancelled.
    public static func untilCancelled() async throws -> HTTPAnswer {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in stream {}
        continuation.finish()
        throw CancellationError()
    }
}

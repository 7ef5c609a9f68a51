// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import Synchronization

/// A transport that holds back one request until it is told to let it go, or its task is cancelled; and that can wait
/// for requests which are to be made at the same time.
final class StallingTransport: HTTPTransport {
    private struct State {
        var requests: [String] = []
        /// The request that is held back, counted from 1.
        var held: Int?
        /// Requests whose path contains the text wait until so many of them are there.
        var meeting: (text: String, count: Int)?
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let base: any HTTPTransport
    private let state = Mutex(State())
    private let arrivals: AsyncStream<Void>
    private let arrive: AsyncStream<Void>.Continuation
    private let openings: AsyncStream<Void>
    private let opening: AsyncStream<Void>.Continuation

    init(_ base: any HTTPTransport) {
        self.base = base
        (arrivals, arrive) = AsyncStream.makeStream()
        (openings, opening) = AsyncStream.makeStream()
    }

    /// What was asked so far: the verb and the path behind the version, without the query.
    var requests: [String] { state.withLock { $0.requests } }

    /// Forgets what was asked so far, and holds back a request, counted from now; none for nil.
    func hold(_ number: Int?) {
        state.withLock { $0 = State(held: number) }
    }

    /// Lets the next requests whose path contains a text wait for each other, until so many of them are there; those
    /// that come after them pass.
    func gather(_ count: Int, _ text: String) {
        state.withLock { $0.meeting = (text, count) }
    }

    /// Whether they came together.
    var hasGathered: Bool { state.withLock { $0.meeting == nil } }

    /// Returns when the request is held back.
    func arrived() async { for await _ in arrivals { return } }

    /// Lets it go.
    func release() { opening.yield() }

    func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
        try await send(request, body: body) { _ in }
    }

    func send(
        _ request: HTTPRequest, body: [UInt8]?, showing beginning: @escaping @Sendable (HTTPAnswer) -> Void
    ) async throws -> HTTPAnswer {
        let path = (request.path ?? "").prefix { $0 != "?" }.split(separator: "/").dropFirst(3).joined(separator: "/")
        let isHeld = state.withLock { state in
            state.requests.append("\(request.method.rawValue) \(path)")
            return state.requests.count == state.held
        }
        if isHeld {
            arrive.yield()
            for await _ in openings { break }
            try Task.checkCancellation()
        }
        await meet(request.path ?? "")
        return try await base.send(request, body: body, showing: beginning)
    }

    private func meet(_ path: String) async {
        await withCheckedContinuation { continuation in
            let complete = state.withLock { state -> [CheckedContinuation<Void, Never>] in
                guard let meeting = state.meeting, path.contains(meeting.text) else { return [continuation] }
                state.waiting.append(continuation)
                guard state.waiting.count == meeting.count else { return [] }
                state.meeting = nil
                defer { state.waiting = [] }
                return state.waiting
            }
            for waiting in complete { waiting.resume() }
        }
    }
}

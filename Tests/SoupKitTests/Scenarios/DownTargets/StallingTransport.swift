// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import Synchronization

/// A transport that can hold one request until it is released or its task is cancelled, and that can wait until several
/// requests are made at the same time.
final class StallingTransport: HTTPTransport {
    private struct State {
        var requests: [String] = []
        /// The number of the held request, counted from 1.
        var held: Int?
        /// Requests whose path contains the text wait until this number of them has arrived.
        var gathering: Gathering?
    }

    private struct Gathering {
        let text: String
        /// The number of requests that have not arrived yet.
        var missing: Int
        let complete = Promise<Void>()
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

    /// The requests so far: the method and the path after the version, without the query.
    var requests: [String] { state.withLock { $0.requests } }

    /// Resets the list of requests, and holds a request, counted from now; none for nil.
    func hold(_ number: Int?) {
        state.withLock { $0 = State(held: number) }
    }

    /// Makes the next requests whose path contains a text wait until `count` of them have arrived; later requests do
    /// not wait.
    func gather(_ count: Int, pathContaining text: String) {
        state.withLock { $0.gathering = Gathering(text: text, missing: count) }
    }

    /// Whether the requests have arrived together.
    var hasGathered: Bool { state.withLock { $0.gathering == nil } }

    /// Waits until the request is held.
    func arrived() async { for await _ in arrivals { return } }

    /// Releases the held request.
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
        await waitForOthers(at: request.path ?? "")
        return try await base.send(request, body: body, showing: beginning)
    }

    private func waitForOthers(at path: String) async {
        let gathering = state.withLock { state -> Gathering? in
            guard var gathering = state.gathering, path.contains(gathering.text) else { return nil }
            gathering.missing -= 1
            state.gathering = gathering.missing > 0 ? gathering : nil
            return gathering
        }
        guard let gathering else { return }
        if gathering.missing == 0 { gathering.complete.resolve(()) }
        await gathering.complete.waitUncancelled()
    }
}

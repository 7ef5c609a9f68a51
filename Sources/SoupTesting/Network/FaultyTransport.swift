// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import SoupCore
internal import Synchronization

/// A transport between a client and another transport that loses things on the way.
public final class FaultyTransport: HTTPTransport {
    /// What happens to a request.
    public enum Fault: Sendable, Hashable {
        /// It does not reach the server, and that is known.
        case notSent
        /// It does not reach the server, and nobody knows.
        case lostRequest
        /// The server carries it out; the answer is lost.
        case lostAnswer
        /// The client's task is cancelled while it waits for the answer of what the server carried out.
        case cancelled
        /// The server is overloaded and says so.
        case status(Int)
        /// The answer arrives cut in half.
        case truncated
        /// The server carries it out; something on the way answers in its place, with this status and body.
        case foreign(status: Int, body: String)
        /// It does not reach the server; something answers in its place, with this status and body.
        case refused(status: Int, body: String)
        /// The server carries it out; IDs in its JSON answer, and in the `Location` header, become this text: the
        /// values of members named `id`, in any case, or as the keys say, and every value in `ids`.
        case renamed(to: String, keys: Set<String>, ids: Set<String>)
    }

    private let base: any HTTPTransport
    private let faults: Mutex<(count: Int, at: @Sendable (Int, RecordedRequest) -> Fault?)>

    /// - Parameter fault: for each request, counted from 0, what happens to it; nil lets it pass.
    public init(
        _ base: any HTTPTransport, fault: @escaping @Sendable (_ number: Int, _ request: RecordedRequest) -> Fault?
    ) {
        self.base = base
        faults = Mutex((0, fault))
    }

    /// How many requests were made.
    public var count: Int { faults.withLock { $0.count } }

    /// The mask of the transport behind this one.
    public var secretMask: SecretMask? { base.secretMask }

    /// Sends a request, with what the fault for its number does to it.
    ///
    /// - Throws: ``SoupError`` with `network` for a request or an answer that is lost, `CancellationError` for
    ///   ``Fault/cancelled``, and whatever the transport behind this one throws.
    public func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
        try await send(request, body: body) { _ in }
    }

    /// The same, and shows the beginning of an answer that arrives, whole or not.
    public func send(
        _ request: HTTPRequest, body: [UInt8]?, showing beginning: @escaping @Sendable (HTTPAnswer) -> Void
    ) async throws -> HTTPAnswer {
        let fault = faults.withLock { state in
            defer { state.count += 1 }
            return state.at(state.count, RecordedRequest(request, body: body))
        }
        switch fault {
        case nil: return try await base.send(request, body: body, showing: beginning)
        case .notSent: throw SoupError.network(.notSent, "refused by the test")
        case .lostRequest: throw SoupError.network(.unknown, "lost by the test")
        case .lostAnswer:
            _ = try await base.send(request, body: body)
            throw SoupError.network(.unknown, "lost by the test")
        case .cancelled:
            _ = try await base.send(request, body: body)
            throw CancellationError()
        case .status(let status): return HTTPAnswer(status: status, "[]")
        case .foreign(let status, let text):
            _ = try await base.send(request, body: body)
            return HTTPAnswer(status: status, text)
        case .refused(let status, let text): return HTTPAnswer(status: status, text)
        case .renamed(let text, let keys, let ids):
            let answer = try await base.send(request, body: body)
            return IdSubstitution(text: text, keys: keys, ids: ids).applied(to: answer)
        case .truncated:
            var answer = try await base.send(request, body: body, showing: beginning)
            answer.body.removeLast(answer.body.count / 2)
            return answer
        }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import SoupCore
internal import Synchronization

/// A transport that simulates failures between a client and another transport.
public final class FaultyTransport: HTTPTransport {
    /// The fault that affects a request.
    public enum Fault: Sendable, Hashable {
        /// The request does not reach the server, and the client knows it.
        case notSent
        /// The request does not reach the server, and the client does not know it.
        case lostRequest
        /// The server carries out the request; the response is lost.
        case lostAnswer
        /// The client's task is cancelled while it waits for the response to a request that the server carried out.
        case cancelled
        /// The server is overloaded and responds with this status.
        case status(Int)
        /// Only half of the response arrives.
        case truncated
        /// The server carries out the request; an intermediary responds in its place, with this status and body.
        case foreign(status: Int, body: String)
        /// The request does not reach the server; an intermediary responds in its place, with this status and body.
        case refused(status: Int, body: String)
        /// The server carries out the request; IDs in its JSON response, and in the `Location` header, are replaced
        /// with this text: the values of members named `id`, in any case, or as the keys define, and every value in
        /// `ids`.
        case renamed(to: String, keys: Set<String>, ids: Set<String>)
    }

    private let base: any HTTPTransport
    private let faults: Mutex<(count: Int, at: @Sendable (Int, RecordedRequest) -> Fault?)>

    /// - Parameter fault: returns the fault for each request, counted from 0; nil for none.
    public init(
        _ base: any HTTPTransport, fault: @escaping @Sendable (_ number: Int, _ request: RecordedRequest) -> Fault?
    ) {
        self.base = base
        faults = Mutex((0, fault))
    }

    /// The number of requests.
    public var count: Int { faults.withLock { $0.count } }

    /// The mask of the underlying transport.
    public var secretMask: SecretMask? { base.secretMask }

    /// Sends a request, with the fault for its number.
    ///
    /// - Throws: ``SoupError`` with `network` for a lost request or response, `CancellationError` for
    ///   ``Fault/cancelled``, and the errors of the underlying transport.
    public func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
        try await send(request, body: body) { _ in }
    }

    /// Sends a request as ``send(_:body:)``, and passes the beginning of a response to `beginning`, complete or not.
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

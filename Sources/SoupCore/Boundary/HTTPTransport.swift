// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// Sends one HTTP request: the only door to the network.
///
/// The transport that a target gets already knows the server: a request whose path starts with `/` and whose authority
/// is nil goes to the session's instance, with its access token; a request to another authority goes there, without it.
///
/// Guarantees: a non-2xx answer is an answer, not an error; redirects are not followed across hosts; cancelling the
/// task ends the exchange.
public protocol HTTPTransport: Sendable {
    /// - Throws: ``SoupError`` with `network` when no complete answer arrived, made with
    ///   ``SoupError/network(_:_:hint:)`` so that its ``SoupError/delivery`` tells whether the request may have been
    ///   carried out; `CancellationError`.
    func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer
    /// The same, for those who can begin with the first bytes of an answer while the others are on their way.
    ///
    /// Default: ``send(_:body:)``, and nothing is shown. A transport around another one passes it on, or what waits for
    /// beginnings waits for whole answers.
    ///
    /// - Parameter beginning: shown the head, whatever its status, and the first ``HTTPAnswer/beginningBytes`` of the
    ///   body, unpacked; of a short body all or nothing. Once for each time that the request is sent, on any thread,
    ///   and to be quick. What is shown may be all that ever arrives.
    func send(
        _ request: HTTPRequest, body: [UInt8]?, showing beginning: @escaping @Sendable (HTTPAnswer) -> Void
    ) async throws -> HTTPAnswer
    /// Sends the request, and returns when the head of the answer is complete; the body is read from the stream.
    ///
    /// Default: ``send(_:body:)``, whose body then is one piece in memory. A transport that can stream holds only a
    /// bounded part of the body: it stops reading from the connection until the caller has taken what is there. The
    /// exchange ends when the last copy of the stream is released. ``TransportLimits/totalTimeout`` also counts the
    /// time that the caller takes: a stream whose reader is slow ends with the error `network` when the time is up.
    ///
    /// - Throws: as ``send(_:body:)``; so does reading the body.
    func stream(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswerStream
    /// The secrets of the session, which must not occur in messages; nil if the transport knows none.
    ///
    /// The engine removes them from the errors of targets before it logs, returns or stores them. Default: nil. A
    /// transport that wraps another one returns the mask of that one.
    var secretMask: SecretMask? { get }
}

extension HTTPTransport {
    /// Nil: the transport knows no secrets.
    public var secretMask: SecretMask? { nil }

    /// Sends the request, and shows nothing before the whole answer is there.
    public func send(
        _ request: HTTPRequest, body: [UInt8]?, showing beginning: @escaping @Sendable (HTTPAnswer) -> Void
    ) async throws -> HTTPAnswer {
        try await send(request, body: body)
    }

    /// Sends the request, and returns the whole answer as a stream with one piece.
    public func stream(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswerStream {
        try await send(request, body: body).stream
    }
}

/// An answer of a server: head and complete body.
public struct HTTPAnswer: Sendable {
    /// The head: status and header fields.
    ///
    /// A transport that unpacks a compressed body takes away the fields that speak of the packed one.
    public var response: HTTPResponse
    /// The bytes behind the head, unpacked; empty when the answer has no body.
    public var body: [UInt8]

    /// Made by transports, and by tests that play a server.
    public init(_ response: HTTPResponse, body: [UInt8] = []) {
        self.response = response
        self.body = body
    }

    /// How much of a body the beginning of an answer holds: enough for what stands in front of the records of a page.
    public static let beginningBytes = 2048

    /// What transports show of an answer first: its head, and the body's first ``beginningBytes``.
    public var beginning: HTTPAnswer { HTTPAnswer(response, body: Array(body.prefix(Self.beginningBytes))) }

    /// The HTTP status code, such as 404.
    public var status: Int { response.status.code }
    /// Whether the status is 200 to 299; a redirect is no success.
    public var isSuccess: Bool { (200..<300).contains(status) }
}

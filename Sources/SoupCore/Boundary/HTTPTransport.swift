// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A type that sends HTTP requests; all network access goes through it.
///
/// The transport that a target receives knows the server. A request whose path starts with `/` and whose authority is
/// nil goes to the session's instance, with its access token. A request with another authority goes there, without the
/// token.
///
/// Guarantees: a non-2xx response is returned, not thrown; redirects are not followed across hosts; cancelling the task
/// ends the exchange.
///
/// Plug-in interface: version 1. ``PluginInterface`` states what may change within it.
public protocol HTTPTransport: Sendable {
    /// Sends the request, and returns the whole response.
    ///
    /// - Throws: ``SoupError`` with `network` if no complete response arrived, made with
    ///   ``SoupError/network(_:_:hint:)`` so that its ``SoupError/delivery`` reports whether the server may have
    ///   carried out the request; `CancellationError`.
    func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer
    /// Sends the request, and shows the beginning of the response while the rest is still arriving.
    ///
    /// Default: ``send(_:body:)``, without calling `beginning`. A transport that wraps another one must pass the call
    /// on; otherwise its callers get the beginning only with the whole response.
    ///
    /// - Parameter beginning: called with the head, whatever its status, and the first ``HTTPAnswer/beginningBytes`` of
    ///   the body, decompressed; of a shorter body all or none of it. It is called once for each time that the request
    ///   is sent, on any thread, and must return quickly. The rest of the response may never arrive.
    func send(
        _ request: HTTPRequest, body: [UInt8]?, showing beginning: @escaping @Sendable (HTTPAnswer) -> Void
    ) async throws -> HTTPAnswer
    /// Sends the request, and returns when the head of the response is complete; the body is read from the stream.
    ///
    /// Default: ``send(_:body:)``; the body is then one piece in memory. A transport that can stream holds only a
    /// bounded part of the body: it stops reading from the connection until the caller has taken the pieces that have
    /// arrived. The exchange ends when the last copy of the stream is released. ``TransportLimits/totalTimeout``
    /// includes the time that the caller takes: if the reader is too slow, the stream ends with the error `network`.
    ///
    /// - Throws: the errors of ``send(_:body:)``; so does reading the body.
    func stream(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswerStream
    /// The secrets of the session, which must not occur in messages; nil if the transport knows none.
    ///
    /// A transport that wraps another one returns that transport's mask. Default: nil.
    var secretMask: SecretMask? { get }
}

extension HTTPTransport {
    /// Nil: the transport knows no secrets.
    public var secretMask: SecretMask? { nil }

    /// Sends the request, and does not show a beginning.
    public func send(
        _ request: HTTPRequest, body: [UInt8]?, showing beginning: @escaping @Sendable (HTTPAnswer) -> Void
    ) async throws -> HTTPAnswer {
        try await send(request, body: body)
    }

    /// Sends the request, and returns the whole response as a stream with one piece.
    public func stream(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswerStream {
        try await send(request, body: body).stream
    }
}

/// A response of a server: head and complete body.
public struct HTTPAnswer: Sendable {
    /// The head: status and header fields.
    ///
    /// A transport that decompresses a body removes the header fields that describe the compressed one.
    public var response: HTTPResponse
    /// The decompressed body; empty if the response has none.
    public var body: [UInt8]

    /// Creates a response; for transports and for tests that simulate a server.
    public init(_ response: HTTPResponse, body: [UInt8] = []) {
        self.response = response
        self.body = body
    }

    /// The number of body bytes in the beginning of a response, enough for the members before the records of a page.
    public static let beginningBytes = 2048

    /// The part of a response that transports show first: its head, and the body's first ``beginningBytes``.
    public var beginning: HTTPAnswer { HTTPAnswer(response, body: Array(body.prefix(Self.beginningBytes))) }

    /// The HTTP status code, such as 404.
    public var status: Int { response.status.code }
    /// Whether the status is 200 to 299; a redirect does not count as success.
    public var isSuccess: Bool { (200..<300).contains(status) }
}

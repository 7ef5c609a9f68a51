// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import SoupCore

/// A transport over libcurl: the default on Linux.
///
/// Requests must be absolute. All exchanges run on one thread, which starts with the first request and ends when the
/// last copy of the transport is released. Connections are kept and reused, and use HTTP/2 if the server offers it.
///
/// * There are no cookies, no cache and no stored passwords; only http and https are allowed. Certificates are checked.
/// * A redirect is followed only if the request is GET or HEAD and the redirect stays on the server (scheme, host and
///   port). Every other redirect is returned as the response.
/// * A request that writes is sent once. libcurl repeats a request if a reused connection breaks before the response;
///   the transport stops that repetition and throws `network` with an unknown delivery. Connections that were idle for
///   4 seconds are not reused for writes, because many servers close them after 5.
/// * Bodies are decompressed while they arrive, and the limits count decompressed bytes. A truncated compressed body is
///   an error. Trailers are ignored.
/// * The bodies being received are held in memory, none longer than its limit. ``stream(_:body:)`` holds at most about
///   512 KiB of a body: the transport stops reading from the connection until the caller has read the buffered bytes.
/// * The variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` of the environment apply, unless the
///   configuration names a proxy.
public final class LibcurlTransport: HTTPTransport, SyncPlugin {
    private let configuration: Configuration
    private let perform: CurlLoop.Perform
    private let queue = CurlQueue()

    /// The name in `org.json`: `{"transport": "curl"}`.
    public static let name: PluginName = "curl"

    /// Creates a transport with these options; the thread starts with the first request.
    ///
    /// - Throws: ``SoupError`` or ``ConfigurationError`` for invalid limits, and for a certificate file that cannot be
    ///   read.
    public convenience init(configuration: Configuration) throws {
        try configuration.check()
        self.init(configuration, perform: CurlLoop.perform)
    }

    /// Creates a transport with the default options.
    public convenience init() { self.init(Configuration(), perform: CurlLoop.perform) }

    init(_ configuration: Configuration, perform: @escaping CurlLoop.Perform) {
        self.configuration = configuration
        self.perform = perform
    }

    deinit { queue.close() }

    /// Sends one absolute request, and collects the whole response in memory.
    ///
    /// - Throws: ``SoupError``: `badConfiguration` if the request names no server, `answerTooLong`, `network`;
    ///   `CancellationError`. A timeout is `network`.
    public func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
        try await gather(request, body, showing: nil)
    }

    /// Sends one absolute request, and passes the beginning of the response to `beginning` before the rest has arrived.
    public func send(
        _ request: HTTPRequest, body: [UInt8]?, showing beginning: @escaping @Sendable (HTTPAnswer) -> Void
    ) async throws -> HTTPAnswer {
        try await gather(request, body, showing: beginning)
    }

    /// Sends one absolute request, and returns when the head of the response is complete.
    ///
    /// The limits for bodies do not apply, because at most about 512 KiB of the body are held. The exchange ends when
    /// the last copy of the stream is released. `totalTimeout` includes the time that the caller needs to read: if the
    /// reader is too slow, the stream ends with the error `network`.
    public func stream(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswerStream {
        let exchange = try prepare(request, body)
        let pipe = BodyPipe(onDemand: { [queue, id = exchange.id] in queue.resume(id) })
        // The body holds the reader: when the body is released, the exchange ends. The reader keeps the transport and
        // its thread alive.
        let reader = BodyPipeReader(pipe) { [self] in cancel(exchange) }
        let head = try await withTaskCancellationHandler {
            start(exchange, .pipe(pipe))
            return try await pipe.head()
        } onCancel: {
            cancel(exchange)
        }
        return HTTPAnswerStream(head, body: HTTPAnswerBody { try await reader.next() })
    }

    private func gather(
        _ request: HTTPRequest, _ body: [UInt8]?, showing watcher: (@Sendable (HTTPAnswer) -> Void)?
    ) async throws -> HTTPAnswer {
        let exchange = try prepare(request, body)
        let answer = Promise<Result<HTTPAnswer, any Error>>()
        return try await withTaskCancellationHandler {
            start(exchange, .whole(answer, watcher: watcher))
            return try await answer.waitUncancelled().get()
        } onCancel: {
            cancel(exchange)
        }
    }
}

extension LibcurlTransport {
    /// A request that can be cancelled before and after it was passed to the thread.
    private struct Prepared: Sendable {
        let id: UInt64
        let request: CurlRequest
        let cancellation: CancellationFlag
    }

    private func prepare(_ request: HTTPRequest, _ body: [UInt8]?) throws -> Prepared {
        try Task.checkCancellation()
        return Prepared(
            id: queue.makeID(), request: try CurlRequest(request, body: body), cancellation: CancellationFlag())
    }

    private func start(_ prepared: Prepared, _ receiver: CurlExchange.Receiver) {
        let exchange = CurlExchange(
            id: prepared.id, request: prepared.request, receiver: receiver, cancellation: prepared.cancellation)
        if queue.add(exchange) { CurlLoop.startThread(for: queue, configuration: configuration, perform: perform) }
    }

    private func cancel(_ prepared: Prepared) {
        // The flag is also set, because the thread may not have received the exchange yet.
        prepared.cancellation.cancel()
        queue.cancel(prepared.id)
    }
}

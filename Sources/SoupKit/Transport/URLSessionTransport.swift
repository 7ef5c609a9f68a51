// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import HTTPTypes
public import SoupCore

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A transport over Foundation's URLSession: the default on Apple platforms.
///
/// Requests must be absolute. There are no cookies, no cache and no stored passwords; bodies may arrive compressed. A
/// redirect is followed only if the request reads and the redirect stays on the same server; any other redirect is
/// returned as the response.
///
/// Each request that writes uses its own connection, in its own session. libcurl, which Foundation uses on Linux, sends
/// a request again if a reused connection breaks before the response. The server would then carry out the request
/// twice. On Linux the second request also has no body, so that the server waits for it until the timeout.
///
/// The bodies being received are held in memory, none longer than the limit. On Linux Foundation decompresses a body
/// before the transport can count its bytes, and a trailer after a chunked body ends the process: use `curl` there,
/// which is the default. The connections are closed when the last copy is released.
public final class URLSessionTransport: HTTPTransport, SyncPlugin {
    private let reading: Session
    private let limits: TransportLimits

    /// The name in `org.json`: `{"transport": "urlsession"}`.
    public static let name: PluginName = "urlsession"

    /// The default limit for the body of a response: 256 MiB.
    public static let standardMaximumAnswerBytes = TransportLimits().maximumAnswerBytes

    /// Creates a transport with these limits, as `org.json` defines them.
    ///
    /// - Throws: ``SoupError`` or ``ConfigurationError`` for invalid limits.
    public init(configuration: TransportLimits) throws {
        try configuration.check()
        limits = configuration
        reading = Session(limits)
    }

    /// - Parameters:
    ///   - idleTimeout: the time for which a server may send nothing before the exchange fails.
    ///   - totalTimeout: the maximum duration of an exchange.
    ///   - maximumAnswerBytes: the maximum size of a response body. A longer one ends the exchange with the error
    ///     `answerTooLong`, which does not say whether the server carried out the request. A compressed body has the
    ///     lower limit of ``TransportLimits/maximumDecompressedBytes``.
    public init(
        idleTimeout: Duration = .seconds(60), totalTimeout: Duration = .seconds(600),
        maximumAnswerBytes: Int = URLSessionTransport.standardMaximumAnswerBytes
    ) {
        let maximum = max(0, maximumAnswerBytes)
        limits = TransportLimits(
            idleTimeout: idleTimeout, totalTimeout: totalTimeout, maximumAnswerBytes: maximum,
            maximumDecompressedBytes: min(maximum, TransportLimits().maximumDecompressedBytes))
        reading = Session(limits)
    }

    /// Sends one absolute request, and collects the whole response in memory.
    ///
    /// - Throws: ``SoupError``: `badConfiguration` if the request names no server, `answerTooLong`, `network`;
    ///   `CancellationError`. A timeout is `network` with an unknown delivery.
    public func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
        try await send(request, body, showing: nil)
    }

    /// Sends one absolute request, and passes the beginning of the response to `beginning`.
    public func send(
        _ request: HTTPRequest, body: [UInt8]?, showing beginning: @escaping @Sendable (HTTPAnswer) -> Void
    ) async throws -> HTTPAnswer {
        try await send(request, body, showing: beginning)
    }

    private func send(
        _ request: HTTPRequest, _ body: [UInt8]?, showing beginning: (@Sendable (HTTPAnswer) -> Void)?
    ) async throws -> HTTPAnswer {
        let reads = request.method == .get || request.method == .head || request.method == .options
        var outgoing = try Self.outgoing(request, body)
        if reads { return try await reading.send(outgoing, showing: beginning) }
        // The header alone is not enough: if a server closes without announcing it, libcurl still reuses the
        // connection.
        outgoing.setValue("close", forHTTPHeaderField: "Connection")
        let session = Session(limits)
        return try await session.send(outgoing, showing: beginning)
    }

    private static func outgoing(_ request: HTTPRequest, _ body: [UInt8]?) throws -> URLRequest {
        let path = request.path ?? "/"
        guard let scheme = request.scheme, let authority = request.authority, !authority.isEmpty,
            let url = URL(string: "\(scheme)://\(authority)\(path)"), url.host != nil
        else {
            throw SoupError(
                .badConfiguration, "the request has no URL of a server: \(path.excerpt(200))")
        }
        var outgoing = URLRequest(url: url)
        outgoing.httpMethod = request.method.rawValue
        for field in request.headerFields {
            outgoing.addValue(field.value, forHTTPHeaderField: field.name.rawName)
        }
        if let body { outgoing.httpBody = Data(body) }
        return outgoing
    }
}

extension URLSessionTransport {
    /// A URLSession and its running exchanges; it ends with its owner.
    fileprivate final class Session: Sendable {
        private let session: URLSession
        private let exchanges: URLSessionExchanges

        init(_ limits: TransportLimits) {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpCookieStorage = nil
            configuration.httpShouldSetCookies = false
            configuration.urlCache = nil
            configuration.urlCredentialStorage = nil
            configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
            configuration.timeoutIntervalForRequest = limits.idleTimeout / .seconds(1)
            configuration.timeoutIntervalForResource = limits.totalTimeout / .seconds(1)
            exchanges = URLSessionExchanges(limits)
            session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
        }

        // A session keeps its delegate and its connections until it is invalidated. `invalidateAndCancel` would cancel
        // tasks on this thread; see `cancel`.
        deinit { session.finishTasksAndInvalidate() }

        func send(
            _ request: URLRequest, showing beginning: (@Sendable (HTTPAnswer) -> Void)?
        ) async throws -> HTTPAnswer {
            try Task.checkCancellation()
            let task = session.dataTask(with: request)
            let id = task.taskIdentifier
            let answer = exchanges.register(id, showing: beginning)
            return try await withTaskCancellationHandler {
                if answer.current == nil { task.resume() }
                return try await answer.waitUncancelled().get()
            } onCancel: {
                // Ended here as well: a task that is cancelled before it was started may never report its end.
                exchanges.end(id, .failure(CancellationError()))
                cancel(task)
            }
        }

        /// Cancels the task in the delegate queue, where its end is also reported.
        ///
        /// FoundationNetworking ends the process if a task is cancelled in one thread while its end is reported in
        /// another.
        private func cancel(_ task: URLSessionTask) {
            session.delegateQueue.addOperation { task.cancel() }
        }
    }
}

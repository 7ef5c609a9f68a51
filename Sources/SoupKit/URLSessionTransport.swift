// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import HTTPTypes
public import SoupCore

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The standard transport: Foundation's URLSession, which is libcurl on Linux.
///
/// Requests must be absolute. There are no cookies, no cache and no stored passwords; bodies may arrive compressed. A
/// redirect is followed for requests that only read and on the same server; any other is the answer.
///
/// Each request that writes goes out on a connection of its own, in a session of its own: libcurl sends a request again,
/// unasked, when a connection that it reused breaks before the answer. What the first one did would be done twice, and
/// on Linux the second one has no body, so that the server waits for it until the time is up.
///
/// Memory holds the bodies that are arriving. The connections are closed when the last copy goes away.
public final class URLSessionTransport: HTTPTransport {
    private let reading: Session
    private let idleTimeout: Double
    private let totalTimeout: Double

    /// - Parameters:
    ///   - idleTimeout: how long, in seconds, a server may send nothing before the exchange fails.
    ///   - totalTimeout: how long, in seconds, an exchange may take in all.
    public init(idleTimeout: Double = 60, totalTimeout: Double = 600) {
        self.idleTimeout = idleTimeout
        self.totalTimeout = totalTimeout
        reading = Session(idleTimeout: idleTimeout, totalTimeout: totalTimeout)
    }

    public func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
        let reads = request.method == .get || request.method == .head || request.method == .options
        var outgoing = try Self.outgoing(request, body)
        if reads { return try await reading.send(outgoing) }
        // The header alone would not do: a server that closes without saying so leaves libcurl a connection to reuse.
        outgoing.setValue("close", forHTTPHeaderField: "Connection")
        return try await Session(idleTimeout: idleTimeout, totalTimeout: totalTimeout).send(outgoing)
    }

    private static func outgoing(_ request: HTTPRequest, _ body: [UInt8]?) throws -> URLRequest {
        let path = request.path ?? "/"
        guard let scheme = request.scheme, let authority = request.authority, !authority.isEmpty,
            let url = URL(string: "\(scheme)://\(authority)\(path)"), url.host != nil
        else {
            throw SoupError(
                .badConfiguration, "a request needs the URL of a server, and this one has none: \(path.prefix(200))")
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
    /// A URLSession and the exchanges that are going on in it; ends with its owner.
    fileprivate final class Session: Sendable {
        private let session: URLSession
        private let exchanges: URLSessionExchanges

        init(idleTimeout: Double, totalTimeout: Double) {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpCookieStorage = nil
            configuration.httpShouldSetCookies = false
            configuration.urlCache = nil
            configuration.urlCredentialStorage = nil
            configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
            configuration.timeoutIntervalForRequest = idleTimeout
            configuration.timeoutIntervalForResource = totalTimeout
            exchanges = URLSessionExchanges()
            session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
        }

        // A session keeps its delegate and its connections until it is told to end.
        deinit { session.invalidateAndCancel() }

        func send(_ request: URLRequest) async throws -> HTTPAnswer {
            try Task.checkCancellation()
            let task = session.dataTask(with: request)
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    exchanges.begin(task.taskIdentifier, continuation)
                    task.resume()
                }
            } onCancel: {
                task.cancel()
            }
        }
    }
}

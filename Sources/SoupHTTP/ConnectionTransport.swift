// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import SoupCore

/// The transport of a connection: authorization and retries for any server.
///
/// * A request whose authority is nil goes to the server of the base URL. Its path is complete: a target adds
///   ``ServerConnection/basePath`` itself, because a server's URLs of further pages contain it already.
/// * A request to the server of the base URL gets the authorization. A request to any other server is sent without it.
/// * If the server rejects an access token that was fetched, a new one is fetched once for all requests that find out
///   at the same time, and they are sent again. A request that may create something is sent again only if the response
///   has the field `WWW-Authenticate`: a 401 without it may come from a gateway, after the server has carried out the
///   request. If the server rejects fixed credentials, or the new token too, the error is `sessionExpired`.
/// * Requests are retried as ``RetryPolicy`` defines.
///
/// Copies share the access tokens.
public struct ConnectionTransport: HTTPTransport {
    private let base: any HTTPTransport
    private let server: ServerAddress
    private let auth: ConnectionAuth?
    private let headers: [HTTPField]
    private let tokens: AccessTokens?
    private let attempts: RepeatedRequest
    private let mask: SecretMask

    /// - Parameters:
    ///   - base: sends absolute requests, without authorization.
    ///   - random: numbers from 0 up to 1, for the length of pauses.
    ///   - renewed: receives the grant with a new refresh token before it is used, so that the app can save it.
    /// - Throws: ``SoupError`` with `badConfiguration` for an invalid base URL or an invalid name of a header.
    public init(
        over base: any HTTPTransport, to connection: ServerConnection, clock: any SoupClock = SystemClock(),
        retry: RetryPolicy = .standard, random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) },
        renewed: @escaping @Sendable (OAuthGrant) async -> Void = { _ in }
    ) throws {
        try self.init(
            over: base, to: connection, keeping: nil, clock: clock, retry: retry, random: random, renewed: renewed)
    }

    /// - Parameter sessions: keeps the session of a user; nil for none.
    package init(
        over base: any HTTPTransport, to connection: ServerConnection, keeping sessions: ConnectionSessions?,
        clock: any SoupClock = SystemClock(), retry: RetryPolicy = .standard,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) },
        renewed: @escaping @Sendable (OAuthGrant) async -> Void = { _ in }
    ) throws {
        self.base = base
        var server = try ServerAddress(required: connection.baseURL)
        server.path = ""
        self.server = server
        auth = connection.auth
        headers = try connection.fields
        attempts = RepeatedRequest(policy: retry, clock: clock, random: random)
        mask = SecretMask(connection.secrets)
        if case .oauth(let grant)? = connection.auth {
            tokens = AccessTokens(
                grant, kept: sessions?.session(for: grant, clock: clock), transport: base, clock: clock, mask: mask,
                renewed: renewed)
        } else {
            tokens = nil
        }
    }

    /// The secrets of the connection, including earlier tokens; no error of this transport contains one.
    public var secretMask: SecretMask? { mask }

    /// Sends a request with the authorization of the connection, and retries it if possible.
    ///
    /// - Throws: ``SoupError``: `network`; `sessionExpired` if the server does not accept the credentials; the errors
    ///   of fetching a token. `CancellationError`. If a request that writes is cancelled in a pause, or its push is to
    ///   be stopped (``StopSignal``), the last response is returned, or the last error thrown.
    public func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
        try await send(request) { try await base.send($0, body: body) }
    }

    /// Sends a request as ``send(_:body:)``, and passes the beginning of each response to `beginning`.
    public func send(
        _ request: HTTPRequest, body: [UInt8]?, showing beginning: @escaping @Sendable (HTTPAnswer) -> Void
    ) async throws -> HTTPAnswer {
        try await send(request) { try await base.send($0, body: body, showing: beginning) }
    }

    /// Sends the request, and returns when the head of the response is complete.
    ///
    /// Only the final response is returned as a stream; responses that lead to another attempt are read here.
    public func stream(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswerStream {
        try await base.finalStream(body: body, masking: mask) { exchange in
            try await send(request, by: exchange)
        }
    }

    /// A function that sends a request once.
    private typealias Exchange = (HTTPRequest) async throws -> HTTPAnswer

    private func send(_ request: HTTPRequest, by exchange: Exchange) async throws -> HTTPAnswer {
        do {
            return try await answer(request, by: exchange)
        } catch {
            throw mask.masked(error)
        }
    }

    private func answer(_ request: HTTPRequest, by exchange: Exchange) async throws -> HTTPAnswer {
        guard server.isServer(of: request) else { return try await repeating(request, by: exchange) }
        var addressed = server.addressing(request)
        for field in headers where addressed.headerFields[field.name] == nil { addressed.headerFields.append(field) }
        let token = try await firstToken()
        let first = try await repeating(authorized(addressed, token: token), by: exchange)
        guard first.status == 401 else { return first }
        guard addressed.isRepeatable || isChallenge(first) else { return first }
        guard let tokens else { throw Self.refused(auth) }
        let second = try await repeating(
            authorized(addressed, token: try await tokens.token(replacing: token)), by: exchange)
        guard second.status != 401 else { throw Self.refused(auth) }
        return second
    }

    /// Whether a response with 401 asks for the kind of authorization that the connection has.
    ///
    /// A gateway with another one may have forwarded the request before.
    private func isChallenge(_ answer: HTTPAnswer) -> Bool {
        guard let challenge = answer.response.headerFields[.wwwAuthenticate] else { return false }
        let scheme = challenge.prefix { $0 != " " }.lowercased()
        return switch auth {
        case .basic: scheme == "basic"
        case .bearer, .oauth: scheme == "bearer"
        case .headerKey, .queryKey, nil: !["basic", "digest", "negotiate", "ntlm"].contains(scheme)
        }
    }

    /// Returns the access token for the first attempt; nil if the connection has fixed credentials.
    ///
    /// If it cannot be fetched because of the network, the request itself was not sent.
    private func firstToken() async throws -> String? {
        do {
            return try await tokens?.token()
        } catch let error as SoupError where error.cause is NetworkFailure {
            var unsent = error
            unsent.cause = NetworkFailure(.notSent, error.message)
            throw unsent
        }
    }

    private func authorized(_ request: HTTPRequest, token: String?) -> HTTPRequest {
        var request = request
        switch auth {
        case nil: break
        case .bearer(let token): request.headerFields[.authorization] = "Bearer \(token)"
        case .basic(let username, let password):
            request.headerFields[.authorization] = "Basic \(ConnectionAuth.basicToken(username, password))"
        case .headerKey(let name, let value):
            if let name = HTTPField.Name(name) { request.headerFields[name] = value }
        case .queryKey(let name, let value):
            // A server's URL of the next page often repeats the key.
            let path = (request.path ?? "/").removingParameter(URLText.query(name))
            request.path = path + (path.contains("?") ? "&" : "?") + "\(URLText.query(name))=\(URLText.query(value))"
        case .oauth: request.headerFields[.authorization] = token.map { "Bearer \($0)" }
        }
        return request
    }

    private func repeating(_ request: HTTPRequest, by exchange: Exchange) async throws -> HTTPAnswer {
        let isSafe = request.isSafe
        return try await attempts.send(
            isSafe: isSafe, mayRepeat: { request.mayRepeat(after: $0) }, by: { try await exchange(request) })
    }

    private static func refused(_ auth: ConnectionAuth?) -> SoupError {
        SoupError(
            .sessionExpired,
            auth.map { "the server does not accept the \($0)" } ?? "the server requires an authorization",
            hint: auth == nil
                ? "Add \"auth\" to the connection in org.json." : "Replace the secrets of the connection in org.json.")
    }
}

extension HTTPRequest {
    /// Whether the request only reads, so that sending it twice does no harm.
    fileprivate var isSafe: Bool { [.get, .head, .options].contains(method) }

    /// Whether sending the request twice has the effect of sending it once: it reads, updates by key, or deletes.
    fileprivate var isRepeatable: Bool { isSafe || [.put, .patch, .delete].contains(method) }

    /// Returns whether the request can be sent again after a response.
    ///
    /// A gateway can answer a creation with 429 or 503 after the server has carried it out.
    fileprivate func mayRepeat(after answer: HTTPAnswer) -> Bool {
        guard !isSafe else { return [429, 502, 503, 504].contains(answer.status) }
        return isRepeatable && [429, 503].contains(answer.status)
            && answer.response.headerFields[.retryAfter] != nil
    }
}

extension String {
    /// Returns a path without the parameters of a name, which is percent-encoded.
    fileprivate func removingParameter(_ name: String) -> String {
        guard let mark = firstIndex(of: "?") else { return self }
        let all = self[index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false)
        let kept = all.filter { $0.prefix { $0 != "=" } != name }
        guard kept.count < all.count else { return self }
        return kept.isEmpty ? String(self[..<mark]) : self[...mark] + kept.joined(separator: "&")
    }
}

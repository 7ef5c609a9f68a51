// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import SoupCore
public import SoupHTTP

/// A signed-in session: the transport that targets use.
///
/// * A request whose authority is nil, or is the instance's, is sent to the instance with its access token. A request
///   to any other server is sent there without it.
/// * If the server reports that the token has expired, it is renewed once for all requests that find out at the same
///   time, and they are sent again. A request that may create something is sent again only if the API itself reports
///   it: a 401 in another form may come from a gateway, after the API has carried out the request. A session that
///   cannot be renewed throws `sessionExpired`; a token endpoint that is down or unreachable does not end the session.
/// * Requests are retried as ``RetryPolicy`` defines.
///
/// Copies share the session.
public struct SessionTransport: HTTPTransport {
    private let base: any HTTPTransport
    private let tokens: SessionTokens
    private let attempts: RepeatedRequest
    /// The path of the REST API in the version of the credentials, such as `/services/data/v66.0`.
    public let apiPath: String

    /// The `User-Agent` header for requests without one.
    public static let userAgent = "SoupKit/1.0 MobileSync"

    /// - Parameters:
    ///   - base: sends absolute requests, without authorisation.
    ///   - random: numbers from 0 up to 1, for the length of pauses.
    ///   - renewed: receives new credentials before they are used, so that the app can save them.
    public init(
        over base: any HTTPTransport, credentials: SalesforceCredentials, clock: any SoupClock = SystemClock(),
        retry: RetryPolicy = .standard, random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) },
        renewed: @escaping @Sendable (SalesforceCredentials) async -> Void = { _ in }
    ) {
        self.init(
            over: base, credentials: credentials, keepingIn: nil, clock: clock, retry: retry, random: random,
            renewed: renewed)
    }

    /// - Parameter sessions: the saved sessions, which are read before the first request; nil for none.
    package init(
        over base: any HTTPTransport, credentials: SalesforceCredentials, keepingIn sessions: OrgSessions?,
        clock: any SoupClock = SystemClock(), retry: RetryPolicy = .standard,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) },
        renewed: @escaping @Sendable (SalesforceCredentials) async -> Void = { _ in }
    ) {
        self.base = base
        attempts = RepeatedRequest(policy: retry, clock: clock, random: random)
        tokens = SessionTokens(
            credentials, sessions: sessions, transport: base, clock: clock, renewed: renewed)
        apiPath = credentials.apiPath
    }

    /// The secrets of the session, including earlier tokens; no error of this transport contains one.
    public var secretMask: SecretMask? { tokens.mask }

    /// The current credentials.
    public var credentials: SalesforceCredentials { get async { await tokens.credentials } }

    /// Sends a request with the session's authorisation, and retries it if possible.
    ///
    /// - Throws: ``SoupError``: `network`, `sessionExpired` if there is no way to log in again, `badConfiguration` if
    ///   the instance is not a valid URL; the errors of fetching a token. `CancellationError`. If a request that writes
    ///   is cancelled in a pause, or its push is to be stopped (``StopSignal``), the last response is returned, or the
    ///   last error thrown, because it contains the outcome of the request.
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
        try await base.finalStream(body: body, masking: tokens.mask) { exchange in
            try await send(request, by: exchange)
        }
    }

    /// A function that sends a request once.
    private typealias Exchange = (HTTPRequest) async throws -> HTTPAnswer

    private func send(_ request: HTTPRequest, by exchange: Exchange) async throws -> HTTPAnswer {
        do {
            return try await answer(request, by: exchange)
        } catch {
            throw tokens.mask.masked(error)
        }
    }

    private func answer(_ request: HTTPRequest, by exchange: Exchange) async throws -> HTTPAnswer {
        var request = request
        if request.headerFields[.userAgent] == nil { request.headerFields[.userAgent] = Self.userAgent }
        if let address = ServerAddress(try await tokens.loaded().instanceURL), !address.isServer(of: request) {
            return try await repeating(request, by: exchange)
        }
        var renewals = 0
        var credentials = try await unsent { try await tokens.ready() }
        while true {
            let answer = try await repeating(authorized(request, credentials), by: exchange)
            guard Self.reportsExpiredToken(answer, to: request) else { return answer }
            guard renewals == 0 else {
                throw SoupError(
                    .sessionExpired, "the server rejects the session although it was just renewed",
                    hint: "Log in again.")
            }
            renewals += 1
            let stale = credentials.accessToken
            let renew = { try await tokens.renew(replacing: stale) }
            // If the API itself refuses a request, it has not carried it out.
            credentials = try await answer.apiAnswer.refusal == nil ? renew() : unsent(renew)
        }
    }

    /// Fetches a token for a request that the server has not carried out: a connection error during the fetch does not
    /// make the outcome of the request unknown.
    private func unsent(
        _ fetch: () async throws -> SalesforceCredentials
    ) async throws -> SalesforceCredentials {
        do {
            return try await fetch()
        } catch let error as SoupError where error.cause is NetworkFailure {
            var unsent = error
            unsent.cause = NetworkFailure(.notSent, error.message)
            throw unsent
        }
    }

    private func authorized(_ request: HTTPRequest, _ credentials: SalesforceCredentials) throws -> HTTPRequest {
        var request = try ServerAddress(required: credentials.instanceURL).addressing(request)
        request.headerFields[.authorization] = "Bearer \(credentials.accessToken ?? "")"
        return request
    }

    /// Sends the request, and retries it as the policy defines.
    private func repeating(_ request: HTTPRequest, by exchange: Exchange) async throws -> HTTPAnswer {
        try await attempts.send(
            isSafe: request.isSafe, mayRepeat: { request.mayRepeat(after: $0) }, by: { try await exchange(request) })
    }

    /// Status 401 is about the token, and so is the plain-text 403 of the OAuth resources; any other 403 is about
    /// permissions or limits.
    private static func reportsExpiredToken(_ answer: HTTPAnswer, to request: HTTPRequest) -> Bool {
        let isAboutToken =
            answer.status == 401 || (answer.status == 403 && answer.body.starts(with: "Bad_OAuth_Token".utf8))
        return isAboutToken && (request.isRepeatable || answer.apiAnswer.refusal != nil)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import SoupCore

/// A signed-in session: the transport that targets get.
///
/// * A request whose authority is nil, or is the instance's, goes to the instance with its access token. A request to
///   any other server goes there without it.
/// * When the server says that the token is over, it is renewed once for all requests that find out at the same time,
///   and they are sent again. A request that may create something is sent again only if the API says so itself: a 401
///   in another form may come from a gateway, after the API has carried the request out. A session that cannot be
///   renewed throws `sessionExpired`; a token endpoint that is down or out of reach does not end the session.
/// * Requests are repeated as ``RetryPolicy`` says.
///
/// Copies share the session.
public struct SessionTransport: HTTPTransport {
    private let base: any HTTPTransport
    private let tokens: SessionTokens
    private let clock: any SoupClock
    private let retry: RetryPolicy
    private let random: @Sendable () -> Double
    /// The path of the REST API in the version of the credentials, such as `/services/data/v66.0`.
    public let apiPath: String

    /// The value of the `User-Agent` header of requests that bring none.
    public static let userAgent = "SoupKit/1.0 MobileSync"

    /// - Parameters:
    ///   - base: sends absolute requests, and knows nothing of sessions.
    ///   - random: numbers from 0 up to 1, for the length of pauses.
    ///   - renewed: told about new credentials before anybody uses them, so that they can be kept.
    public init(
        over base: any HTTPTransport, credentials: SalesforceCredentials, clock: any SoupClock = SystemClock(),
        retry: RetryPolicy = .standard, random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) },
        renewed: @escaping @Sendable (SalesforceCredentials) async -> Void = { _ in }
    ) {
        self.base = base
        self.clock = clock
        self.retry = retry
        self.random = random
        tokens = SessionTokens(credentials, transport: base, renewed: renewed)
        apiPath = credentials.apiPath
    }

    /// The secrets of the session, those of earlier tokens included; no error of this transport contains one.
    public var secretMask: SecretMask? { tokens.mask }

    /// The credentials as they are now.
    public var credentials: SalesforceCredentials { get async { await tokens.credentials } }

    /// Sends a request in the session's name, and again where that can help.
    ///
    /// - Throws: ``SoupError``: `network`, `sessionExpired` when there is no way to be let in again, `badConfiguration`
    ///   for an instance that is no URL; and what fails when a token is fetched. `CancellationError`; but when a
    ///   request that writes is cancelled in a pause, or its push is to be stopped (``StopSignal``), the last answer is
    ///   returned, or the last error thrown, since it tells what became of the request.
    public func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
        try await send(request) { try await base.send($0, body: body) }
    }

    /// The same, and shows the beginning of each answer that comes.
    public func send(
        _ request: HTTPRequest, body: [UInt8]?, showing beginning: @escaping @Sendable (HTTPAnswer) -> Void
    ) async throws -> HTTPAnswer {
        try await send(request) { try await base.send($0, body: body, showing: beginning) }
    }

    /// Sends the request, and returns when the head of the answer is complete.
    ///
    /// Only the answer that the caller gets is a stream; those that lead to another attempt are read here.
    public func stream(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswerStream {
        var stream: HTTPAnswerStream?
        let answer = try await send(request) { request in
            let arriving = try await base.stream(request, body: body)
            guard arriving.isSuccess else { return try await arriving.answer() }
            stream = arriving
            return HTTPAnswer(arriving.response)
        }
        guard let stream else { return answer.stream }
        return HTTPAnswerStream(stream.response, body: stream.body.mapErrors { [tokens] in tokens.mask.masked($0) })
    }

    /// Sends a request once.
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
        if let address = ServerAddress(await tokens.credentials.instanceUrl), !address.isServer(of: request) {
            return try await repeating(request, by: exchange)
        }
        var renewals = 0
        var credentials = try await unsent { try await tokens.ready() }
        while true {
            let answer = try await repeating(authorized(request, credentials), by: exchange)
            guard Self.saysExpired(answer, to: request) else { return answer }
            guard renewals == 0 else {
                throw SoupError(
                    .sessionExpired, "the server refuses the session that was just renewed", hint: "Log in again.")
            }
            renewals += 1
            let stale = credentials.accessToken
            let renew = { try await tokens.renew(replacing: stale) }
            // What the API refuses by itself, it has not carried out.
            credentials = try await answer.apiAnswer.refusal == nil ? renew() : unsent(renew)
        }
    }

    /// Fetches a token for a request that the server does not have: a connection that breaks meanwhile leaves no doubt
    /// about the request.
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
        guard let address = ServerAddress(credentials.instanceUrl) else {
            throw SoupError(.badConfiguration, "\"\(credentials.instanceUrl)\" is not the URL of a server")
        }
        var request = address.addressing(request)
        request.headerFields[.authorization] = "Bearer \(credentials.accessToken ?? "")"
        return request
    }

    /// Sends, and again as the policy says.
    private func repeating(_ request: HTTPRequest, by exchange: Exchange) async throws -> HTTPAnswer {
        let isSafe = request.isSafe
        var attempts = 1
        while true {
            let result = try await attempt(request, by: exchange)
            let pause: Int64? =
                switch result {
                case .success(let answer):
                    retry.pause(after: attempts, answer: answer, to: request, now: clock.now, random: random())
                case .failure(let error):
                    retry.pause(after: attempts, error: error, isSafe: isSafe, random: random())
                }
            guard let pause else { return try result.get() }
            do {
                let clock = self.clock
                try await StopSignal.interruptible { try await clock.sleep(milliseconds: pause) }
            } catch {
                // Whoever writes must hear that nothing was written, which a cancellation does not tell; nor does it
                // to a push that is only to be stopped.
                if isSafe, Task.isCancelled { throw error }
                return try result.get()
            }
            attempts += 1
        }
    }

    private func attempt(
        _ request: HTTPRequest, by exchange: Exchange
    ) async throws -> Result<HTTPAnswer, SoupError> {
        do {
            return .success(try await exchange(request))
        } catch let error as SoupError {
            return .failure(error)
        }
    }

    /// 401 means the token, and so does the plain-text 403 of the OAuth resources; any other 403 is about rights or
    /// limits.
    private static func saysExpired(_ answer: HTTPAnswer, to request: HTTPRequest) -> Bool {
        let isAboutToken =
            answer.status == 401 || (answer.status == 403 && answer.body.starts(with: "Bad_OAuth_Token".utf8))
        return isAboutToken && (request.isRepeatable || answer.apiAnswer.refusal != nil)
    }
}

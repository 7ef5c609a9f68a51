// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The access tokens of a connection, which are fetched once for all requests that need one at the same time.
actor AccessTokens {
    /// The grant of the configuration.
    private let configured: OAuthGrant
    /// The grant with the latest refresh token.
    private var grant: OAuthGrant
    /// The saved session; nil if sessions are not saved.
    private let kept: KeptSession?
    private let transport: any HTTPTransport
    private let clock: any SoupClock
    private let renewed: @Sendable (OAuthGrant) async -> Void
    private let mask: SecretMask
    private var token: String?
    /// The time in milliseconds from which on the token is renewed before it is used; nil if unknown.
    private var expiry: Int64?
    /// The fetch in progress, for all callers that wait for it.
    private var fetch: Promise<Result<String, any Error>>?

    /// The number of milliseconds before its end from which on a token is not used any more.
    private static let margin: Int64 = 30_000

    init(
        _ grant: OAuthGrant, kept: KeptSession? = nil, transport: any HTTPTransport, clock: any SoupClock,
        mask: SecretMask, renewed: @escaping @Sendable (OAuthGrant) async -> Void
    ) {
        configured = grant
        self.grant = grant
        self.kept = kept
        self.transport = transport
        self.clock = clock
        self.mask = mask
        self.renewed = renewed
    }

    /// Returns an access token that differs from `stale`.
    ///
    /// A cancelled caller returns at once. The fetch continues, because the server may already have replaced the
    /// refresh token.
    func token(replacing stale: String? = nil) async throws -> String {
        try Task.checkCancellation()
        if let token, token != stale, expiry.map({ clock.milliseconds < $0 }) ?? true { return token }
        return try await startedFetch().wait().get()
    }

    private func startedFetch() -> Promise<Result<String, any Error>> {
        if let fetch { return fetch }
        let fetch = Promise<Result<String, any Error>>()
        self.fetch = fetch
        Task {
            let result: Result<String, any Error>
            do {
                result = .success(try await fetchToken())
            } catch {
                result = .failure(error)
            }
            self.fetch = nil
            fetch.resolve(result)
        }
        return fetch
    }

    private func fetchToken() async throws -> String {
        if let kept, configured.isOfUser { return try await token(of: kept) }
        guard !grant.needsLogin else {
            throw SoupError(
                .sessionExpired, "no user is logged in, and there is no store for sessions",
                hint: "Add \"credentials\" to org.json, and log in with `soup login`.")
        }
        let tokens = try await grant.fetch(over: transport)
        mask.add(tokens.secrets)
        token = tokens.accessToken
        expiry = tokens.expiry(from: clock.milliseconds).map { $0 - Self.margin }
        if grant.refreshToken != nil { await adopt(tokens.refreshToken) }
        return tokens.accessToken
    }

    /// Returns the access token of the saved session, which is renewed if necessary.
    private func token(of kept: KeptSession) async throws -> String {
        let session = try await kept.renewed(replacing: token) { [configured, mask, transport, clock] session in
            guard let refreshToken = session.refreshToken else { throw Self.noRefreshToken }
            mask.add(session.secrets)
            var grant = configured
            grant.refreshToken = refreshToken
            let tokens = try await grant.fetch(over: transport)
            mask.add(tokens.secrets)
            return session.renewed(with: tokens, at: clock.milliseconds)
        }
        mask.add(session.secrets)
        guard let accessToken = session.accessToken else { throw Self.noRefreshToken }
        token = accessToken
        expiry = session.accessTokenExpiry.map { $0.millisecondsSince1970 - Self.margin }
        await adopt(session.refreshToken)
        return accessToken
    }

    /// Reports a new refresh token to the app.
    private func adopt(_ refreshToken: String?) async {
        guard let refreshToken, refreshToken != grant.refreshToken else { return }
        grant.refreshToken = refreshToken
        await renewed(grant)
    }

    private static var noRefreshToken: SoupError {
        SoupError(
            .sessionExpired, "the session has expired, and has no refresh token", hint: "Log in with `soup login`.")
    }
}

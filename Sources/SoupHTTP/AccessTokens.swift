// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The access tokens of a connection, which are fetched once for all requests that need one at the same time.
actor AccessTokens {
    private var grant: OAuthGrant
    private let transport: any HTTPTransport
    private let clock: any SoupClock
    private let renewed: @Sendable (OAuthGrant) async -> Void
    private let mask: SecretMask
    private var token: String?
    /// The time in milliseconds from which on the token is renewed before it is used; nil if unknown.
    private var expiry: Int64?
    /// The fetch in progress, for all callers that wait for it.
    private var fetch: Promise<Result<String, any Error>>?

    /// The number of seconds before its end from which on a token is not used any more.
    private static let margin: Int64 = 30

    init(
        _ grant: OAuthGrant, transport: any HTTPTransport, clock: any SoupClock, mask: SecretMask,
        renewed: @escaping @Sendable (OAuthGrant) async -> Void
    ) {
        self.grant = grant
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
        let tokens = try await grant.fetch(over: transport)
        mask.add([tokens.accessToken] + (tokens.refreshToken.map { [$0] } ?? []))
        token = tokens.accessToken
        expiry = tokens.lifetime.map { clock.milliseconds + max(0, min($0, 1 << 32) - Self.margin) * 1000 }
        if let refreshToken = tokens.refreshToken, refreshToken != grant.refreshToken, grant.refreshToken != nil {
            grant.refreshToken = refreshToken
            await renewed(grant)
        }
        return tokens.accessToken
    }
}

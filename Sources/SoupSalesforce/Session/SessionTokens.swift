// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The credentials of a session, which are renewed once for all requests that find them expired.
actor SessionTokens {
    typealias Renewed = @Sendable (SalesforceCredentials) async -> Void

    private(set) var credentials: SalesforceCredentials
    private let transport: any HTTPTransport
    private let renewed: Renewed
    /// Contains every secret that the session has had since it was created.
    nonisolated let mask: SecretMask
    /// The renewal in progress, for all callers that wait for it.
    private var renewal: Renewal?

    private typealias Renewal = Promise<Result<SalesforceCredentials, any Error>>

    init(_ credentials: SalesforceCredentials, transport: any HTTPTransport, renewed: @escaping Renewed) {
        self.credentials = credentials
        self.transport = transport
        self.renewed = renewed
        mask = SecretMask(credentials.secrets)
    }

    /// Returns credentials with an access token; the first one is fetched if there is none.
    func ready() async throws -> SalesforceCredentials {
        if credentials.accessToken != nil { return credentials }
        return try await renew(replacing: nil)
    }

    /// Returns credentials with another access token than `stale`.
    ///
    /// If a token is already being fetched, the caller waits for that token. A cancelled waiter returns at once. The
    /// fetch continues, because the server may already have replaced the refresh token.
    func renew(replacing stale: String?) async throws -> SalesforceCredentials {
        try Task.checkCancellation()
        if credentials.accessToken != stale { return credentials }
        return try await startedRenewal().wait().get()
    }

    /// Returns the renewal in progress, or starts one.
    private func startedRenewal() -> Renewal {
        if let renewal { return renewal }
        let renewal = Renewal()
        self.renewal = renewal
        Task {
            let result: Result<SalesforceCredentials, any Error>
            do {
                result = .success(try await fetchToken())
            } catch {
                result = .failure(error)
            }
            self.renewal = nil
            renewal.resolve(result)
        }
        return renewal
    }

    private func fetchToken() async throws -> SalesforceCredentials {
        guard let grant = LoginGrant(credentials) else { throw noGrant }
        let fresh = try await grant.renew(credentials, over: transport)
        mask.add(fresh.secrets)
        credentials = fresh
        await renewed(fresh)
        return fresh
    }

    private var noGrant: SoupError {
        if credentials.accessToken == nil {
            return SoupError(
                .sessionExpired, "there is no access token, and no credentials to get one",
                hint: "Add an accessToken to the credentials, or a refreshToken and a clientId.")
        }
        return SoupError(
            .sessionExpired, "the server does not accept the access token, and there are no credentials to renew it",
            hint: "Add a new accessToken to the credentials, or a refreshToken and a clientId.")
    }
}

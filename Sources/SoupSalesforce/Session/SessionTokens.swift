// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore
internal import SoupHTTP

/// The credentials of a session, which are renewed once for all requests that find them expired.
actor SessionTokens {
    typealias Renewed = @Sendable (SalesforceCredentials) async -> Void

    private(set) var credentials: SalesforceCredentials
    /// The credentials of the configuration.
    private let configured: SalesforceCredentials
    private let transport: any HTTPTransport
    private let renewed: Renewed
    private let clock: any SoupClock
    /// The saved sessions; nil if sessions are not saved.
    private let sessions: OrgSessions?
    /// The saved session that the credentials are from; nil if there is none.
    private var kept: KeptSession?
    /// Contains every secret that the session has had since it was created.
    nonisolated let mask: SecretMask
    /// The renewal in progress, for all callers that wait for it.
    private var renewal: Renewal?

    private typealias Renewal = Promise<Result<SalesforceCredentials, any Error>>

    init(
        _ credentials: SalesforceCredentials, sessions: OrgSessions? = nil, transport: any HTTPTransport,
        clock: any SoupClock, renewed: @escaping Renewed
    ) {
        configured = credentials
        self.credentials = sessions?.account == nil ? credentials : credentials.withoutUser
        self.sessions = sessions
        self.clock = clock
        self.transport = transport
        self.renewed = renewed
        mask = SecretMask(credentials.secrets)
    }

    /// Returns the credentials after the saved session has been read, once.
    ///
    /// Without a session it is read again the next time: the user may have logged in.
    func loaded() async throws -> SalesforceCredentials {
        guard let sessions, kept == nil else { return credentials }
        let found = try await sessions.resolved(credentials, clock: clock)
        guard kept == nil, let session = found.kept else { return credentials }
        kept = session
        mask.add(found.credentials.secrets)
        credentials = found.credentials
        return credentials
    }

    /// Returns credentials with an access token; the first one is fetched if there is none.
    func ready() async throws -> SalesforceCredentials {
        let credentials = try await loaded()
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
        let fresh: SalesforceCredentials
        if let kept {
            fresh = try await keptCredentials(kept)
        } else {
            // The access of the client itself is not that of the chosen user.
            guard sessions?.account == nil, let grant = LoginGrant(credentials) else { throw await noGrant }
            fresh = try await grant.renew(credentials, over: transport)
        }
        mask.add(fresh.secrets)
        credentials = fresh
        await renewed(fresh)
        return fresh
    }

    /// Returns the credentials of the saved session, which is renewed unless another process has done so.
    private func keptCredentials(_ kept: KeptSession) async throws -> SalesforceCredentials {
        let (current, account, transport, clock, mask) = (credentials, kept.account, transport, clock, mask)
        let session = try await kept.renewed(replacing: current.accessToken) { session in
            let credentials = current.adopting(session)
            mask.add(credentials.secrets)
            guard session.refreshToken != nil, let grant = LoginGrant(credentials) else { throw Self.noRefreshToken }
            let fresh = try await grant.renew(credentials, of: account, over: transport)
            mask.add(fresh.secrets)
            var renewed = session
            renewed.accessToken = fresh.accessToken
            renewed.refreshToken = fresh.refreshToken
            renewed.instanceURL = fresh.instanceURL
            renewed.savedAt = clock.now
            return renewed
        }
        return current.adopting(session)
    }

    private static var noRefreshToken: SoupError {
        SoupError(
            .sessionExpired, "the session has expired, and has no refresh token", hint: "Log in with `soup login`.")
    }

    private var noGrant: SoupError {
        get async {
            guard credentials.accessToken == nil else {
                return SoupError(
                    .sessionExpired,
                    "the server does not accept the access token, and there are no credentials to renew it",
                    hint: "Add a new accessToken to the credentials, or a refreshToken and a clientId.")
            }
            if let sessions { return await sessions.missingSession(for: configured) }
            return SoupError(
                .sessionExpired, "there is no access token, and no credentials to get one",
                hint: "Add an accessToken to the credentials, or a refreshToken and a clientId.")
        }
    }
}

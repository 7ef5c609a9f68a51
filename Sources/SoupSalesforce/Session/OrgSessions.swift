// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import SoupCore
internal import SoupHTTP

/// The saved sessions of the users of an org.
///
/// Credentials with a refresh token continue it: if the server replaces the token, the new one is saved. Credentials
/// without a token and without a password use the session of a login.
package struct OrgSessions: Sendable {
    let store: any CredentialStore
    /// The only account whose session is used; nil for those of all users.
    private let account: SessionAccount?
    private let report: (@Sendable (SoupError) -> Void)?

    /// - Parameters:
    ///   - account: the only account whose session is used; nil for those of all users.
    ///   - report: receives the errors of the store for credentials that can be used without it; nil to throw them.
    package init(
        in store: any CredentialStore, of account: SessionAccount? = nil,
        report: (@Sendable (SoupError) -> Void)? = nil
    ) {
        self.store = store
        self.account = account
        self.report = report
    }

    /// Returns the credentials with the tokens of the saved session, and the session; the credentials alone if there is
    /// no session for them.
    ///
    /// - Throws: ``SoupError``: `credentialsUnusable`; `badConfiguration` if several users are logged in and the
    ///   credentials do not name one of them.
    func resolved(
        _ credentials: SalesforceCredentials, clock: any SoupClock
    ) async throws -> (credentials: SalesforceCredentials, kept: KeptSession?) {
        if credentials.refreshToken != nil {
            guard let known = SavedSession(of: credentials), let digest = known.continuedToken else {
                return (credentials, nil)
            }
            let kept = KeptSession(
                .configuredToken(digest: digest), in: store, clock: clock, known: known,
                accepts: { $0.continues(known) }, report: report)
            return (try await kept.saved().map(credentials.adopting) ?? credentials, kept)
        }
        guard credentials.accessToken == nil, credentials.username == nil || credentials.password == nil,
            let account = try await account(of: credentials)
        else { return (credentials, nil) }
        let kept = KeptSession(account, in: store, clock: clock, accepts: { $0.belongs(to: credentials) })
        return (try await kept.saved().map(credentials.adopting) ?? credentials, kept)
    }

    /// Returns the logged-in user of the org of the credentials; nil for none.
    private func account(of credentials: SalesforceCredentials) async throws -> SessionAccount? {
        let found = try await sessions(of: credentials)
        guard found.count > 1 else { return found.first?.account }
        let names = found.map { $0.session.username ?? "\($0.account)" }
        throw SoupError(
            .badConfiguration,
            "\(found.count) users are logged in to \(credentials.instanceURL): \(names.joined(separator: ", "))",
            hint: "Choose one with \"username\" in org.json or the variable SOUP_USERNAME, or log the others out.")
    }

    /// Returns the sessions of the users of the org, and of the named user only if the credentials name one.
    ///
    /// A damaged session is an error only if no other one is found: it does not concern the other users.
    package func sessions(
        of credentials: SalesforceCredentials
    ) async throws -> [(account: SessionAccount, session: SavedSession)] {
        var found: [(account: SessionAccount, session: SavedSession)] = []
        var failure: (any Error)?
        for account in try await store.accounts() {
            guard case .user = account, self.account == nil || self.account == account else { continue }
            do {
                guard let session = try await store.session(of: account), session.belongs(to: credentials) else {
                    continue
                }
                found.append((account, session))
            } catch let error as SoupError where error.code == .credentialsUnusable {
                failure = error
            }
        }
        if found.isEmpty, let failure { throw failure }
        return found
    }
}

extension SavedSession {
    /// The session that begins with the refresh token of credentials; nil if they cannot be renewed.
    init?(of credentials: SalesforceCredentials) {
        guard let token = credentials.refreshToken, let client = credentials.clientId else { return nil }
        self.init(
            tokenURL: credentials.tokenURL, clientId: client, accessToken: credentials.accessToken, refreshToken: token,
            instanceURL: credentials.instanceURL, continuedToken: SHA256Digest.hexadecimal(of: token),
            savedAt: .init(millisecondsSince1970: 0))
    }

    /// Returns whether the session continues another one, at the same server and for the same client.
    fileprivate func continues(_ known: SavedSession) -> Bool {
        tokenURL == known.tokenURL && clientId == known.clientId && continuedToken == known.continuedToken
    }

    /// Returns whether the session of a login was issued for the server, the client and the user of credentials, as far
    /// as they name them.
    package func belongs(to credentials: SalesforceCredentials) -> Bool {
        if let client = credentials.clientId, client != clientId { return false }
        if let user = credentials.username, user.lowercased() != username?.lowercased() { return false }
        let named = SalesforceCredentials.server(of: credentials.instanceURL)
        if let instance = instanceURL.flatMap(SalesforceCredentials.server), instance == named { return true }
        // Without an instance of their own, credentials name the server of the login.
        guard let login = credentials.loginURL, SalesforceCredentials.server(of: login) == named else { return false }
        return tokenURL == credentials.tokenURL
    }
}

extension SalesforceCredentials {
    /// The token endpoint of the org.
    package var tokenURL: String { endpoint("token") }

    /// Returns an endpoint of the server that issues tokens.
    package func endpoint(_ name: String) -> String {
        var server = loginURL ?? instanceURL
        while server.hasSuffix("/") { server.removeLast() }
        return "\(server)/services/oauth2/\(name)"
    }

    /// Returns the credentials with the tokens of a session.
    func adopting(_ session: SavedSession) -> SalesforceCredentials {
        var credentials = self
        credentials.accessToken = session.accessToken
        credentials.refreshToken = session.refreshToken
        credentials.clientId = session.clientId
        if let instance = session.instanceURL { credentials.instanceURL = instance }
        let suffix = "/services/oauth2/token"
        if session.tokenURL.hasSuffix(suffix) { credentials.loginURL = String(session.tokenURL.dropLast(suffix.count)) }
        return credentials
    }
}

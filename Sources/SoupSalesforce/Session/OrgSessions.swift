// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import SoupCore
internal import SoupHTTP

/// The saved sessions of the users of an org.
///
/// Credentials with a refresh token continue it: if the server replaces the token, the new one is saved. Credentials
/// without a token and without a password use the session of a login.
///
/// For a chosen account, only its session is used: the tokens, the user and the password of the credentials are not.
package struct OrgSessions: Sendable {
    let store: any CredentialStore
    /// The only account whose session is used; nil for those of all users.
    let account: SessionAccount?
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
        let names = found.map { ($0.session.username ?? "\($0.account)").onOneLine }
        throw SoupError(
            .badConfiguration,
            "\(found.count) users are logged in to \(credentials.instanceURL): \(names.joined(separator: ", "))",
            hint:
                "Choose one with --user, with \"username\" in org.json or with the variable SOUP_USERNAME, or log the "
                + "others out.")
    }

    /// Returns the error for requests with credentials for which there is no session, and no other way to log in.
    ///
    /// - Parameter credentials: the credentials as they are configured.
    func missingSession(for credentials: SalesforceCredentials) async -> SoupError {
        let server = credentials.instanceURL
        if let account {
            let unused = [
                credentials.accessToken.map { _ in "access token" },
                credentials.refreshToken.map { _ in "refresh token" },
                credentials.password.map { _ in "password" },
            ].compactMap { $0 }
            let verb = unused.count == 1 ? "is" : "are"
            let note =
                unused.isEmpty
                ? ""
                : "; the \(unused.joined(separator: ", ")) of the configuration \(verb) not used, because a user is "
                    + "chosen"
            return SoupError(
                .sessionExpired, "the \(account) is not logged in to \(server)\(note)",
                hint: "Log in as this user with `soup login\(account.options)`, or choose no user.")
        }
        guard let name = credentials.username, credentials.password == nil else {
            return SoupError(
                .sessionExpired, "there is no access token, and no credentials to get one",
                hint: "Log in with `soup login`, or add an accessToken to the credentials.")
        }
        let others = (try? await sessions(of: credentials.withoutUser)) ?? []
        let names = others.map { ($0.session.username ?? "\($0.account)").onOneLine }.joined(separator: ", ")
        return SoupError(
            .sessionExpired,
            "no user with the name \(name.excerpt(100)) is logged in to \(server)"
                + (names.isEmpty ? "" : "; logged in: \(names)"),
            hint: "Log in with `soup login` as this user, or change \"username\" in org.json or the variable "
                + "SOUP_USERNAME.")
    }

    /// Returns the sessions of the users of the org: that of the chosen account, those of the user whom the credentials
    /// name, or all.
    ///
    /// A damaged session is an error only if no other one is found: it does not concern the other users.
    package func sessions(
        of credentials: SalesforceCredentials
    ) async throws -> [(account: SessionAccount, session: SavedSession)] {
        let credentials = account == nil ? credentials : credentials.withoutUser
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
        wasIssued(by: known.tokenURL) && clientId == known.clientId && continuedToken == known.continuedToken
    }

    /// Returns whether the token endpoint of credentials has issued the session of a login, for their client and user.
    ///
    /// Credentials without a client or a user accept any. ``SavedSession/instanceURL`` does not count: a server chooses
    /// it, and can name another one.
    package func belongs(to credentials: SalesforceCredentials) -> Bool {
        if let client = credentials.clientId, client != clientId { return false }
        if let user = credentials.username, user.lowercased() != username?.lowercased() { return false }
        return wasIssued(by: credentials.tokenURL)
    }
}

extension SalesforceCredentials {
    /// The server and the client, without the user, the password and the tokens.
    var withoutUser: SalesforceCredentials {
        var credentials = self
        (credentials.accessToken, credentials.refreshToken) = (nil, nil)
        (credentials.username, credentials.password) = (nil, nil)
        return credentials
    }

    /// The URL of the server that issues tokens.
    var loginServer: String { loginURL ?? instanceURL }

    /// The token endpoint of the org.
    package var tokenURL: String { endpoint("token") }

    /// Returns an endpoint of the server that issues tokens.
    package func endpoint(_ name: String) -> String {
        var server = loginServer
        while server.hasSuffix("/") { server.removeLast() }
        return "\(server)/services/oauth2/\(name)"
    }

    /// Returns the credentials with the tokens of a session, and with the server that may receive them.
    func adopting(_ session: SavedSession) -> SalesforceCredentials {
        var credentials = self
        credentials.accessToken = session.accessToken
        credentials.refreshToken = session.refreshToken
        credentials.clientId = session.clientId
        let suffix = "/services/oauth2/token"
        if session.tokenURL.hasSuffix(suffix) { credentials.loginURL = String(session.tokenURL.dropLast(suffix.count)) }
        credentials.instanceURL = session.instanceURL ?? credentials.loginServer
        return credentials
    }
}

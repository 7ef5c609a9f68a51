// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// Logins and logouts of the users of a connection, whose sessions are kept in a store.
///
/// ```swift
/// let login = ConnectionLogin(of: "crm", grant, keepingIn: store, over: URLSessionTransport())
/// try await login.login(with: browser)
/// ```
public struct ConnectionLogin: Sendable {
    private let grant: OAuthGrant
    private let store: any CredentialStore
    private let oauth: OAuthLogin
    private let clock: any SoupClock

    /// - Parameters:
    ///   - name: the name of the connection in `org.json`.
    ///   - owner: the name of the user's folder, `StoreUser.folderName`, if each user of the device has a session; nil
    ///     for one session of all users.
    ///   - transport: sends absolute requests, without authorization.
    public init(
        of name: String, owner: String? = nil, _ grant: OAuthGrant, keepingIn store: any CredentialStore,
        over transport: any HTTPTransport, clock: any SoupClock = SystemClock(),
        random: @escaping @Sendable () -> [UInt8] = OAuthLogin.randomBytes
    ) {
        account = .connection(name, owner: owner)
        self.grant = grant
        self.store = store
        self.clock = clock
        oauth = OAuthLogin(grant, over: transport, clock: clock, random: random)
    }

    /// The account of the connection.
    public let account: SessionAccount

    /// Logs in with a browser, and saves the session.
    ///
    /// A store that cannot be read is found before the page is shown.
    ///
    /// - Throws: the errors of ``OAuthLogin``; `loginFailed` if the store contains a session of the connection that
    ///   another server has issued; `credentialsUnusable`. Nothing is saved then, and the server is asked to end the
    ///   tokens.
    @discardableResult
    public func login(with browser: any LoginBrowser, username: String? = nil) async throws -> SavedSession {
        _ = try await store.accounts()
        return try await save(try await oauth.tokens(with: browser, username: username))
    }

    /// Logs in on another device, and saves the session.
    ///
    /// - Parameter show: shows the code and the page to the user.
    /// - Throws: as ``login(with:username:)``.
    @discardableResult
    public func loginOnDevice(
        showing show: @Sendable (DeviceAuthorization) async throws -> Void
    ) async throws -> SavedSession {
        _ = try await store.accounts()
        let device = try await oauth.startOnDevice()
        try await show(device)
        return try await save(try await oauth.tokens(of: device))
    }

    private func save(_ tokens: OAuthTokens) async throws -> SavedSession {
        let empty = SavedSession(
            tokenURL: grant.tokenURL, clientId: grant.clientId, savedAt: .init(millisecondsSince1970: 0))
        let session = empty.renewed(with: tokens, at: clock.milliseconds)
        do {
            try await store.saveLogin(session, for: account)
        } catch {
            // The tokens are dropped, also if the server does not end them.
            try? await oauth.revoke(session)
            throw error
        }
        return session
    }

    /// Ends the session: see ``SessionEnd``.
    ///
    /// - Returns: nil if there was no session.
    public func logout() async throws -> SessionEnd? {
        try await SessionEnd.end(account, in: store) { session in
            guard session.belongs(to: grant) else {
                throw SoupError(
                    .notSupported, "the session was issued by another server, which was not asked to end the token")
            }
            return oauth
        }
    }
}

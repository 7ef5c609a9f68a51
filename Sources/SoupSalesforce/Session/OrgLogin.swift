// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import SoupCore
public import SoupHTTP

/// Logins and logouts of the users of a Salesforce org, whose sessions are kept in a store.
///
/// ```swift
/// let app = SalesforceCredentials(instanceURL: "https://example.my.salesforce.com", clientId: consumerKey)
/// let login = OrgLogin(app, keepingIn: store, over: URLSessionTransport())
/// let user = try await login.login(with: browser)
/// ```
public struct OrgLogin: Sendable {
    /// A logged-in user.
    public struct User: Sendable, Hashable {
        /// The account under which the session is saved.
        public var account: SessionAccount
        /// The saved session.
        public var session: SavedSession

        /// Creates a user; for tests.
        public init(account: SessionAccount, session: SavedSession) {
            self.account = account
            self.session = session
        }
    }

    private let credentials: SalesforceCredentials
    private let sessions: OrgSessions
    private let transport: any HTTPTransport
    private let clock: any SoupClock
    private let random: @Sendable () -> [UInt8]

    /// - Parameters:
    ///   - credentials: the server, and the client with its secret if it has one. Tokens and passwords are not used.
    ///   - transport: sends absolute requests, without authorization.
    public init(
        _ credentials: SalesforceCredentials, keepingIn store: any CredentialStore, over transport: any HTTPTransport,
        clock: any SoupClock = SystemClock(), random: @escaping @Sendable () -> [UInt8] = OAuthLogin.randomBytes
    ) {
        self.credentials = credentials
        sessions = OrgSessions(in: store)
        self.transport = transport
        self.clock = clock
        self.random = random
    }

    /// Logs in with a browser, and saves the session.
    ///
    /// - Parameter username: the user whose name the login page shows; another user can log in nevertheless.
    /// - Throws: ``SoupError``: `badConfiguration` if the credentials have no client ID; the errors of ``OAuthLogin``;
    ///   `credentialsUnusable`, in which case nothing is saved.
    public func login(with browser: any LoginBrowser, username: String? = nil) async throws -> User {
        try await save(try await oauth().tokens(with: browser, username: username))
    }

    /// Logs in on another device, and saves the session.
    ///
    /// - Parameter show: shows the code and the page to the user.
    /// - Throws: as ``login(with:username:)``.
    public func loginOnDevice(showing show: @Sendable (DeviceAuthorization) async throws -> Void) async throws -> User {
        let oauth = try oauth()
        let device = try await oauth.startOnDevice()
        try await show(device)
        return try await save(try await oauth.tokens(of: device))
    }

    /// Returns the logged-in users of the org, in the order of their accounts.
    ///
    /// - Throws: ``SoupError`` with `credentialsUnusable`.
    public func users() async throws -> [User] {
        try await sessions.sessions(of: credentials).map { User(account: $0.account, session: $0.session) }
    }

    /// Ends the session of a user: see ``SessionEnd``.
    ///
    /// - Returns: nil if there was no session.
    /// - Throws: ``SoupError`` with `credentialsUnusable`.
    public func logout(_ account: SessionAccount) async throws -> SessionEnd? {
        try await SessionEnd.end(account, in: sessions.store) { session in
            // Another server must not receive the secret.
            let isOwn = session.tokenURL == credentials.tokenURL && session.clientId == credentials.clientId
            return Self.server(
                of: session, secret: isOwn ? credentials.clientSecret : nil, transport, clock: clock)
        }
    }

    /// The server that issued a session, which ends its tokens.
    private static func server(
        of session: SavedSession, secret: String?, _ transport: any HTTPTransport, clock: any SoupClock
    ) -> OAuthLogin {
        let suffix = "/token"
        let revocation =
            session.tokenURL.hasSuffix(suffix) ? String(session.tokenURL.dropLast(suffix.count)) + "/revoke" : nil
        return OAuthLogin(
            OAuthGrant(
                tokenURL: session.tokenURL, clientId: session.clientId, clientSecret: secret,
                revocationURL: revocation), over: transport, clock: clock)
    }

    private func oauth() throws -> OAuthLogin {
        guard let clientId = credentials.clientId else {
            throw SoupError(
                .badConfiguration, "there is no client ID for the login",
                hint: "Add \"clientId\", the consumer key of the connected app, to org.json.")
        }
        return OAuthLogin(
            OAuthGrant(
                tokenURL: credentials.tokenURL, clientId: clientId, clientSecret: credentials.clientSecret,
                authorizationURL: credentials.endpoint("authorize"), deviceURL: credentials.tokenURL),
            deviceForm: .salesforce, over: transport, clock: clock, random: random)
    }

    // MARK: The session

    private func save(_ tokens: OAuthTokens) async throws -> User {
        guard let account = Self.account(in: tokens.members) else {
            throw SoupError(
                .loginFailed, "the response to the login does not name the org and the user",
                hint: "Check that instanceUrl or loginUrl is a server of Salesforce.")
        }
        let instance = tokens.members["instance_url"]?.stringValue.flatMap { ServerAddress($0) == nil ? nil : $0 }
        var session = SavedSession(
            tokenURL: credentials.tokenURL, clientId: credentials.clientId ?? "",
            instanceURL: instance ?? credentials.instanceURL,
            savedAt: .init(millisecondsSince1970: 0)
        ).renewed(with: tokens, at: clock.milliseconds)
        session.username = await username(of: session)
        let saved = session
        try await sessions.store.exclusively(for: account) { try await sessions.store.save(saved, for: account) }
        return User(account: account, session: session)
    }

    /// Returns the account that the response names: the end of `id` contains the IDs of the org and the user.
    static func account(in members: JSONObject) -> SessionAccount? {
        let parts = (members["id"]?.stringValue ?? "").split(separator: "/").suffix(2)
        guard parts.count == 2, let organization = parts.first.flatMap({ SalesforceID.longForm(of: String($0)) }),
            let user = parts.last.flatMap({ SalesforceID.longForm(of: String($0)) })
        else { return nil }
        let community = members["sfdc_community_id"]?.stringValue.flatMap { SalesforceID.longForm(of: $0) }
        return .user(organization: organization, user: user, community: community)
    }

    /// Returns the user's name; nil if the token does not permit to read it.
    private func username(of session: SavedSession) async -> String? {
        guard let token = session.accessToken, let server = session.instanceURL.flatMap({ ServerAddress($0) }) else {
            return nil
        }
        var request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/services/oauth2/userinfo")
        request.headerFields[.authorization] = "Bearer \(token)"
        request.headerFields[.accept] = "application/json"
        guard let answer = try? await transport.send(server.addressing(request), body: nil), answer.isSuccess,
            let info = try? JSONValue(parsing: answer.body)
        else { return nil }
        return info["preferred_username"]?.stringValue
    }
}

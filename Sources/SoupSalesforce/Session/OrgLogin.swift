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
    /// A store that cannot be read is found before the page is shown.
    ///
    /// - Parameters:
    ///   - username: the user whose name the login page shows; another user can log in nevertheless.
    ///   - check: receives the user before the session is saved.
    /// - Throws: ``SoupError``: `badConfiguration` if the credentials have no client ID; the errors of ``OAuthLogin``;
    ///   `loginFailed` if the response does not name one user clearly, or if the store contains a session of the user
    ///   that another server has issued; `credentialsUnusable`. The errors of `check`. Nothing is saved then, and the
    ///   server is asked to end the tokens of a user.
    public func login(
        with browser: any LoginBrowser, username: String? = nil,
        checking check: @Sendable (User) throws -> Void = { _ in }
    ) async throws -> User {
        let oauth = try oauth()
        _ = try await sessions.store.accounts()
        return try await save(try await oauth.tokens(with: browser, username: username), checking: check)
    }

    /// Logs in on another device, and saves the session.
    ///
    /// - Parameters:
    ///   - show: shows the code and the page to the user.
    ///   - check: as for ``login(with:username:checking:)``.
    /// - Throws: as ``login(with:username:checking:)``.
    public func loginOnDevice(
        showing show: @Sendable (DeviceAuthorization) async throws -> Void,
        checking check: @Sendable (User) throws -> Void = { _ in }
    ) async throws -> User {
        let oauth = try oauth()
        _ = try await sessions.store.accounts()
        let device = try await oauth.startOnDevice()
        try await show(device)
        return try await save(try await oauth.tokens(of: device), checking: check)
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
        try await SessionEnd.end(account, in: sessions.store) { server(of: $0) }
    }

    /// Returns the server that issued a session, which ends its tokens.
    private func server(of session: SavedSession) -> OAuthLogin {
        let suffix = "/token"
        let revocation =
            session.tokenURL.hasSuffix(suffix) ? String(session.tokenURL.dropLast(suffix.count)) + "/revoke" : nil
        // Another server must not receive the secret.
        let isOwn = session.tokenURL == credentials.tokenURL && session.clientId == credentials.clientId
        return OAuthLogin(
            OAuthGrant(
                tokenURL: session.tokenURL, clientId: session.clientId,
                clientSecret: isOwn ? credentials.clientSecret : nil, revocationURL: revocation),
            over: transport, clock: clock)
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

    private func save(_ tokens: OAuthTokens, checking check: @Sendable (User) throws -> Void) async throws -> User {
        let account = try Self.account(in: tokens.members)
        var session = SavedSession(
            tokenURL: credentials.tokenURL, clientId: credentials.clientId ?? "",
            instanceURL: try instance(in: tokens.members), savedAt: .init(millisecondsSince1970: 0)
        ).renewed(with: tokens, at: clock.milliseconds)
        session.username = await username(of: session)
        let user = User(account: account, session: session)
        do {
            try check(user)
            try await sessions.store.saveLogin(user.session, for: account)
        } catch {
            // The tokens are dropped, also if the server does not end them.
            try? await server(of: user.session).revoke(user.session)
            throw error
        }
        return user
    }

    /// Returns the server that the tokens are sent to: the one that the response names, or the server of the login.
    ///
    /// The tokens are never sent to a server that only the configuration names.
    private func instance(in members: JSONObject) throws -> String {
        switch NamedServer(in: members, from: credentials.loginServer, after: credentials.loginServer) {
        case .absent: return credentials.loginServer
        case .server(let url): return url
        case .refused:
            throw SoupError(
                .loginFailed, "the instance_url in the response to the login cannot be used: it is not an https URL",
                hint: "Check that instanceUrl or loginUrl is a server of Salesforce.")
        }
    }

    /// Returns the account that the response names: the end of `id` contains the IDs of the org and the user.
    ///
    /// - Throws: ``SoupError`` with `loginFailed` if an ID is missing, or is that of another object.
    static func account(in members: JSONObject) throws -> SessionAccount {
        func failure(_ message: String) -> SoupError {
            SoupError(.loginFailed, message, hint: "Check that instanceUrl or loginUrl is a server of Salesforce.")
        }
        let parts = (members["id"]?.stringValue ?? "").split(separator: "/").suffix(2)
        guard parts.count == 2, let organization = parts.first.flatMap({ id(String($0), of: "00D") }),
            let user = parts.last.flatMap({ id(String($0), of: "005") })
        else { throw failure("the response to the login does not name the org and the user") }
        let site = members["sfdc_community_id"].flatMap { $0.isNull ? nil : $0 }
        let community = site?.stringValue.flatMap { id($0, of: "0DB") }
        // Without its site, the user would be taken for another one of the org.
        let hasSite = site != nil || members["sfdc_community_url"].map { !$0.isNull } ?? false
        guard hasSite == (community != nil) else {
            throw failure("the response to the login does not name the site of the user")
        }
        return .user(organization: organization, user: user, community: community)
    }

    /// Returns the long form of the ID of an object, whose IDs begin with a prefix; nil for other texts.
    private static func id(_ text: String, of prefix: String) -> String? {
        SalesforceID.longForm(of: text).flatMap { $0.hasPrefix(prefix) ? $0 : nil }
    }

    /// Returns the user's name; nil if the token does not permit to read it, or if it is more than one line.
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
        return info["preferred_username"]?.stringValue.flatMap { $0.isEmpty || $0.onOneLine != $0 ? nil : $0 }
    }
}

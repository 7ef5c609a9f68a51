// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore
internal import SoupHTTP

/// A way to get an access token, as the form for the token endpoint.
struct LoginGrant: Sendable, Hashable {
    var form: [(name: String, value: String)]

    static func == (left: LoginGrant, right: LoginGrant) -> Bool { left.text == right.text }
    func hash(into hasher: inout Hasher) { hasher.combine(text) }

    var text: String {
        form.map { "\(URLText.form($0.name))=\(URLText.form($0.value))" }.joined(separator: "&")
    }

    /// Selects the grant that these credentials allow; nil if there is none.
    init?(_ credentials: SalesforceCredentials) {
        guard let client = credentials.clientId else { return nil }
        let secret = credentials.clientSecret.map { [(name: "client_secret", value: $0)] } ?? []
        if let token = credentials.refreshToken {
            form = [("grant_type", "refresh_token"), ("client_id", client), ("refresh_token", token)]
        } else if let user = credentials.username, let password = credentials.password {
            form = [
                ("grant_type", "password"), ("client_id", client), ("username", user), ("password", password),
            ]
        } else if !secret.isEmpty {
            form = [("grant_type", "client_credentials"), ("client_id", client)]
        } else {
            return nil
        }
        form += secret
    }

    /// Requests a token.
    ///
    /// The server that requests go to is replaced if the response names another one that may receive the token: see
    /// ``NamedServer``.
    ///
    /// - Parameter account: the account whose session is renewed; nil if it is unknown.
    /// - Throws: ``SoupError``: `sessionExpired` if the server permanently refuses the grant, `server` and `network` if
    ///   a retry may work, `server` for a response that contradicts itself or names another user.
    func renew(
        _ credentials: SalesforceCredentials, of account: SessionAccount? = nil, over transport: any HTTPTransport
    ) async throws -> SalesforceCredentials {
        let url = credentials.loginURL ?? credentials.instanceURL
        let server = try ServerAddress(required: url)
        var request = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/services/oauth2/token")
        request.headerFields[.contentType] = "application/x-www-form-urlencoded"
        request.headerFields[.accept] = "application/json"
        let answer = try await transport.send(server.addressing(request), body: Array(text.utf8))
        guard let tokens = try OAuthTokens(answer, orThrow: .server) else { throw Self.refusal(answer) }
        if let account { try Self.requireUser(of: account, in: tokens.members) }
        var renewed = credentials
        renewed.accessToken = tokens.accessToken
        if let rotated = tokens.refreshToken { renewed.refreshToken = rotated }
        if case .server(let moved) = NamedServer(in: tokens.members, from: url, after: credentials.instanceURL) {
            renewed.instanceURL = moved
        }
        return renewed
    }

    /// Checks that a response names the user of an account, if it names one.
    private static func requireUser(of account: SessionAccount, in members: JSONObject) throws {
        guard case .user(let organization, let user, let community) = account, let id = members["id"], !id.isNull else {
            return
        }
        let named = try? OrgLogin.account(in: members)
        guard case .user(let namedOrganization, let namedUser, let namedCommunity)? = named,
            SalesforceID.same(organization, namedOrganization), SalesforceID.same(user, namedUser),
            namedCommunity.map({ SalesforceID.same($0, community ?? "") }) ?? true
        else { throw OAuthTokens.contradiction(.server, "it names another user than the \(account)") }
    }

    private static func refusal(_ answer: HTTPAnswer) -> SoupError {
        let body = try? JSONValue(parsing: answer.body)
        let code = body?["error"]?.stringValue
        let text = (body?["error_description"]?.stringValue ?? "HTTP \(answer.status)").onOneLine
        guard answer.status == 400 || answer.status == 401, code == "invalid_grant" else {
            return SoupError(
                .server, "the session could not be renewed: \(code.map { "\($0.onOneLine), " } ?? "")\(text)",
                hint: code?.hasPrefix("invalid_client") == true ? "Check clientId and clientSecret." : nil)
        }
        return SoupError(.sessionExpired, "the session has expired: \(text)", hint: "Log in again.")
    }
}

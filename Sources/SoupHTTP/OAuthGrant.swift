// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

/// The credentials for a token endpoint of OAuth 2.0, which issues access tokens.
public struct OAuthGrant: Sendable, Hashable {
    /// The token endpoint, such as `https://login.example.com/oauth/token`.
    public var tokenURL: String
    /// The identifier of the client.
    public var clientId: String
    /// The secret of the client; nil for a public client, which needs a ``refreshToken``.
    public var clientSecret: String?
    /// The token that fetches access tokens for a user; nil for the client's own access.
    ///
    /// A response of the server may replace it.
    public var refreshToken: String?
    /// The requested scope; nil for the default of the server.
    public var scope: String?
    /// Further parameters of the request, such as `audience`.
    public var parameters: [String: String]
    /// Whether the client's identifier and secret are sent in the header `Authorization: Basic`, and not in the body.
    public var usesBasic: Bool

    /// Creates a grant without checks; it is used at the first request.
    public init(
        tokenURL: String, clientId: String, clientSecret: String? = nil, refreshToken: String? = nil,
        scope: String? = nil, parameters: [String: String] = [:], usesBasic: Bool = false
    ) {
        self.tokenURL = tokenURL
        self.clientId = clientId
        self.clientSecret = clientSecret
        self.refreshToken = refreshToken
        self.scope = scope
        self.parameters = parameters
        self.usesBasic = usesBasic
    }

    var secrets: [String] {
        let basic = usesBasic ? clientSecret.map { ConnectionAuth.basicToken(clientId, $0) } : nil
        return [clientSecret, refreshToken, basic].compactMap { $0 }
    }

    /// The response of a token endpoint.
    struct Tokens: Sendable {
        var accessToken: String
        /// A new refresh token, which replaces the earlier one.
        var refreshToken: String?
        /// The number of seconds for which the access token is valid; nil if unknown.
        var lifetime: Int64?
    }

    /// Requests an access token.
    ///
    /// - Throws: ``SoupError``: `sessionExpired` if the server permanently refuses the grant; `server`, `network` if a
    ///   retry may work; `badConfiguration` for an invalid URL.
    func fetch(over transport: any HTTPTransport) async throws -> Tokens {
        let (server, path) = try endpoint
        var request = HTTPRequest(method: .post, scheme: nil, authority: nil, path: path)
        request.headerFields[.contentType] = "application/x-www-form-urlencoded"
        request.headerFields[.accept] = "application/json"
        if usesBasic, let clientSecret {
            request.headerFields[.authorization] = "Basic " + ConnectionAuth.basicToken(clientId, clientSecret)
        }
        let answer = try await transport.send(server.addressing(request), body: Array(form.utf8))
        guard answer.isSuccess, let body = try? JSONValue(parsing: answer.body),
            let token = body["access_token"]?.stringValue, !token.isEmpty
        else { throw Self.refusal(answer) }
        let lifetime = body["expires_in"].flatMap { $0.intValue ?? $0.stringValue.flatMap { Int64($0) } }
        return Tokens(
            accessToken: token, refreshToken: body["refresh_token"]?.stringValue,
            lifetime: lifetime.flatMap { $0 > 0 ? $0 : nil })
    }

    /// The server of the token endpoint, and the path with its query.
    private var endpoint: (server: ServerAddress, path: String) {
        get throws {
            let parts = tokenURL.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            var server = try ServerAddress(required: String(parts[0]))
            let path = (server.path.isEmpty ? "/" : server.path) + (parts.count > 1 ? "?\(parts[1])" : "")
            server.path = ""
            return (server, path)
        }
    }

    private var form: String {
        var fields: [(name: String, value: String)] =
            if let refreshToken {
                [("grant_type", "refresh_token"), ("refresh_token", refreshToken)]
            } else {
                [("grant_type", "client_credentials")]
            }
        if !usesBasic || clientSecret == nil { fields.append(("client_id", clientId)) }
        if !usesBasic, let clientSecret { fields.append(("client_secret", clientSecret)) }
        if let scope { fields.append(("scope", scope)) }
        fields += parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        return fields.map { "\(URLText.form($0.name))=\(URLText.form($0.value))" }.joined(separator: "&")
    }

    private static func refusal(_ answer: HTTPAnswer) -> SoupError {
        let body = try? JSONValue(parsing: answer.body)
        let code = body?["error"]?.stringValue
        let text = body?["error_description"]?.stringValue ?? code ?? "HTTP \(answer.status)"
        guard answer.status == 400 || answer.status == 401, code == "invalid_grant" else {
            return SoupError(
                .server, "no access token could be fetched: \(text.excerpt(200))",
                hint: code == "invalid_client" ? "Check clientId and clientSecret of the connection." : nil)
        }
        return SoupError(
            .sessionExpired, "the session has expired: \(text.excerpt(200))",
            hint: "Log in again, and replace the refreshToken of the connection.")
    }
}

extension OAuthGrant: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The token endpoint and the client, never the secrets.
    public var description: String { "OAuth client \(clientId) of \(tokenURL.prefix { $0 != "?" })" }

    /// The same as ``description``, so that a debugger shows no secrets.
    public var debugDescription: String { description }

    /// An empty mirror: dumps and logs would show the secrets.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

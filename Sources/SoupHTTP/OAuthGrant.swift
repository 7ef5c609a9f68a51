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
    /// The page on which a user logs in with a browser; nil if the grant does not offer this.
    public var authorizationURL: String?
    /// The endpoint that issues the codes for a login on another device; nil if the grant does not offer this.
    public var deviceURL: String?
    /// The endpoint that ends tokens; nil if unknown.
    public var revocationURL: String?

    /// Whether users log in: the tokens are those of a user, and never of the client itself.
    public var needsLogin: Bool { refreshToken == nil && (authorizationURL != nil || deviceURL != nil) }

    /// Creates a grant without checks; it is used at the first request.
    public init(
        tokenURL: String, clientId: String, clientSecret: String? = nil, refreshToken: String? = nil,
        scope: String? = nil, parameters: [String: String] = [:], usesBasic: Bool = false,
        authorizationURL: String? = nil, deviceURL: String? = nil, revocationURL: String? = nil
    ) {
        self.tokenURL = tokenURL
        self.clientId = clientId
        self.clientSecret = clientSecret
        self.refreshToken = refreshToken
        self.scope = scope
        self.parameters = parameters
        self.usesBasic = usesBasic
        self.authorizationURL = authorizationURL
        self.deviceURL = deviceURL
        self.revocationURL = revocationURL
    }

    /// Whether the tokens are those of a user, and not of the client itself.
    var isOfUser: Bool { refreshToken != nil || needsLogin }

    var secrets: [String] {
        let basic = usesBasic ? clientSecret.map { ConnectionAuth.basicToken(clientId, $0) } : nil
        return [clientSecret, refreshToken, basic].compactMap { $0 }
    }

    /// Requests an access token.
    ///
    /// - Throws: ``SoupError``: `sessionExpired` if the server permanently refuses the grant; `server`, `network` if a
    ///   retry may work; `server` for a response that contradicts itself; `badConfiguration` for an invalid URL.
    func fetch(over transport: any HTTPTransport) async throws -> OAuthTokens {
        let fields: Fields =
            if let refreshToken {
                [("grant_type", "refresh_token"), ("refresh_token", refreshToken)]
            } else {
                [("grant_type", "client_credentials")]
            }
        let answer = try await post(fields, to: tokenURL, adding: scopeField + parameterFields, over: transport)
        guard let tokens = try OAuthTokens(answer, orThrow: .server) else { throw Self.refusal(answer) }
        return tokens
    }

    private static func refusal(_ answer: HTTPAnswer) -> SoupError {
        let error = OAuthError(answer)
        guard answer.status == 400 || answer.status == 401, error.code == "invalid_grant" else {
            return SoupError(
                .server, "no access token could be fetched: \(error.text)",
                hint: error.code == "invalid_client" ? "Check clientId and clientSecret of the connection." : nil)
        }
        return SoupError(
            .sessionExpired, "the session has expired: \(error.text)",
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

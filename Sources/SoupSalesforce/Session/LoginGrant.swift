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
    /// - Throws: ``SoupError``: `sessionExpired` if the server permanently refuses the grant, `server` and `network` if
    ///   a retry may work.
    func renew(_ credentials: SalesforceCredentials, over transport: any HTTPTransport) async throws
        -> SalesforceCredentials
    {
        let url = credentials.loginURL ?? credentials.instanceURL
        let server = try ServerAddress(required: url)
        var request = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/services/oauth2/token")
        request.headerFields[.contentType] = "application/x-www-form-urlencoded"
        request.headerFields[.accept] = "application/json"
        let answer = try await transport.send(server.addressing(request), body: Array(text.utf8))
        guard answer.isOK, let body = try? JSONValue(parsing: answer.body),
            let token = body["access_token"]?.stringValue
        else { throw Self.refusal(answer) }
        var renewed = credentials
        renewed.accessToken = token
        if let moved = body["instance_url"]?.stringValue, ServerAddress(moved) != nil { renewed.instanceURL = moved }
        if let rotated = body["refresh_token"]?.stringValue { renewed.refreshToken = rotated }
        return renewed
    }

    private static func refusal(_ answer: HTTPAnswer) -> SoupError {
        let body = try? JSONValue(parsing: answer.body)
        let code = body?["error"]?.stringValue
        let text = body?["error_description"]?.stringValue ?? "HTTP \(answer.status)"
        guard answer.status == 400 || answer.status == 401, code == "invalid_grant" else {
            return SoupError(
                .server, "the session could not be renewed: \(code.map { "\($0), " } ?? "")\(text)",
                hint: code?.hasPrefix("invalid_client") == true ? "Check clientId and clientSecret." : nil)
        }
        return SoupError(.sessionExpired, "the session has expired: \(text)", hint: "Log in again.")
    }
}

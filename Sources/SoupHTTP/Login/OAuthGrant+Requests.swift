// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import SoupCore

extension OAuthGrant {
    typealias Fields = [(name: String, value: String)]

    /// Sends a form to an endpoint of the server: fields, the identifier and the secret of the client, further fields.
    ///
    /// - Throws: ``SoupError``: `network`; `badConfiguration` for an invalid URL.
    func post(
        _ fields: Fields, to url: String, adding others: Fields = [], over transport: any HTTPTransport
    ) async throws -> HTTPAnswer {
        let (server, path) = try Self.endpoint(url)
        var request = HTTPRequest(method: .post, scheme: nil, authority: nil, path: path)
        request.headerFields[.contentType] = "application/x-www-form-urlencoded"
        request.headerFields[.accept] = "application/json"
        if usesBasic, let clientSecret {
            request.headerFields[.authorization] = "Basic " + ConnectionAuth.basicToken(clientId, clientSecret)
        }
        let form = Self.form(fields + clientFields + others)
        return try await transport.send(server.addressing(request), body: Array(form.utf8))
    }

    var scopeField: Fields { scope.map { [("scope", $0)] } ?? [] }

    /// The further parameters, sorted by their names.
    var parameterFields: Fields { parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }

    /// The fields that name the client, unless a header does.
    private var clientFields: Fields {
        guard !usesBasic || clientSecret == nil else { return [] }
        return [("client_id", clientId)] + (clientSecret.map { [("client_secret", $0)] } ?? [])
    }

    static func form(_ fields: Fields) -> String {
        fields.map { "\(URLText.form($0.name))=\(URLText.form($0.value))" }.joined(separator: "&")
    }

    /// The server of an endpoint, and the path with its query.
    private static func endpoint(_ url: String) throws -> (server: ServerAddress, path: String) {
        let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var server = try ServerAddress(required: parts.first.map(String.init) ?? "")
        let path = (server.path.isEmpty ? "/" : server.path) + (parts.count > 1 ? "?\(parts[1])" : "")
        server.path = ""
        return (server, path)
    }
}

/// The error in a response of an authorization server.
struct OAuthError {
    /// The code, such as `invalid_grant`; nil if the response has none.
    var code: String?
    /// The server's sentence, the code, or the status, on one line.
    var text: String

    init(_ answer: HTTPAnswer) {
        let body = try? JSONValue(parsing: answer.body)
        code = body?["error"]?.stringValue
        text = (body?["error_description"]?.stringValue ?? code ?? "HTTP \(answer.status)").excerpt(200).onOneLine
    }
}

extension SoupError.Code {
    /// A login did not succeed: the user or the server refused it, or it was not completed in time.
    public static let loginFailed: Self = "loginFailed"
}

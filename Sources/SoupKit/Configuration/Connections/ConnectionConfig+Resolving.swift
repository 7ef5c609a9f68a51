// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore
internal import SoupHTTP

extension ConnectionConfig {
    /// Returns the connection with the values that its references have now; nil if an error was added to `problems`.
    ///
    /// - Parameter path: the place of the connection in its file.
    func resolved(
        at path: [ConfigurationStep], environment: [String: String], problems: inout [ConfigurationProblem]
    ) -> ServerConnection? {
        var values = ReferencedValues(path: path, environment: environment)
        let url = values.url(baseURL, at: "baseURL", example: "https://example.com/api")
        let auth = auth.map { $0.resolved(&values) }
        var headers: [String: String] = [:]
        for (name, reference) in (self.headers ?? [:]).sorted(by: { $0.key < $1.key }) {
            let value = values.text(reference, at: "headers", name)
            headers[name] = value
            if !reference.isLiteral || OrgFile.isSecret(name) { values.secrets.append(value) }
            if HTTPField.Name(name) == nil {
                values.report(
                    "\"\(name.excerpt(100))\" is not the name of a header", at: ["headers", name],
                    hint: "Use letters, digits and hyphens.")
            }
        }
        let connection = ServerConnection(baseURL: url, auth: auth, headers: headers, otherSecrets: values.secrets)
        problems += values.problems
        guard values.problems.isEmpty else { return nil }
        if connection.sendsSecretsInPlain {
            problems.append(
                ConfigurationProblem(
                    .warning, at: SoupError.Place(path: (path + [.key("baseURL")]).text),
                    "secrets are sent to \(url) without encryption", hint: "Use https."))
        }
        if connection.sendsSecretsInPlainToTokenEndpoint {
            problems.append(
                ConfigurationProblem(
                    .warning, at: SoupError.Place(path: (path + [.key("auth"), .key("tokenURL")]).text),
                    "secrets are sent to the token endpoint without encryption", hint: "Use https."))
        }
        return connection
    }
}

extension ConnectionConfig.Auth {
    fileprivate func resolved(_ values: inout ReferencedValues) -> ConnectionAuth {
        switch self {
        case .bearer(let token): return .bearer(token: values.text(token, at: "auth", "token"))
        case .basic(let username, let password):
            return .basic(
                username: values.text(username, at: "auth", "username"),
                password: values.text(password, at: "auth", "password"))
        case .apiKey(let name, let reference, let isInQuery):
            let value = values.text(reference, at: "auth", "value")
            guard !isInQuery else { return .queryKey(name: name, value: value) }
            if HTTPField.Name(name) == nil {
                values.report(
                    "\"\(name.excerpt(100))\" is not the name of a header", at: ["auth", "name"],
                    hint: "Use the name that the service documents, such as X-API-Key.")
            }
            return .headerKey(name: name, value: value)
        case .oauth(let grant): return .oauth(grant.resolved(&values))
        }
    }
}

extension ConnectionConfig.OAuth {
    fileprivate func resolved(_ values: inout ReferencedValues) -> OAuthGrant {
        var parameters: [String: String] = [:]
        for (name, reference) in (self.parameters ?? [:]).sorted(by: { $0.key < $1.key }) {
            let value = values.text(reference, at: "auth", "parameters", name)
            parameters[name] = value
            if !reference.isLiteral || OrgFile.isSecret(name) { values.secrets.append(value) }
        }
        return OAuthGrant(
            tokenURL: values.url(tokenURL, at: "auth", "tokenURL", example: "https://login.example.com/oauth/token"),
            clientId: values.text(clientId, at: "auth", "clientId"),
            clientSecret: clientSecret.map { values.text($0, at: "auth", "clientSecret") },
            refreshToken: refreshToken.map { values.text($0, at: "auth", "refreshToken") }, scope: scope,
            parameters: parameters, usesBasic: usesBasic,
            authorizationURL: authorizationURL.map { Self.page($0, at: "authorizationURL", &values) },
            deviceURL: deviceURL.map { Self.page($0, at: "deviceURL", &values) },
            revocationURL: revocationURL.map { Self.page($0, at: "revocationURL", &values) })
    }

    private static func page(_ url: SecretReference, at key: String, _ values: inout ReferencedValues) -> String {
        values.url(url, at: "auth", key, example: "https://login.example.com/oauth/authorize")
    }
}

/// The values of the references in one connection, and their problems.
private struct ReferencedValues {
    /// The place of the connection in its file.
    let path: [ConfigurationStep]
    let environment: [String: String]
    private(set) var problems: [ConfigurationProblem] = []
    /// The values that must not occur in messages, besides those of the authorization.
    var secrets: [String] = []

    init(path: [ConfigurationStep], environment: [String: String]) {
        self.path = path
        self.environment = environment
    }

    /// Returns the value of a reference; an empty text after an error.
    mutating func text(_ reference: SecretReference, at keys: String...) -> String { text(reference, keys) }

    /// Returns the value of a reference, which must be the URL of a server, with a path and a query.
    mutating func url(_ reference: SecretReference, at keys: String..., example: String) -> String {
        let known = problems.count
        let url = text(reference, keys)
        let server = String(url.prefix { $0 != "?" })
        if !reference.isLiteral {
            let parameters = url.dropFirst(server.count + 1).split(separator: "&")
            secrets += parameters.map { parameter in
                String(parameter.drop { $0 != "=" }.dropFirst())
            }
        }
        if problems.count == known, let fault = ServerAddress.fault(in: server) {
            report(
                "\"\(URLText.masked(server).excerpt(200))\" \(fault)", at: keys,
                hint: "Use a URL such as \(example).")
        }
        return url
    }

    mutating func report(_ message: String, at keys: [String], hint: String?) {
        let place = SoupError.Place(path: (path + keys.map { .key($0) }).text)
        problems.append(ConfigurationProblem(at: place, message, hint: hint))
    }

    private mutating func text(_ reference: SecretReference, _ keys: [String]) -> String {
        do {
            return try reference.value(environment)
        } catch {
            report(error.message, at: keys, hint: error.hint)
            return ""
        }
    }
}

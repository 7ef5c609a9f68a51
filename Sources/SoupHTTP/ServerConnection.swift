// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

/// A server, and the authorization of the requests to it.
public struct ServerConnection: Sendable, Hashable {
    /// The URL of the server, with the path prefix of its API, such as `https://crm.example.com/api`.
    public var baseURL: String
    /// The authorization; nil for none.
    public var auth: ConnectionAuth?
    /// Headers of every request that does not have them, such as `Accept`.
    public var headers: [String: String]
    /// Texts in the headers, the parameters of OAuth or the URLs that must not occur in messages; those of ``auth`` are
    /// known.
    public var otherSecrets: [String]

    /// Creates a connection without checks; ``ConnectionTransport`` checks it.
    public init(
        baseURL: String, auth: ConnectionAuth? = nil, headers: [String: String] = [:], otherSecrets: [String] = []
    ) {
        self.baseURL = baseURL
        self.auth = auth
        self.headers = headers
        self.otherSecrets = otherSecrets
    }

    /// The path of ``baseURL``, without a slash at the end, which targets find in `SyncContext/basePath`: `/api`.
    public var basePath: String { ServerAddress(baseURL)?.path ?? "" }

    /// Whether requests with secrets are sent over HTTP without encryption, and not only within this machine.
    package var sendsSecretsInPlain: Bool {
        guard !secrets.isEmpty || needsLogin else { return false }
        return Self.isPlain(baseURL)
    }

    /// Whether the secrets of OAuth are sent to the token endpoint over HTTP, and not only within this machine.
    package var sendsSecretsInPlainToTokenEndpoint: Bool {
        guard case .oauth(let grant)? = auth else { return false }
        return Self.isPlain(String(grant.tokenURL.prefix { $0 != "?" }))
    }

    package var needsLogin: Bool { if case .oauth(let grant)? = auth { grant.needsLogin } else { false } }

    private static func isPlain(_ url: String) -> Bool {
        guard let address = ServerAddress(url), address.scheme == "http" else { return false }
        let local = ["localhost", "127.0.0.1", "[::1]"]
        return !local.contains { address.authority == $0 || address.authority.hasPrefix("\($0):") }
    }

    /// The texts that must not occur in messages.
    var secrets: [String] { (auth?.secrets ?? []) + otherSecrets }

    /// The headers.
    ///
    /// - Throws: ``SoupError`` with `badConfiguration` for an invalid name, also that of a key.
    var fields: [HTTPField] {
        get throws {
            if case .headerKey(let name, _)? = auth { _ = try Self.name(name) }
            return try headers.sorted { $0.key < $1.key }.map {
                HTTPField(name: try Self.name($0.key), value: $0.value)
            }
        }
    }

    private static func name(_ text: String) throws -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else {
            throw SoupError(
                .badConfiguration, "\"\(text.excerpt(100))\" is not the name of a header",
                hint: "Use letters, digits and hyphens.")
        }
        return name
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A connection as `org.json` contains it: its values may refer to environment variables and files.
struct ConnectionConfig: Decodable, Sendable {
    var baseURL: SecretReference
    var auth: Auth?
    var headers: [String: SecretReference]?

    /// The authorization, by its `type`.
    enum Auth: Decodable, Sendable {
        case bearer(token: SecretReference)
        case basic(username: SecretReference, password: SecretReference)
        case apiKey(name: String, value: SecretReference, isInQuery: Bool)
        case oauth(OAuth)

        private enum Kind: String, Decodable, CaseIterable { case bearer, basic, apiKey, oauth }
        private enum Place: String, Decodable, CaseIterable { case header, query }
        private enum CodingKeys: String, CodingKey { case type, token, username, password, name, value, `in` }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            func secret(_ key: CodingKeys) throws -> SecretReference {
                try container.decode(SecretReference.self, forKey: key)
            }
            switch try container.decode(Kind.self, forKey: .type) {
            case .bearer: self = .bearer(token: try secret(.token))
            case .basic: self = .basic(username: try secret(.username), password: try secret(.password))
            case .apiKey:
                let place = try container.decodeIfPresent(Place.self, forKey: .in) ?? .header
                self = .apiKey(
                    name: try container.decode(String.self, forKey: .name), value: try secret(.value),
                    isInQuery: place == .query)
            case .oauth: self = .oauth(try OAuth(from: decoder))
            }
        }
    }

    /// The credentials for a token endpoint.
    struct OAuth: Decodable, Sendable {
        var tokenURL: SecretReference
        var clientId: SecretReference
        var clientSecret: SecretReference?
        var refreshToken: SecretReference?
        var scope: String?
        var parameters: [String: SecretReference]?
        var usesBasic: Bool
        var authorizationURL: SecretReference?
        var deviceURL: SecretReference?
        var revocationURL: SecretReference?

        private enum ClientPlace: String, Decodable, CaseIterable { case body, header }
        private enum CodingKeys: CodingKey {
            case tokenURL, clientId, clientSecret, refreshToken, scope, parameters, clientAuthentication
            case authorizationURL, deviceURL, revocationURL
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            tokenURL = try container.decode(SecretReference.self, forKey: .tokenURL)
            clientId = try container.decode(SecretReference.self, forKey: .clientId)
            clientSecret = try container.decodeIfPresent(SecretReference.self, forKey: .clientSecret)
            refreshToken = try container.decodeIfPresent(SecretReference.self, forKey: .refreshToken)
            scope = try container.decodeIfPresent(String.self, forKey: .scope)
            parameters = try container.decodeIfPresent([String: SecretReference].self, forKey: .parameters)
            let place = try container.decodeIfPresent(ClientPlace.self, forKey: .clientAuthentication)
            usesBasic = place == .header
            authorizationURL = try container.decodeIfPresent(SecretReference.self, forKey: .authorizationURL)
            deviceURL = try container.decodeIfPresent(SecretReference.self, forKey: .deviceURL)
            revocationURL = try container.decodeIfPresent(SecretReference.self, forKey: .revocationURL)
            let hasLogin = authorizationURL != nil || deviceURL != nil
            guard clientSecret != nil || refreshToken != nil || hasLogin else {
                throw SoupError(
                    .badConfiguration, "there is neither a clientSecret nor a refreshToken",
                    hint:
                        "Add \"clientSecret\" for the access of the client itself, \"refreshToken\" for that of a user, or "
                        + "\"authorizationURL\" or \"deviceURL\" for logins with `soup login`."
                )
            }
        }
    }
}

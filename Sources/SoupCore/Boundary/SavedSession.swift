// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The tokens of an account, and the servers that accept them; a ``CredentialStore`` keeps it.
public struct SavedSession: Sendable, Hashable {
    /// The token endpoint that renews the session.
    ///
    /// The refresh token is sent to no other server.
    public var tokenURL: String
    /// The identifier of the client to which the tokens were issued.
    public var clientId: String
    /// The token of requests; nil if it must be fetched first.
    public var accessToken: String?
    /// The time at which ``accessToken`` expires, in whole milliseconds; nil if unknown.
    public var accessTokenExpiry: Date?
    /// The token that fetches access tokens; nil for a session that ends with its access token.
    public var refreshToken: String?
    /// The server that receives the access token, such as `https://example.my.salesforce.com`.
    ///
    /// Nil for the session of a connection, whose server the configuration names, and for a session of an org whose
    /// server is that of ``tokenURL``. A response of ``tokenURL`` chooses it, so it does not prove that this server
    /// has issued the session.
    public var instanceURL: String?
    /// The name of the user, for messages.
    public var username: String?
    /// The granted scope; nil if the server did not report it.
    public var scope: String?
    /// A hash of the refresh token of the configuration that this session continues; nil after a login.
    ///
    /// The session is ignored if the configuration contains another token.
    public var continuedToken: String?
    /// The time of the login or of the last renewal, in whole milliseconds.
    public var savedAt: Date

    /// Creates a session; times are rounded to the nearest millisecond.
    public init(
        tokenURL: String, clientId: String, accessToken: String? = nil, accessTokenExpiry: Date? = nil,
        refreshToken: String? = nil, instanceURL: String? = nil, username: String? = nil, scope: String? = nil,
        continuedToken: String? = nil, savedAt: Date
    ) {
        self.tokenURL = tokenURL
        self.clientId = clientId
        self.accessToken = accessToken
        self.accessTokenExpiry = accessTokenExpiry.map { Date(millisecondsSince1970: $0.millisecondsSince1970) }
        self.refreshToken = refreshToken
        self.instanceURL = instanceURL
        self.username = username
        self.scope = scope
        self.continuedToken = continuedToken
        self.savedAt = Date(millisecondsSince1970: savedAt.millisecondsSince1970)
    }

    /// The texts that must not occur in messages.
    package var secrets: [String] { [accessToken, refreshToken].compactMap { $0 } }
}

extension SavedSession {
    /// The version of the form of ``json``.
    private static let version: Int64 = 1

    /// The session as an object that ``init(json:)`` reads, with its tokens; for stores.
    public var json: JSONValue {
        var object: JSONObject = [
            "version": .int(Self.version), "tokenURL": .string(tokenURL), "clientId": .string(clientId),
            "savedAt": .int(savedAt.millisecondsSince1970),
        ]
        object["accessToken"] = accessToken.map { .string($0) }
        object["accessTokenExpiry"] = accessTokenExpiry.map { .int($0.millisecondsSince1970) }
        object["refreshToken"] = refreshToken.map { .string($0) }
        object["instanceURL"] = instanceURL.map { .string($0) }
        object["username"] = username.map { .string($0) }
        object["scope"] = scope.map { .string($0) }
        object["continuedToken"] = continuedToken.map { .string($0) }
        return .object(object)
    }

    /// Reads a session as ``json`` writes it.
    ///
    /// - Throws: ``SoupError`` with `credentialsUnusable`, whose message contains no part of the text.
    public init(json: JSONValue) throws {
        guard let version = json["version"]?.intValue, let tokenURL = json["tokenURL"]?.stringValue,
            let clientId = json["clientId"]?.stringValue, let savedAt = json["savedAt"]?.intValue
        else {
            throw SoupError(
                .credentialsUnusable, "the saved session is damaged", hint: "Log in again, which replaces it.")
        }
        guard version == Self.version else {
            throw SoupError(
                .credentialsUnusable, "the saved session has the form \(version), which this version does not read",
                hint: "Use a newer version of SoupKit, or log in again, which replaces the session.")
        }
        self.init(
            tokenURL: tokenURL, clientId: clientId, accessToken: json["accessToken"]?.stringValue,
            accessTokenExpiry: json["accessTokenExpiry"]?.intValue.map { Date(millisecondsSince1970: $0) },
            refreshToken: json["refreshToken"]?.stringValue, instanceURL: json["instanceURL"]?.stringValue,
            username: json["username"]?.stringValue, scope: json["scope"]?.stringValue,
            continuedToken: json["continuedToken"]?.stringValue, savedAt: Date(millisecondsSince1970: savedAt))
    }
}

extension SavedSession: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The server and the kinds of tokens that are present, never the tokens.
    public var description: String {
        let kinds = [accessToken.map { _ in "access token" }, refreshToken.map { _ in "refresh token" }]
        let present = kinds.compactMap { $0 }
        return "session at \(instanceURL ?? tokenURL.prefix { $0 != "?" }.description) with "
            + (present.isEmpty ? "no token" : present.joined(separator: ", "))
    }

    /// The same as ``description``, so that a debugger shows no tokens.
    public var debugDescription: String { description }

    /// An empty mirror: dumps and logs would show the tokens.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

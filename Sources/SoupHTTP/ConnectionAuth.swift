// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The way in which requests of a connection are authorized.
public enum ConnectionAuth: Sendable, Hashable {
    /// A token in the header `Authorization: Bearer`.
    case bearer(token: String)
    /// A user and a password in the header `Authorization: Basic`.
    case basic(username: String, password: String)
    /// A key in a header of the service, such as `X-API-Key`.
    case headerKey(name: String, value: String)
    /// A key in a parameter of the URL.
    case queryKey(name: String, value: String)
    /// An access token that is fetched, and renewed, at a token endpoint (RFC 6749).
    case oauth(OAuthGrant)

    /// The texts that must not occur in messages.
    var secrets: [String] {
        switch self {
        case .bearer(let token): [token]
        case .basic(let username, let password): [password, Self.basicToken(username, password)]
        case .headerKey(_, let value), .queryKey(_, let value): [value]
        case .oauth(let grant): grant.secrets
        }
    }

    /// Returns the value of `Authorization: Basic` after the scheme.
    static func basicToken(_ username: String, _ password: String) -> String {
        Data("\(username):\(password)".utf8).base64EncodedString()
    }
}

extension ConnectionAuth: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind, never the secrets.
    public var description: String {
        switch self {
        case .bearer: "bearer token"
        case .basic(let username, _): "basic authorization of \(username)"
        case .headerKey(let name, _): "key in the header \(name)"
        case .queryKey(let name, _): "key in the parameter \(name)"
        case .oauth(let grant): "\(grant)"
        }
    }

    /// The same as ``description``, so that a debugger shows no secrets.
    public var debugDescription: String { description }

    /// An empty mirror: dumps and logs would show the secrets.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import SoupCore

/// The response of a token endpoint.
public struct OAuthTokens: Sendable, Hashable {
    /// The token of requests.
    public var accessToken: String
    /// The token that fetches further access tokens; nil if the response has none.
    ///
    /// After a renewal it replaces the earlier one.
    public var refreshToken: String?
    /// The number of seconds for which the access token is valid; nil if unknown.
    public var lifetime: Int64?
    /// The granted scope; nil if the response has none.
    public var scope: String?
    /// The other members of the response, such as `instance_url`.
    public var members: JSONObject

    /// Reads a response; nil if it is not a success with an access token.
    init?(_ answer: HTTPAnswer) {
        guard answer.isSuccess, var members = (try? JSONValue(parsing: answer.body))?.objectValue,
            let token = members["access_token"]?.stringValue, !token.isEmpty
        else { return nil }
        accessToken = token
        refreshToken = members["refresh_token"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
        scope = members["scope"]?.stringValue
        let lifetime = members["expires_in"].flatMap { $0.intValue ?? $0.stringValue.flatMap { Int64($0) } }
        self.lifetime = lifetime.flatMap { $0 > 0 ? $0 : nil }
        for key in ["access_token", "refresh_token", "expires_in", "scope"] { members[key] = nil }
        self.members = members
    }

    /// The texts that must not occur in messages.
    package var secrets: [String] { [accessToken, refreshToken].compactMap { $0 } }

    /// The number of milliseconds from `now` to the end of the access token, as a time; nil if unknown.
    package func expiry(from now: Int64) -> Int64? { lifetime.map { now + min($0, 1 << 32) * 1000 } }
}

extension OAuthTokens: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kinds of tokens, never the tokens.
    public var description: String { refreshToken == nil ? "access token" : "access token, refresh token" }

    /// The same as ``description``, so that a debugger shows no tokens.
    public var debugDescription: String { description }

    /// An empty mirror: dumps and logs would show the tokens.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

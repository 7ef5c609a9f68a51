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
    ///
    /// A response that contradicts itself is an error, so that a caller keeps the tokens that it has.
    ///
    /// - Parameter code: the code of the error.
    /// - Throws: ``SoupError`` if a token is empty or not a text, or if the response contains an error, too.
    package init?(_ answer: HTTPAnswer, orThrow code: SoupError.Code) throws {
        guard answer.isSuccess, var members = (try? JSONValue(parsing: answer.body))?.objectValue,
            let access = members["access_token"], !access.isNull
        else { return nil }
        if let error = members["error"], !error.isNull {
            throw Self.contradiction(code, "it contains an access token and an error")
        }
        guard let token = access.stringValue, !token.isEmpty else {
            throw Self.contradiction(code, "its access token is empty or not a text")
        }
        accessToken = token
        if let refresh = members["refresh_token"], !refresh.isNull {
            guard let token = refresh.stringValue, !token.isEmpty else {
                throw Self.contradiction(code, "its refresh token is empty or not a text")
            }
            refreshToken = token
        }
        scope = members["scope"]?.stringValue
        let lifetime = members["expires_in"].flatMap { $0.intValue ?? $0.stringValue.flatMap { Int64($0) } }
        self.lifetime = lifetime.flatMap { $0 > 0 ? $0 : nil }
        for key in ["access_token", "refresh_token", "expires_in", "scope"] { members[key] = nil }
        self.members = members
    }

    /// The error of a response that contradicts itself; `reason` is the end of the message.
    package static func contradiction(_ code: SoupError.Code, _ reason: String) -> SoupError {
        SoupError(
            code, "the response of the token endpoint cannot be used: \(reason)",
            hint: "Check the URL of the server, or report this to its administrator.")
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

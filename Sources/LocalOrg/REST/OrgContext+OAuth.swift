// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

extension OrgContext {
    func oauth(_ request: OrgRequest, _ path: [String]) throws -> OrgAnswer {
        switch path {
        case ["token"]: return try allow(["POST"], request) { self.token(request) }
        case ["revoke"]:
            return try allow(["POST", "GET"], request) {
                let token =
                    (OrgRequest.form(String(decoding: request.body, as: UTF8.self)) + request.query)
                    .first { $0.name == "token" }?.value ?? ""
                guard self.org.tokens.revoke(token) else {
                    return Self.refusal("unsupported_token_type", "this token is not known")
                }
                return OrgAnswer(200)
            }
        case ["userinfo"]:
            return try allow(["GET", "POST"], request) {
                guard let token = Self.token(of: request),
                    let user = self.org.tokens.user(of: token, now: self.org.clock.now)
                else {
                    return OrgAnswer(403, body: Array("Bad_OAuth_Token".utf8), contentType: "text/html;charset=UTF-8")
                }
                self.userId = user
                return OrgAnswer(self.userInfo())
            }
        default: throw OrgError.notFound
        }
    }

    private static func refusal(_ error: String, _ description: String) -> OrgAnswer {
        OrgAnswer(["error": .string(error), "error_description": .string(description)], status: 400)
    }

    // MARK: Tokens

    private func token(_ request: OrgRequest) -> OrgAnswer {
        let form = OrgRequest.form(String(decoding: request.body, as: UTF8.self)) + request.query
        func value(_ name: String) -> String? { form.first { $0.name == name }?.value }
        guard let grant = value("grant_type") else { return Self.refusal("invalid_request", "missing grant_type") }
        let basic = Self.basicCredentials(request)
        guard let clientId = value("client_id") ?? basic?.user else {
            return Self.refusal("invalid_client_id", "client identifier invalid")
        }
        guard let client = org.definition.clients.first(where: { $0.id == clientId }) else {
            return Self.refusal("invalid_client_id", "client identifier invalid")
        }
        if let secret = value("client_secret") ?? basic?.password, let known = client.secret, secret != known {
            return Self.refusal("invalid_client", "invalid client credentials")
        }
        switch grant {
        case "password": return passwordGrant(value)
        case "refresh_token", "hybrid_refresh":
            guard let token = value("refresh_token"), let user = org.tokens.user(ofRefreshToken: token) else {
                return Self.refusal("invalid_grant", "expired access/refresh token")
            }
            return granted(to: user, refreshToken: token, showsRefreshToken: false)
        case "client_credentials":
            guard (value("client_secret") ?? basic?.password) == client.secret else {
                return Self.refusal("invalid_client", "invalid client credentials")
            }
            return granted(to: org.definition.caller.id, refreshToken: nil, showsRefreshToken: false)
        default: return Self.refusal("unsupported_grant_type", "grant type not supported")
        }
    }

    private func passwordGrant(_ value: (String) -> String?) -> OrgAnswer {
        guard let username = value("username"), let password = value("password") else {
            return Self.refusal("invalid_request", "missing username or password")
        }
        guard let user = user(username, password) else {
            return Self.refusal("invalid_grant", "authentication failure - Invalid Password")
        }
        let wantsRefresh = (value("scope") ?? "").contains("refresh_token")
        let refresh = wantsRefresh ? org.tokens.makeRefreshToken(user: user.id) : nil
        return granted(to: user.id, refreshToken: refresh, showsRefreshToken: true)
    }

    /// The user with this name whose password this is, with or without a security token behind it.
    func user(_ username: String, _ password: String) -> OrgDefinition.User? {
        org.definition.users.first { $0.username.lowercased() == username.lowercased() && password == $0.password }
    }

    private func granted(to user: String, refreshToken: String?, showsRefreshToken: Bool) -> OrgAnswer {
        let expires = org.options.tokenLifetime.map { org.clock.now + $0 }
        let token = org.tokens.makeAccessToken(user: user, refreshToken: refreshToken, expires: expires)
        var body: JSONObject = [
            "access_token": .string(token), "instance_url": .string(org.options.instanceURL),
            "id": .string("\(org.options.instanceURL)/id/\(org.definition.orgId)/\(user)"), "token_type": "Bearer",
            "issued_at": .string(String(org.clock.now)), "signature": "bG9jYWwtb3JnLXNpZ25hdHVyZQ==",
            "scope": "api refresh_token",
        ]
        if showsRefreshToken, let refreshToken { body["refresh_token"] = .string(refreshToken) }
        return OrgAnswer(.object(body), headers: [("Cache-Control", "no-cache, no-store")])
    }

    /// User and password of an `Authorization: Basic` header.
    private static func basicCredentials(_ request: OrgRequest) -> (user: String, password: String)? {
        let header = request.headers[.authorization] ?? ""
        guard header.lowercased().hasPrefix("basic ") else { return nil }
        let text = String(decoding: base64Decoded(header.dropFirst(6)), as: UTF8.self)
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
    }

    private static func base64Decoded(_ text: Substring) -> [UInt8] {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var output: [UInt8] = []
        var buffer: UInt32 = 0
        var bits = 0
        for byte in text.utf8 {
            guard let value = digits.firstIndex(of: byte) else { continue }
            buffer = (buffer << 6 | UInt32(value)) & 0xFFFFFF
            bits += 6
            if bits >= 8 {
                bits -= 8
                output.append(UInt8(buffer >> UInt32(bits) & 0xFF))
            }
        }
        return output
    }

    // MARK: Who is logged in

    private func userInfo() -> JSONValue {
        let user = org.definition.users.first { $0.id == userId } ?? org.definition.caller
        let identity = "\(org.options.instanceURL)/id/\(org.definition.orgId)/\(user.id)"
        let rest = "\(org.options.instanceURL)/services/data/v{version}/"
        return [
            "sub": .string(identity), "user_id": .string(user.id), "organization_id": .string(org.definition.orgId),
            "preferred_username": .string(user.username), "nickname": .string(user.key), "name": .string(user.name),
            "email": .string(user.email), "email_verified": true,
            "given_name": user.firstName.map { .string($0) } ?? .null, "family_name": .string(user.lastName),
            "zoneinfo": "GMT", "profile": .string("\(org.options.instanceURL)/\(user.id)"),
            "photos": ["picture": "", "thumbnail": ""], "picture": "", "address": [:],
            "urls": [
                "rest": .string(rest), "sobjects": .string(rest + "sobjects/"), "query": .string(rest + "query/"),
                "search": .string(rest + "search/"), "recent": .string(rest + "recent/"),
            ],
            "active": true, "user_type": "STANDARD", "language": "en_US", "locale": "en_US", "utcOffset": 0,
            "updated_at": .string(Timestamp.format(org.definition.stamp)), "is_app_installed": true,
        ]
    }

    /// The older spelling of the same facts.
    func identity() -> OrgAnswer {
        var info = userInfo()
        for (new, old) in [("preferred_username", "username"), ("name", "display_name"), ("nickname", "nick_name")] {
            info[old] = info[new]
        }
        return OrgAnswer(info)
    }
}

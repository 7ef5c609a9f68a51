// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

/// The parameters of a request that are a form in its body, or in its URL.
struct OAuthForm {
    private let values: [(name: String, value: String)]
    /// User and password of an `Authorization: Basic` header.
    let basic: (user: String, password: String)?

    init(_ request: OrgRequest) {
        values = OrgRequest.form(String(decoding: request.body, as: UTF8.self)) + request.query
        basic = Self.basicCredentials(request.headers[.authorization] ?? "")
    }

    subscript(name: String) -> String? { values.first { $0.name == name }?.value }

    private static func basicCredentials(_ header: String) -> (user: String, password: String)? {
        guard header.utf8.count > 6, header.lowercased().hasPrefix("basic "),
            let bytes = Base64.decoded(String(decoding: header.utf8.dropFirst(6), as: UTF8.self))
        else { return nil }
        let parts = bytes.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        return (String(decoding: parts[0], as: UTF8.self), String(decoding: parts[1], as: UTF8.self))
    }
}

/// Why a login, or a client, is refused.
struct OAuthRefusal: Error {
    var error: String
    var description: String
    var status = 400

    init(_ error: String, _ description: String, status: Int = 400) {
        self.error = error
        self.description = description
        self.status = status
    }

    var answer: OrgAnswer {
        OrgAnswer(["error": .string(error), "error_description": .string(description)], status: status)
    }
}

extension OrgContext {
    /// Everything below `/services/oauth2`.
    func oauth(_ request: OrgRequest, _ path: [String]) throws -> OrgAnswer {
        do {
            switch path {
            case ["token"]: return try allow(["POST"], request) { try self.token(OAuthForm(request)) }
            case ["authorize"]: return try allow(["GET", "POST"], request) { try self.authorize(OAuthForm(request)) }
            case ["revoke"]: return try allow(["POST", "GET"], request) { try self.revoke(OAuthForm(request)) }
            case ["introspect"]: return try allow(["POST"], request) { try self.introspect(OAuthForm(request)) }
            case ["userinfo"]:
                return try allow(["GET", "POST"], request) {
                    guard !self.trouble.hasBadOAuthToken, let user = self.bearer(request) else {
                        return .badOAuthToken
                    }
                    return OrgAnswer(self.userInfo(user))
                }
            case ["singleaccess"]:
                return try allow(["POST", "GET"], request) {
                    guard !self.trouble.hasBadOAuthToken, self.bearer(request) != nil,
                        let token = Self.token(of: request)
                    else {
                        return .badOAuthToken
                    }
                    return self.singleAccess(token, OAuthForm(request))
                }
            default: throw OrgError.notFound
            }
        } catch let refusal as OAuthRefusal {
            return refusal.answer
        }
    }

    /// The user of the token that a request brings.
    private func bearer(_ request: OrgRequest) -> OrgDefinition.User? {
        guard let token = Self.token(of: request), let id = org.tokens.user(of: token, now: org.clock.now) else {
            return nil
        }
        userId = id
        return org.definition.users.first { $0.id == id }
    }

    /// What a login page does, as if the user had pressed its button already: the browser is sent back with a code.
    private func authorize(_ form: OAuthForm) throws -> OrgAnswer {
        guard let client = org.definition.clients.first(where: { $0.id == form["client_id"] }) else {
            throw OAuthRefusal("invalid_client_id", "client identifier invalid")
        }
        guard let redirect = form["redirect_uri"], !redirect.isEmpty else {
            throw OAuthRefusal("redirect_uri_missing", "redirect_uri must be given")
        }
        guard Self.isLocation(redirect) else {
            throw OAuthRefusal("redirect_uri_mismatch", "redirect_uri must be an absolute URL")
        }
        let wanted = form["login_hint"] ?? form["username"]
        let user = wanted.map { self.user(named: $0) } ?? org.definition.caller
        guard let user else {
            let names = org.definition.users.map(\.username).joined(separator: ", ")
            throw OAuthRefusal("invalid_request", "login_hint names no user of this org; there are \(names)")
        }
        let grant = TokenRegister.Grant(
            userId: user.id, clientId: client.id, scope: Self.scope(form["scope"]), issued: org.clock.now)
        var parameters: [(String, String)]
        let type = form["response_type"]
        switch type {
        case "code", "hybrid_auth_code":
            let method = form["code_challenge_method"]
            guard method == nil || method == "S256" || method == "plain" else {
                throw OAuthRefusal("invalid_request", "code_challenge_method must be S256")
            }
            let isHashed = method != "plain"
            guard form["code_challenge"] == nil || !isHashed || AuthorizationCodes.verifiesHashes else {
                throw OAuthRefusal(
                    "invalid_request",
                    "this build cannot verify code_challenge: build the local org with the package trait TLS")
            }
            let code = "aPrx\(org.tokens.nextText())"
            org.codes.keep(
                AuthorizationCodes.Code(
                    grant: grant, redirect: redirect, challenge: form["code_challenge"], isHashed: isHashed),
                as: code)
            parameters = [("code", code)]
        case "token", "hybrid_token":
            let refresh = grant.scope.contains("refresh_token") ? org.tokens.makeRefreshToken(grant) : nil
            let granted = tokens(
                grant, refreshToken: refresh, showsRefreshToken: true, isHybrid: Self.isHybrid(type))
            parameters = granted.members.map {
                ($0.key, $0.value.stringValue ?? "")
            }
        default: throw OAuthRefusal("unsupported_response_type", "response type not supported")
        }
        if let state = form["state"] { parameters.append(("state", state)) }
        let isFragment = type == "token" || type == "hybrid_token"
        let mark = isFragment ? "#" : redirect.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        let text = parameters.map { "\($0.0)=\(URLText.segment($0.1))" }.joined(separator: "&")
        return OrgAnswer(302, headers: [("Location", redirect + mark + text)])
    }

    /// Whether a text is a URL, of any scheme, that can stand in a header.
    private static func isLocation(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return false }
        return bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F } && !bytes.contains(UInt8(ascii: "#"))
    }

    private func revoke(_ form: OAuthForm) throws -> OrgAnswer {
        guard org.tokens.revoke(form["token"] ?? "") else {
            throw OAuthRefusal("unsupported_token_type", "this token is not known")
        }
        return OrgAnswer(200)
    }

    /// What a token is good for, told to the client that it was given to.
    private func introspect(_ form: OAuthForm) throws -> OrgAnswer {
        _ = try client(form, needsSecret: true)
        let token = form["token"] ?? ""
        let access = org.tokens.access(token, now: org.clock.now)
        guard let grant = access?.grant ?? org.tokens.grant(ofRefreshToken: token),
            let user = org.definition.users.first(where: { $0.id == grant.userId })
        else { return OrgAnswer(["active": false]) }
        var body: JSONObject = [
            "active": true, "scope": .string(grant.scope), "client_id": .string(grant.clientId),
            "username": .string(user.username), "sub": .string(identityURL(user)),
            "token_type": access == nil ? "refresh_token" : "access_token", "iat": .int(grant.issued / 1000),
            "nbf": .int(grant.issued / 1000),
        ]
        if let expires = access?.expires { body["exp"] = .int(expires / 1000) }
        return OrgAnswer(.object(body))
    }

    /// A URL that would open a browser where the token's user is logged in.
    private func singleAccess(_ token: String, _ form: OAuthForm) -> OrgAnswer {
        let target = form["redirect_uri"] ?? "/"
        let url = "\(org.options.instanceURL)/secur/frontdoor.jsp"
        return OrgAnswer([
            "frontdoor_uri": .string("\(url)?otp=\(URLText.segment(token))&startURL=\(URLText.segment(target))")
        ])
    }

    static func scope(_ wanted: String?) -> String {
        let wanted = wanted ?? ""
        return wanted.isEmpty ? "api refresh_token" : wanted
    }
}

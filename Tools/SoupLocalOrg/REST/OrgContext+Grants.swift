// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The ways to a token.
extension OrgContext {
    func token(_ form: OAuthForm) throws -> OrgAnswer {
        guard let grant = form["grant_type"], !grant.isEmpty else {
            throw OAuthRefusal("invalid_request", "missing grant_type")
        }
        if grant == "urn:ietf:params:oauth:grant-type:jwt-bearer" { return try assertionGrant(form) }
        let name = Self.shortName(grant)
        guard let name else { throw OAuthRefusal("unsupported_grant_type", "grant type not supported") }
        let isStrict = org.options.strictGrants
        let hasVerifier = name == "authorization_code" && form["code_verifier"] != nil
        let client = try client(
            form,
            needsSecret: name == "client_credentials" || (isStrict && name != "refresh_token" && !hasVerifier))
        try allow(name, for: client)
        let isHybrid = Self.isHybrid(grant)
        switch name {
        case "password": return try passwordGrant(form, client)
        case "refresh_token": return try refreshGrant(form, client, isHybrid: isHybrid)
        case "authorization_code": return try codeGrant(form, client, isHybrid: isHybrid)
        default:
            return granted(
                TokenRegister.Grant(
                    userId: org.definition.caller.id, clientId: client.id, scope: "api", issued: org.clock.now))
        }
    }

    /// What lists of a client's grants call a grant type.
    private static func shortName(_ grant: String) -> String? {
        switch grant {
        case "password", "client_credentials": grant
        case "refresh_token", "hybrid_refresh": "refresh_token"
        case "authorization_code", "hybrid_auth_code": "authorization_code"
        default: nil
        }
    }

    /// Whether a grant, or a response type, asks for what a browser inside an app needs too.
    static func isHybrid(_ type: String?) -> Bool { type?.hasPrefix("hybrid_") ?? false }

    /// The client of a request, by the body or by a Basic header.
    ///
    /// A secret that is given must be right; where none is asked for, it may be left out.
    func client(_ form: OAuthForm, needsSecret: Bool) throws -> OrgDefinition.Client {
        let id = form["client_id"] ?? form.basic?.user
        guard let client = org.definition.clients.first(where: { $0.id == id }) else {
            throw OAuthRefusal("invalid_client_id", "client identifier invalid")
        }
        let secret = form["client_secret"] ?? form.basic?.password
        if let known = client.secret, secret != known, needsSecret || secret != nil {
            throw OAuthRefusal("invalid_client", "invalid client credentials")
        }
        return client
    }

    private func allow(_ grant: String, for client: OrgDefinition.Client) throws {
        guard client.grants.isEmpty || client.grants.contains(grant) else {
            throw OAuthRefusal("unauthorized_client", "this client may not use the grant type \(grant)")
        }
    }

    private func passwordGrant(_ form: OAuthForm, _ client: OrgDefinition.Client) throws -> OrgAnswer {
        guard let username = form["username"], let password = form["password"] else {
            throw OAuthRefusal("invalid_request", "missing username or password")
        }
        guard let user = user(username, password) else {
            throw OAuthRefusal("invalid_grant", "authentication failure - Invalid Password")
        }
        let grant = TokenRegister.Grant(
            userId: user.id, clientId: client.id, scope: Self.scope(form["scope"]), issued: org.clock.now)
        let wantsRefresh = Self.holds(form["scope"], "refresh_token")
        return granted(grant, refreshToken: wantsRefresh ? org.tokens.makeRefreshToken(grant) : nil, isShown: true)
    }

    private func refreshGrant(
        _ form: OAuthForm, _ client: OrgDefinition.Client, isHybrid: Bool
    ) throws -> OrgAnswer {
        guard var token = form["refresh_token"], var grant = org.tokens.grant(ofRefreshToken: token),
            grant.clientId == client.id, org.definition.users.contains(where: { $0.id == grant.userId })
        else { throw OAuthRefusal("invalid_grant", "expired access/refresh token") }
        if let url = trouble.instanceURL { org.options.instanceURL = url }
        let rotates = org.options.rotatesRefreshTokens
        if rotates, let fresh = org.tokens.rotate(token) { token = fresh }
        grant.issued = org.clock.now
        return granted(grant, refreshToken: token, isShown: rotates, isHybrid: isHybrid)
    }

    private func codeGrant(
        _ form: OAuthForm, _ client: OrgDefinition.Client, isHybrid: Bool
    ) throws -> OrgAnswer {
        guard let code = form["code"] else { throw OAuthRefusal("invalid_request", "missing code") }
        var grant: TokenRegister.Grant
        do {
            grant = try org.codes.redeem(
                code, client: client.id, redirect: form["redirect_uri"], verifier: form["code_verifier"],
                now: org.clock.now)
        } catch {
            switch error {
            case .unknown: throw OAuthRefusal("invalid_grant", "invalid authorization code")
            case .expired: throw OAuthRefusal("invalid_grant", "expired authorization code")
            case .otherRedirect: throw OAuthRefusal("redirect_uri_mismatch", "redirect_uri must match configuration")
            case .badVerifier: throw OAuthRefusal("invalid_grant", "invalid code verifier")
            }
        }
        grant.issued = org.clock.now
        let refresh = Self.holds(grant.scope, "refresh_token") ? org.tokens.makeRefreshToken(grant) : nil
        return granted(grant, refreshToken: refresh, isShown: true, isHybrid: isHybrid)
    }

    private func assertionGrant(_ form: OAuthForm) throws -> OrgAnswer {
        guard let text = form["assertion"] else { throw OAuthRefusal("invalid_request", "missing assertion") }
        guard let assertion = BearerAssertion(text) else { throw OAuthRefusal("invalid_grant", "invalid assertion") }
        guard let client = org.definition.clients.first(where: { $0.id == assertion.issuer }) else {
            throw OAuthRefusal("invalid_client_id", "client identifier invalid")
        }
        try allow("jwt", for: client)
        if org.options.strictGrants {
            guard let key = client.publicKey, assertion.isSigned(by: key) else {
                throw OAuthRefusal("invalid_grant", "invalid assertion")
            }
            let audiences = [org.options.instanceURL, "https://login.salesforce.com", "https://test.salesforce.com"]
            guard audiences.contains(assertion.audience) else {
                throw OAuthRefusal("invalid_grant", "audience is invalid")
            }
        }
        guard assertion.expires.plus(BearerAssertion.leeway) > org.clock.now else {
            throw OAuthRefusal("invalid_grant", "expired authorization code")
        }
        guard let user = user(named: assertion.subject) else {
            throw OAuthRefusal("invalid_grant", "user hasn't approved this consumer")
        }
        return granted(
            TokenRegister.Grant(userId: user.id, clientId: client.id, scope: "api", issued: org.clock.now))
    }

    // MARK: Answers

    private static func holds(_ scope: String?, _ word: String) -> Bool {
        (scope ?? "").utf8.split { $0 == 0x20 || $0 == UInt8(ascii: ",") }.contains { $0.elementsEqual(word.utf8) }
    }

    private func granted(
        _ grant: TokenRegister.Grant, refreshToken: String? = nil, isShown: Bool = false, isHybrid: Bool = false
    ) -> OrgAnswer {
        OrgAnswer(
            .object(tokens(grant, refreshToken: refreshToken, showsRefreshToken: isShown, isHybrid: isHybrid)),
            headers: [("Cache-Control", "no-cache, no-store")])
    }

    /// A new access token with all that is told of it.
    func tokens(
        _ grant: TokenRegister.Grant, refreshToken: String?, showsRefreshToken: Bool, isHybrid: Bool
    ) -> JSONObject {
        let token = org.tokens.makeAccessToken(
            grant, org: org.definition.orgId, refreshToken: refreshToken, expires: tokenExpiry, now: org.clock.now)
        let user = org.definition.users.first { $0.id == grant.userId } ?? org.definition.caller
        var body: JSONObject = [
            "access_token": .string(token), "instance_url": .string(org.options.instanceURL),
            "id": .string(identityURL(user)), "token_type": "Bearer",
            "issued_at": .string(String(org.clock.now)), "signature": "bG9jYWwtb3JnLXNpZ25hdHVyZQ==",
            "scope": .string(grant.scope),
        ]
        if showsRefreshToken, let refreshToken { body["refresh_token"] = .string(refreshToken) }
        if isHybrid { for (key, value) in browserSessions(token).members { body[key] = value } }
        return body
    }

    /// What a browser inside an app needs to be logged in: the domains of the instance, each with a session of its own.
    ///
    /// The sessions are good for nothing but to be kept and told apart: the org serves no pages.
    private func browserSessions(_ token: String) -> JSONObject {
        let instance = org.options.instanceURL
        let host = instance.utf8.firstRange(of: "://".utf8).map { instance[$0.upperBound...] } ?? instance[...]
        let domain = JSONValue.string(String(host.prefix { $0 != "/" }))
        func session() -> JSONValue { .string("\(RecordID.short(org.definition.orgId))!web.\(org.tokens.nextText())") }
        return [
            "api_instance_url": .string(instance), "lightning_domain": domain, "lightning_sid": session(),
            "visualforce_domain": domain, "visualforce_sid": session(), "content_domain": domain,
            "content_sid": session(), "csrf_token": session(), "parent_sid": .string(token), "sidCookieName": "sid",
            "cookie-clientSrc": "127.0.0.1", "cookie-sid_Client": session(),
        ]
    }

    /// When a token that is made now ends; nil for never.
    var tokenExpiry: Int64? { org.options.tokenLifetime.map { org.clock.now.plus($0) } }

    // MARK: Users

    /// The user with this name whose password this is, with or without the security token behind it.
    func user(_ username: String, _ password: String) -> OrgDefinition.User? {
        guard let user = user(named: username) else { return nil }
        return password == user.password || password == user.password + user.securityToken ? user : nil
    }

    func user(named username: String) -> OrgDefinition.User? {
        org.definition.users.first { $0.username.lowercased() == username.lowercased() }
    }
}

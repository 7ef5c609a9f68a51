// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/services/oauth2/token`: the grant types by which clients get tokens.
struct TokenHandler: ResourceHandler {
    private let context: OrgContext
    private let form: OAuthForm

    init(request: OrgRequest, context: OrgContext) {
        self.context = context
        form = OAuthForm(request)
    }

    private var org: OrgCore { context.org }

    func grant() throws -> OrgAnswer {
        if form["grant_type"] == nil, form["response_type"] == "device_code" { return try deviceCode() }
        guard let grant = form["grant_type"], !grant.isEmpty else {
            throw OAuthRefusal("invalid_request", "missing grant_type")
        }
        if grant == "urn:ietf:params:oauth:grant-type:jwt-bearer" { return try assertionGrant() }
        let name = Self.shortName(grant)
        guard let name else { throw OAuthRefusal("unsupported_grant_type", "grant type not supported") }
        let isStrict = org.options.strictGrants
        let hasVerifier = name == "authorization_code" && form["code_verifier"] != nil
        let client = try context.tokens.client(
            form,
            needsSecret: name == "client_credentials"
                || (isStrict && !["refresh_token", "device"].contains(name) && !hasVerifier))
        try checkGrant(name, of: client)
        let isHybrid = TokenIssuer.isHybrid(grant)
        switch name {
        case "password": return try passwordGrant(client)
        case "refresh_token": return try refreshGrant(client, isHybrid: isHybrid)
        case "device": return try deviceGrant(client)
        case "authorization_code": return try codeGrant(client, isHybrid: isHybrid)
        default:
            return granted(
                TokenRegister.Grant(
                    userId: org.definition.caller.id, clientId: client.id, scope: "api", issued: org.clock.now))
        }
    }

    /// Returns the name of a grant type in the lists of clients' grants.
    private static func shortName(_ grant: String) -> String? {
        switch grant {
        case "password", "client_credentials", "device": grant
        case "refresh_token", "hybrid_refresh": "refresh_token"
        case "authorization_code", "hybrid_auth_code": "authorization_code"
        default: nil
        }
    }

    private func checkGrant(_ grant: String, of client: OrgDefinition.Client) throws {
        guard client.grants.isEmpty || client.grants.contains(grant) else {
            throw OAuthRefusal("unauthorized_client", "this client may not use the grant type \(grant)")
        }
    }

    // MARK: Grant types

    private func passwordGrant(_ client: OrgDefinition.Client) throws -> OrgAnswer {
        guard let username = form["username"], let password = form["password"] else {
            throw OAuthRefusal("invalid_request", "missing username or password")
        }
        guard let user = context.users.user(named: username, password: password) else {
            throw OAuthRefusal("invalid_grant", "authentication failure - Invalid Password")
        }
        let grant = TokenRegister.Grant(
            userId: user.id, clientId: client.id, scope: TokenIssuer.scope(form["scope"]), issued: org.clock.now)
        let wantsRefresh = Self.scope(form["scope"], contains: "refresh_token")
        return granted(grant, refreshToken: wantsRefresh ? org.tokens.makeRefreshToken(grant) : nil, isShown: true)
    }

    private func refreshGrant(_ client: OrgDefinition.Client, isHybrid: Bool) throws -> OrgAnswer {
        guard var token = form["refresh_token"], var grant = org.tokens.grant(ofRefreshToken: token),
            grant.clientId == client.id, org.definition.users.contains(where: { $0.id == grant.userId })
        else { throw OAuthRefusal("invalid_grant", "expired access/refresh token") }
        if let url = context.faults.instanceURL { org.options.instanceURL = url }
        let rotates = org.options.rotatesRefreshTokens
        if rotates, let fresh = org.tokens.rotate(token) { token = fresh }
        grant.issued = org.clock.now
        return granted(grant, refreshToken: token, isShown: rotates, isHybrid: isHybrid)
    }

    private func codeGrant(_ client: OrgDefinition.Client, isHybrid: Bool) throws -> OrgAnswer {
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
        let refresh =
            Self.scope(grant.scope, contains: "refresh_token") ? org.tokens.makeRefreshToken(grant) : nil
        return granted(grant, refreshToken: refresh, isShown: true, isHybrid: isHybrid)
    }

    /// Issues the codes for a login on another device.
    private func deviceCode() throws -> OrgAnswer {
        let client = try context.tokens.client(form, needsSecret: false)
        try checkGrant("device", of: client)
        // The number of the text makes the code unique; the user types only these characters.
        let text = org.tokens.nextText()
        let digits = text.uppercased().filter { $0.isLetter || $0.isNumber }
        let userCode = String(digits.suffix(8))
        let code = "device.\(text)"
        org.deviceCodes.keep(
            DeviceCodes.Code(
                userCode: userCode, clientId: client.id, scope: TokenIssuer.scope(form["scope"]), issued: org.clock.now),
            as: code)
        return OrgAnswer(
            [
                "device_code": .string(code), "user_code": .string(userCode), "interval": .int(DeviceCodes.interval),
                "verification_uri": .string("\(org.options.instanceURL)/setup/connect"),
            ], headers: [("Cache-Control", "no-cache, no-store")])
    }

    private func deviceGrant(_ client: OrgDefinition.Client) throws -> OrgAnswer {
        guard let code = form["code"] else { throw OAuthRefusal("invalid_request", "missing code") }
        var grant = try org.deviceCodes.redeem(code, client: client.id, now: org.clock.now)
        grant.issued = org.clock.now
        let refresh = Self.scope(grant.scope, contains: "refresh_token") ? org.tokens.makeRefreshToken(grant) : nil
        return granted(grant, refreshToken: refresh, isShown: true)
    }

    private func assertionGrant() throws -> OrgAnswer {
        guard let text = form["assertion"] else { throw OAuthRefusal("invalid_request", "missing assertion") }
        guard let assertion = BearerAssertion(text) else { throw OAuthRefusal("invalid_grant", "invalid assertion") }
        guard let client = org.definition.clients.first(where: { $0.id == assertion.issuer }) else {
            throw OAuthRefusal("invalid_client_id", "client identifier invalid")
        }
        try checkGrant("jwt", of: client)
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
        guard let user = context.users.user(named: assertion.subject) else {
            throw OAuthRefusal("invalid_grant", "user hasn't approved this consumer")
        }
        return granted(
            TokenRegister.Grant(userId: user.id, clientId: client.id, scope: "api", issued: org.clock.now))
    }

    // MARK: Responses

    private static func scope(_ scope: String?, contains word: String) -> Bool {
        (scope ?? "").utf8.split { $0 == 0x20 || $0 == UInt8(ascii: ",") }.contains { $0.elementsEqual(word.utf8) }
    }

    private func granted(
        _ grant: TokenRegister.Grant, refreshToken: String? = nil, isShown: Bool = false, isHybrid: Bool = false
    ) -> OrgAnswer {
        let body = context.tokens.issue(
            grant, refreshToken: refreshToken, showsRefreshToken: isShown, isHybrid: isHybrid)
        return OrgAnswer(.object(body), headers: [("Cache-Control", "no-cache, no-store")])
    }
}

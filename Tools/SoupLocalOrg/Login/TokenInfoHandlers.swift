// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/services/oauth2/revoke`: ends a token.
struct RevokeHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    func revoke() throws -> OrgAnswer {
        guard context.org.tokens.revoke(OAuthForm(request)["token"] ?? "") else {
            throw OAuthRefusal("unsupported_token_type", "this token is not known")
        }
        return OrgAnswer(200)
    }
}

/// Answers `/services/oauth2/introspect`: reports the properties of a token to its client.
struct IntrospectHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    func introspect() throws -> OrgAnswer {
        let org = context.org
        let form = OAuthForm(request)
        _ = try context.tokens.client(form, needsSecret: true)
        let token = form["token"] ?? ""
        let access = org.tokens.access(token, now: org.clock.now)
        guard let grant = access?.grant ?? org.tokens.grant(ofRefreshToken: token),
            let user = org.definition.users.first(where: { $0.id == grant.userId })
        else { return OrgAnswer(["active": false]) }
        var body: JSONObject = [
            "active": true, "scope": .string(grant.scope), "client_id": .string(grant.clientId),
            "username": .string(user.username), "sub": .string(context.users.identityURL(of: user)),
            "token_type": access == nil ? "refresh_token" : "access_token", "iat": .int(grant.issued / 1000),
            "nbf": .int(grant.issued / 1000),
        ]
        if let expires = access?.expires { body["exp"] = .int(expires / 1000) }
        return OrgAnswer(.object(body))
    }
}

/// Answers `/services/oauth2/userinfo`: the user of the token, in the form of OpenID.
struct UserInfoHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    func info() throws -> OrgAnswer {
        guard !context.faults.hasBadOAuthToken, let user = context.users.bearer(of: request) else {
            return .badOAuthToken
        }
        return OrgAnswer(context.users.info(of: user))
    }
}

/// Answers `/services/oauth2/singleaccess`: a URL that would open a browser in which the token's user is logged in.
struct SingleAccessHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    func url() throws -> OrgAnswer {
        guard !context.faults.hasBadOAuthToken, context.users.bearer(of: request) != nil,
            let token = request.bearerToken
        else {
            return .badOAuthToken
        }
        let target = OAuthForm(request)["redirect_uri"] ?? "/"
        let url = "\(context.org.options.instanceURL)/secur/frontdoor.jsp"
        return OrgAnswer([
            "frontdoor_uri": .string("\(url)?otp=\(URLText.segment(token))&startURL=\(URLText.segment(target))")
        ])
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Issues access tokens, and finds the client of a request.
struct TokenIssuer {
    let context: OrgContext

    /// Returns the client of a request, from the form or from a Basic header.
    ///
    /// A secret in the request must be right; it may be absent unless `needsSecret` is set.
    func client(_ form: OAuthForm, needsSecret: Bool) throws -> OrgDefinition.Client {
        let id = form["client_id"] ?? form.basic?.user
        guard let client = context.org.definition.clients.first(where: { $0.id == id }) else {
            throw OAuthRefusal("invalid_client_id", "client identifier invalid")
        }
        let secret = form["client_secret"] ?? form.basic?.password
        if let known = client.secret, secret != known, needsSecret || secret != nil {
            throw OAuthRefusal("invalid_client", "invalid client credentials")
        }
        return client
    }

    /// Issues an access token and returns the members of the response.
    func issue(
        _ grant: TokenRegister.Grant, refreshToken: String?, showsRefreshToken: Bool, isHybrid: Bool
    ) -> JSONObject {
        let org = context.org
        let token = org.tokens.makeAccessToken(
            grant, org: org.definition.orgId, refreshToken: refreshToken, expires: expiry, now: org.clock.now)
        let user = org.definition.users.first { $0.id == grant.userId } ?? org.definition.caller
        var body: JSONObject = [
            "access_token": .string(token), "instance_url": .string(org.options.instanceURL),
            "id": .string(context.users.identityURL(of: user)), "token_type": "Bearer",
            "issued_at": .string(String(org.clock.now)), "signature": "bG9jYWwtb3JnLXNpZ25hdHVyZQ==",
            "scope": .string(grant.scope),
        ]
        if showsRefreshToken, let refreshToken { body["refresh_token"] = .string(refreshToken) }
        if isHybrid { for (key, value) in browserSessions(token).members { body[key] = value } }
        return body
    }

    /// When a token that is issued now expires; nil for never.
    var expiry: Int64? { context.org.options.tokenLifetime.map { context.org.clock.now.plus($0.milliseconds) } }

    /// Returns whether a grant type, or a response type, asks for the sessions of a browser inside an app too.
    static func isHybrid(_ type: String?) -> Bool { type?.hasPrefix("hybrid_") ?? false }

    /// Returns the scope of a grant; by default that of a mobile app.
    static func scope(_ wanted: String?) -> String {
        let wanted = wanted ?? ""
        return wanted.isEmpty ? "api refresh_token" : wanted
    }

    /// Returns the sessions that a browser inside an app needs: one for each domain of the instance.
    ///
    /// The sessions can only be stored and compared: the org serves no pages.
    private func browserSessions(_ token: String) -> JSONObject {
        let org = context.org
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
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The users of the org, and the facts that the API reports of them.
struct UserDirectory {
    let context: OrgContext

    func identityURL(of user: OrgDefinition.User) -> String {
        "\(context.org.options.instanceURL)/id/\(context.org.definition.orgId)/\(user.id)"
    }

    /// Returns the user of a request's access token and makes it the caller; nil for a missing or invalid token.
    func bearer(of request: OrgRequest) -> OrgDefinition.User? {
        let org = context.org
        guard let token = request.bearerToken, let id = org.tokens.user(of: token, now: org.clock.now) else {
            return nil
        }
        context.userId = id
        return org.definition.users.first { $0.id == id }
    }

    /// Returns the user with a name and a password; the password may be followed by the security token.
    func user(named username: String, password: String) -> OrgDefinition.User? {
        guard let user = user(named: username) else { return nil }
        return password == user.password || password == user.password + user.securityToken ? user : nil
    }

    func user(named username: String) -> OrgDefinition.User? {
        context.org.definition.users.first { $0.username.lowercased() == username.lowercased() }
    }

    /// Returns the properties of a user, in the form of OpenID.
    func info(of user: OrgDefinition.User) -> JSONValue {
        let org = context.org
        let picture = "\(org.options.instanceURL)/img/userprofile/default_profile_200_v2.png"
        let zone = org.options.userTimeZone
        return [
            "sub": .string(identityURL(of: user)), "user_id": .string(user.id),
            "organization_id": .string(org.definition.orgId), "preferred_username": .string(user.username),
            "nickname": .string(user.key), "name": .string(user.name), "email": .string(user.email),
            "email_verified": true, "given_name": user.firstName.map { .string($0) } ?? .null,
            "family_name": .string(user.lastName), "zoneinfo": .string(zone == "UTC" ? "GMT" : zone),
            "photos": ["picture": .string(picture), "thumbnail": .string(picture)],
            "profile": .string("\(org.options.instanceURL)/\(user.id)"), "picture": .string(picture), "address": [:],
            "urls": .object(urls(of: user)), "active": true, "user_type": "STANDARD", "language": "en_US",
            "locale": "en_US", "utcOffset": .int(OrgZone(zone).offset(at: org.clock.now)),
            "updated_at": .string(DateText.format(org.definition.stamp)),
            "is_app_installed": true,
        ]
    }

    /// Returns the URLs of the APIs; `{version}` in them is literal.
    private func urls(of user: OrgDefinition.User) -> JSONObject {
        let org = context.org
        let instance = org.options.instanceURL
        let rest = "\(instance)/services/data/v{version}/"
        var urls: JSONObject = [
            "enterprise": .string("\(instance)/services/Soap/c/{version}/\(org.definition.orgId)"),
            "metadata": .string("\(instance)/services/Soap/m/{version}/\(org.definition.orgId)"),
            "partner": .string("\(instance)/services/Soap/u/{version}/\(org.definition.orgId)"),
            "rest": .string(rest), "profile": .string("\(instance)/\(user.id)"),
            "custom_domain": .string(instance),
        ]
        for name in ["sobjects", "search", "query", "recent"] { urls[name] = .string("\(rest)\(name)/") }
        urls["tooling_soap"] = .string("\(instance)/services/Soap/T/{version}/\(org.definition.orgId)")
        urls["tooling_rest"] = .string("\(rest)tooling/")
        return urls
    }
}

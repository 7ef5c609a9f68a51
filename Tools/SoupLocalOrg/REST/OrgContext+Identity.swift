// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgAnswer {
    /// What a token that is not valid gets where no version is named: plain text, which clients look for.
    static let badOAuthToken = OrgAnswer(
        403, body: Array("Bad_OAuth_Token".utf8), contentType: "text/html;charset=UTF-8")
}

extension OrgContext {
    func identityURL(_ user: OrgDefinition.User) -> String {
        "\(org.options.instanceURL)/id/\(org.definition.orgId)/\(user.id)"
    }

    /// Who is logged in, as OpenID words it.
    func userInfo(_ user: OrgDefinition.User) -> JSONValue {
        let picture = "\(org.options.instanceURL)/img/userprofile/default_profile_200_v2.png"
        let zone = org.options.userTimeZone
        return [
            "sub": .string(identityURL(user)), "user_id": .string(user.id),
            "organization_id": .string(org.definition.orgId), "preferred_username": .string(user.username),
            "nickname": .string(user.key), "name": .string(user.name), "email": .string(user.email),
            "email_verified": true, "given_name": user.firstName.map { .string($0) } ?? .null,
            "family_name": .string(user.lastName), "zoneinfo": .string(zone == "UTC" ? "GMT" : zone),
            "photos": ["picture": .string(picture), "thumbnail": .string(picture)],
            "profile": .string("\(org.options.instanceURL)/\(user.id)"), "picture": .string(picture), "address": [:],
            "urls": .object(urls(user)), "active": true, "user_type": "STANDARD", "language": "en_US",
            "locale": "en_US", "utcOffset": .int(OrgZone(zone).offset(at: org.clock.now)),
            "updated_at": .string(Timestamp.format(org.definition.stamp)),
            "is_app_installed": true,
        ]
    }

    /// The identity of a user, for who brings a token of the org.
    func identity(_ request: OrgRequest) -> OrgAnswer {
        guard let token = Self.token(of: request), org.tokens.user(of: token, now: org.clock.now) != nil else {
            return .badOAuthToken
        }
        let (orgId, id) = (RecordID.normalized(request.segments[1]), RecordID.normalized(request.segments[2]))
        func refusal(_ status: Int, _ text: String) -> OrgAnswer {
            OrgAnswer(status, body: Array(text.utf8), contentType: "text/html;charset=UTF-8")
        }
        guard orgId == org.definition.orgId else { return refusal(403, "Wrong_Org") }
        guard let user = org.definition.users.first(where: { $0.id == id }) else { return refusal(404, "Bad_Id") }
        let info = userInfo(user).objectValue ?? [:]
        func value(_ name: String) -> JSONValue { info[name] ?? .null }
        return OrgAnswer([
            "id": value("sub"), "asserted_user": true, "user_id": value("user_id"),
            "organization_id": value("organization_id"), "username": value("preferred_username"),
            "nick_name": value("nickname"), "display_name": value("name"), "email": value("email"),
            "email_verified": true, "first_name": value("given_name"), "last_name": value("family_name"),
            "timezone": value("zoneinfo"), "photos": value("photos"), "addr_street": nil, "addr_city": nil,
            "addr_state": nil, "addr_country": nil, "addr_zip": nil, "mobile_phone": nil,
            "mobile_phone_verified": false, "is_lightning_login_user": false,
            "status": ["created_date": nil, "body": nil], "urls": value("urls"), "active": true,
            "user_type": value("user_type"), "language": value("language"), "locale": value("locale"),
            "utcOffset": value("utcOffset"), "last_modified_date": value("updated_at"), "is_app_installed": true,
            "mobile_policy": ["screen_lock": 0, "pin_length": 0], "custom_attributes": [:],
        ])
    }

    private func urls(_ user: OrgDefinition.User) -> JSONObject {
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

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/id/{organization}/{user}`: the identity of a user, for callers with a valid token of the org.
struct IdentityHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    func identity() throws -> OrgAnswer {
        let org = context.org
        guard let token = request.bearerToken, org.tokens.user(of: token, now: org.clock.now) != nil else {
            return .badOAuthToken
        }
        let (orgId, id) = (RecordID.normalized(request.path["organization"]), RecordID.normalized(request.path["user"]))
        func refusal(_ status: Int, _ text: String) -> OrgAnswer {
            OrgAnswer(status, body: Array(text.utf8), contentType: "text/html;charset=UTF-8")
        }
        guard orgId == org.definition.orgId else { return refusal(403, "Wrong_Org") }
        guard let user = org.definition.users.first(where: { $0.id == id }) else { return refusal(404, "Bad_Id") }
        let info = context.users.info(of: user).objectValue ?? [:]
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
}

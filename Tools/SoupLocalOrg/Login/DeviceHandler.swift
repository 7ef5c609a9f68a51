// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/setup/connect` as the page on which a user enters the code of another device, and agrees.
///
/// The parameter `login_hint` names the user; with `deny=true` the user refuses.
struct DeviceHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    func connect() throws -> OrgAnswer {
        let org = context.org
        let form = OAuthForm(request)
        let user = form["login_hint"].map { context.users.user(named: $0) } ?? org.definition.caller
        guard let user else { return Self.page(400, "login_hint names no user of this org.") }
        let denies = form["deny"] == "true"
        let now = org.clock.now
        let isKnown = org.deviceCodes.decide(
            form["user_code"] ?? "",
            { code in
                denies
                    ? .denied
                    : .approved(
                        TokenRegister.Grant(userId: user.id, clientId: code.clientId, scope: code.scope, issued: now))
            }, now: now)
        guard isKnown else { return Self.page(400, "This code is not known, or was already used.") }
        return Self.page(200, denies ? "Access was denied." : "Access was allowed for \(user.username).")
    }

    private static func page(_ status: Int, _ text: String) -> OrgAnswer {
        OrgAnswer(status, body: Array((text + "\n").utf8), contentType: "text/plain;charset=UTF-8")
    }
}

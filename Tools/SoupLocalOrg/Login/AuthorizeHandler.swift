// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/services/oauth2/authorize` as a login page whose user has already agreed: it redirects the browser with a
/// code or a token.
struct AuthorizeHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    func authorize() throws -> OrgAnswer {
        let org = context.org
        let form = OAuthForm(request)
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
        let user = wanted.map { context.users.user(named: $0) } ?? org.definition.caller
        guard let user else {
            let names = org.definition.users.map(\.username).joined(separator: ", ")
            throw OAuthRefusal("invalid_request", "login_hint names no user of this org; there are \(names)")
        }
        let grant = TokenRegister.Grant(
            userId: user.id, clientId: client.id, scope: TokenIssuer.scope(form["scope"]), issued: org.clock.now)
        var parameters: [(String, String)]
        let type = form["response_type"]
        switch type {
        case "code", "hybrid_auth_code": parameters = [("code", try code(for: grant, redirect: redirect, form))]
        case "token", "hybrid_token":
            let refresh = grant.scope.contains("refresh_token") ? org.tokens.makeRefreshToken(grant) : nil
            let granted = context.tokens.issue(
                grant, refreshToken: refresh, showsRefreshToken: true, isHybrid: TokenIssuer.isHybrid(type))
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

    /// Returns a new authorization code.
    private func code(for grant: TokenRegister.Grant, redirect: String, _ form: OAuthForm) throws -> String {
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
        let code = "aPrx\(context.org.tokens.nextText())"
        context.org.codes.keep(
            AuthorizationCodes.Code(
                grant: grant, redirect: redirect, challenge: form["code_challenge"], isHashed: isHashed),
            as: code)
        return code
    }

    /// Returns whether a text is a URL, of any scheme, that can be sent in a header.
    private static func isLocation(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return false }
        return bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F } && !bytes.contains(UInt8(ascii: "#"))
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupCore
import Testing

/// The login flows, and the use of tokens.
@Suite struct LoginTests {
    private let client: OrgClient

    init() throws {
        var options = OrgOptions()
        options.instanceURL = "https://org.example"
        client = try OrgClient(
            OrgSeed(
                json: Array(
                    #"""
                    {"freeze": "2024-01-15T12:05:00Z",
                     "users": [{"key": "me", "username": "demo@example.org", "password": "demo", "name": "Ana Ng"},
                       {"key": "other", "username": "other@example.org", "password": "pw", "securityToken": "S1"}],
                     "clients": [{"id": "emu-client", "secret": "emu-secret", "publicKey": "KEY"},
                       {"id": "narrow", "grants": ["jwt"]}]}
                    """#.replacing("KEY", with: SignedLogins.publicKey.replacing("\n", with: #"\n"#)).utf8)),
            options: options)
    }

    private func post(_ path: String, _ form: [(String, String)], headers: HTTPFields = [:]) async throws -> HTTPAnswer
    {
        let text = form.map { "\($0.0)=\(URLText.segment($0.1))" }.joined(separator: "&")
        return try await client.org.respond(
            to: HTTPRequest(method: .post, scheme: nil, authority: nil, path: path, headerFields: headers),
            body: Array(text.utf8))
    }

    private func token(_ grant: String, _ form: (String, String)...) async throws -> JSONValue {
        let ids = form.contains { $0.0 == "client_id" } ? [] : [("client_id", "emu-client")]
        let answer = try await post("/services/oauth2/token", [("grant_type", grant)] + ids + form)
        let json = try JSONValue(parsing: answer.body)
        #expect((answer.status == 200) == (json.error == nil), "\(answer.status) \(json)")
        return json
    }

    private func refusal(_ json: JSONValue) -> String {
        "\(json.error?.stringValue ?? ""): \(json.error_description?.stringValue ?? "")"
    }

    /// Returns the user of a token, or the status of the error.
    private func user(_ token: JSONValue?, _ path: String = "/services/oauth2/userinfo") async throws -> String {
        let answer = try await client.org.respond(
            to: HTTPRequest(
                method: .get, scheme: nil, authority: nil, path: path,
                headerFields: [.authorization: "Bearer \(token?.stringValue ?? "")"]))
        guard answer.status == 200 else { return "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))" }
        let info = try JSONValue(parsing: answer.body)
        return info.preferred_username?.stringValue ?? info.username?.stringValue ?? "?"
    }

    @Test func `A password may have its security token`() async throws {
        let plain = try await token("password", ("username", "Other@Example.org"), ("password", "pw"))
        #expect(try await user(plain.access_token) == "other@example.org")
        #expect(plain.instance_url == "https://org.example" && plain.refresh_token == nil)
        #expect(plain.id?.stringValue == "https://org.example/id/00D000000000001EAA/005000000000002AAA")
        #expect(plain.issued_at == "1705320300000" && plain.token_type == "Bearer")
        let long = try await token("password", ("username", "other@example.org"), ("password", "pwS1"))
        #expect(try await user(long.access_token) == "other@example.org")
        for wrong in ["pwS", "pwS12", "S1", "", "pw "] {
            let json = try await token("password", ("username", "other@example.org"), ("password", wrong))
            #expect(refusal(json) == "invalid_grant: authentication failure - Invalid Password")
        }
    }

    @Test func `A refresh token lasts and may rotate`() async throws {
        let first = try await token(
            "password", ("username", "other@example.org"), ("password", "pw"), ("scope", "api refresh_token"))
        let refresh = try #require(first.refresh_token?.stringValue)
        client.org.expireTokens()
        #expect(try await user(first.access_token) == "403 Bad_OAuth_Token")
        let second = try await token("refresh_token", ("refresh_token", refresh), ("format", "json"))
        #expect(second.refresh_token == nil)
        #expect(try await user(second.access_token) == "other@example.org")
        client.org.setOptions { $0.rotatesRefreshTokens = true }
        let third = try await token("hybrid_refresh", ("refresh_token", refresh))
        let fresh = try #require(third.refresh_token?.stringValue)
        #expect(fresh != refresh)
        #expect(
            refusal(try await token("refresh_token", ("refresh_token", refresh)))
                == "invalid_grant: expired access/refresh token")
        // The end of a refresh token ends all tokens that came from it, and those before it.
        #expect(try await post("/services/oauth2/revoke", [("token", fresh)]).status == 200)
        for old in [second, third] { #expect(try await user(old.access_token) == "403 Bad_OAuth_Token") }
        #expect(try await post("/services/oauth2/revoke", [("token", fresh)]).status == 400)
    }

    @Test func `A hybrid grant returns browser sessions`() async throws {
        let keys: Set = [
            "api_instance_url", "lightning_domain", "lightning_sid", "visualforce_domain", "visualforce_sid",
            "content_domain", "content_sid", "csrf_token", "parent_sid", "sidCookieName", "cookie-clientSrc",
            "cookie-sid_Client",
        ]
        let first = try await token(
            "password", ("username", "other@example.org"), ("password", "pw"), ("scope", "api refresh_token"))
        #expect(keys.isDisjoint(with: first.objectValue?.keys ?? []))
        let refresh = first.refresh_token?.stringValue ?? ""
        let plain = try await token("refresh_token", ("refresh_token", refresh))
        #expect(keys.isDisjoint(with: plain.objectValue?.keys ?? []))
        let hybrid = try await token("hybrid_refresh", ("refresh_token", refresh))
        #expect(keys.isSubset(of: hybrid.objectValue?.keys ?? []))
        #expect(hybrid.lightning_domain == "org.example" && hybrid.api_instance_url == "https://org.example")
        #expect(hybrid.parent_sid == hybrid.access_token && hybrid.sidCookieName == "sid")
        let sessions = ["lightning_sid", "visualforce_sid", "content_sid", "csrf_token"].map { hybrid[$0]?.stringValue }
        #expect(Set(sessions).count == 4)
        // These tokens cannot be used for the API.
        for session in sessions { #expect(try await user(session.map { .string($0) }) == "403 Bad_OAuth_Token") }
        let code = try await self.code("scope=api")
        let bought = try await token("hybrid_auth_code", ("code", code), ("redirect_uri", "app://back?a=1"))
        #expect(keys.isSubset(of: bought.objectValue?.keys ?? []))
        let hidden = try await authorize("response_type=hybrid_token").response.headerFields[.location] ?? ""
        #expect(hidden.contains("&lightning_sid=00D") && hidden.contains("&lightning_domain=org.example&"))
    }

    @Test func `A client must be known and have the grant`() async throws {
        #expect(
            refusal(try await token("password", ("client_id", "x"))) == "invalid_client_id: client identifier invalid")
        #expect(
            refusal(try await token("client_credentials", ("client_secret", "no")))
                == "invalid_client: invalid client credentials")
        #expect(
            refusal(try await token("client_credentials")) == "invalid_client: invalid client credentials")
        #expect(refusal(try await token("refresh_token", ("client_id", "narrow"))).hasPrefix("unauthorized_client"))
        #expect(refusal(try await token("telepathy")) == "unsupported_grant_type: grant type not supported")
        #expect(
            refusal(try JSONValue(parsing: try await post("/services/oauth2/token", []).body))
                .hasPrefix("invalid_request"))
        let basic = try await post(
            "/services/oauth2/token", [("grant_type", "client_credentials")],
            headers: [.authorization: "Basic ZW11LWNsaWVudDplbXUtc2VjcmV0"])
        #expect(try await user(try JSONValue(parsing: basic.body).access_token) == "demo@example.org")
        let password = [("username", "demo@example.org"), ("password", "demo")]
        #expect(try await token("password", password[0], password[1]).access_token != nil)
        client.org.setOptions { $0.strictGrants = true }
        #expect(refusal(try await token("password", password[0], password[1])).hasPrefix("invalid_client:"))
        #expect(try await token("password", password[0], password[1], ("client_secret", "emu-secret")).error == nil)
    }

    // MARK: Codes

    private let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    private func authorize(_ query: String) async throws -> HTTPAnswer {
        try await client.org.respond(
            to: HTTPRequest(
                method: .get, scheme: nil, authority: nil,
                path: "/services/oauth2/authorize?client_id=emu-client&redirect_uri=app%3A%2F%2Fback%3Fa%3D1&\(query)"))
    }

    private func code(_ query: String) async throws -> String {
        let answer = try await authorize("response_type=code&\(query)")
        let location = answer.response.headerFields[.location] ?? ""
        #expect(answer.status == 302 && location.hasPrefix("app://back?a=1&code="))
        return String(location.dropFirst("app://back?a=1&code=".count).prefix { $0 != "&" })
    }

    @Test func `A code can be redeemed once`() async throws {
        let code = try await code(
            "login_hint=other%40example.org&state=a%26b&code_challenge=\(challenge)&code_challenge_method=S256")
        let back = ("redirect_uri", "app://back?a=1")
        #expect(
            refusal(try await token("authorization_code", ("code", "x"), back))
                == "invalid_grant: invalid authorization code")
        let bought = try await token("hybrid_auth_code", ("code", code), back, ("code_verifier", verifier))
        #expect(try await user(bought.access_token) == "other@example.org")
        #expect(
            try await token("refresh_token", ("refresh_token", bought.refresh_token?.stringValue ?? "")).error == nil)
        #expect(
            refusal(try await token("authorization_code", ("code", code), back, ("code_verifier", verifier)))
                == "invalid_grant: expired authorization code")
        let late = try await self.code("scope=api")
        client.org.advanceClock(by: .milliseconds(900_000))
        #expect(
            refusal(try await token("authorization_code", ("code", late), back))
                == "invalid_grant: expired authorization code")
    }

    @Test func `The login page redirects the browser`() async throws {
        let hidden = try await authorize("response_type=token&state=s")
        let location = hidden.response.headerFields[.location] ?? ""
        #expect(location.hasPrefix("app://back?a=1#access_token=00D") && location.hasSuffix("&state=s"))
        #expect(
            location.contains("&instance_url=https%3A%2F%2Forg.example&") && location.contains("&refresh_token=5Aep"))
        #expect(try await authorize("response_type=x").status == 400)
        for redirect in ["", "relative", "app://a%0D%0ASet-Cookie:%20x", "app://a%23b"] {
            let answer = try await client.org.respond(
                to: HTTPRequest(
                    method: .get, scheme: nil, authority: nil,
                    path: "/services/oauth2/authorize?client_id=emu-client&response_type=code&redirect_uri=\(redirect)")
            )
            #expect(answer.status == 400 && answer.response.headerFields[.location] == nil, "\(redirect)")
        }
    }

    // MARK: Signed logins

    private func assertion(_ text: String) async throws -> JSONValue {
        try JSONValue(
            parsing: try await post(
                "/services/oauth2/token",
                [("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", text)]
            ).body)
    }

    private func unsigned(_ claims: String) -> String {
        func part(_ text: String) -> String { Data64.text(Array(text.utf8)) }
        return "\(part(#"{"alg":"RS256"}"#)).\(part(claims)).c2ln"
    }

    @Test func `A signed login is read or checked`() async throws {
        #expect(try await user(assertion(SignedLogins.byAnother).access_token) == "other@example.org")
        let now = client.org.now.millisecondsSince1970 / 1000
        func claims(_ expires: Int64, user: String = "demo@example.org", issuer: String = "narrow") -> String {
            #"{"iss":"\#(issuer)","sub":"\#(user)","aud":"x","exp":\#(expires)}"#
        }
        #expect(try await user(assertion(unsigned(claims(now))).access_token) == "demo@example.org")
        #expect(try await assertion(unsigned(claims(now - 299))).access_token != nil)
        #expect(
            refusal(try await assertion(unsigned(claims(now - 301)))) == "invalid_grant: expired authorization code")
        #expect(
            refusal(try await assertion(unsigned(claims(now, user: "unknown"))))
                == "invalid_grant: user hasn't approved this consumer")
        #expect(
            refusal(try await assertion(unsigned(claims(now, user: "demo@example.org", issuer: "x"))))
                == "invalid_client_id: client identifier invalid")
        for bad in ["", "a.b", "a.b.c", "\(unsigned("{}"))", "e30.e30.e30", "🎈.🎈.🎈"] {
            #expect(refusal(try await assertion(bad)) == "invalid_grant: invalid assertion", "\(bad)")
        }
    }

    #if TLS
        @Test func `Strict servers check the signature`() async throws {
            client.org.setOptions { $0.strictGrants = true }
            #expect(try await user(assertion(SignedLogins.good).access_token) == "other@example.org")
            #expect(refusal(try await assertion(SignedLogins.byAnother)) == "invalid_grant: invalid assertion")
            #expect(refusal(try await assertion(SignedLogins.forAnother)) == "invalid_grant: audience is invalid")
            let now = client.org.now.millisecondsSince1970 / 1000 + 60
            let unsigned = unsigned(#"{"iss":"emu-client","sub":"demo@example.org","aud":"x","exp":\#(now)}"#)
            #expect(refusal(try await assertion(unsigned)) == "invalid_grant: invalid assertion")
        }
    #endif

    // MARK: Use of tokens

    @Test func `An identity needs a token`() async throws {
        let token = JSONValue.string(client.org.accessToken)
        let base = "/id/00D000000000001EAA/005"
        #expect(try await user(token, base + "000000000001AAA") == "demo@example.org")
        #expect(try await user(token, base + "000000000002") == "other@example.org")
        #expect(try await user(token, base + "000000000009AAA") == "404 Bad_Id")
        #expect(try await user(token, "/id/00D000000000002EAA/005000000000001AAA") == "403 Wrong_Org")
        #expect(try await user("bad", base + "000000000001AAA") == "403 Bad_OAuth_Token")
        #expect(try await user("bad") == "403 Bad_OAuth_Token")
    }

    @Test func `A token can be requested by the browser`() async throws {
        client.org.setOptions { $0.tokenLifetime = .milliseconds(60_000) }
        let bought = try await token("password", ("username", "demo@example.org"), ("password", "demo"))
        let text = try #require(bought.access_token?.stringValue)
        func introspect(_ token: String) async throws -> JSONValue {
            try JSONValue(
                parsing: try await post(
                    "/services/oauth2/introspect",
                    [("token", token), ("client_id", "emu-client"), ("client_secret", "emu-secret")]
                ).body)
        }
        let found = try await introspect(text)
        #expect(
            found == [
                "active": true, "scope": "api refresh_token", "client_id": "emu-client",
                "username": "demo@example.org",
                "sub": "https://org.example/id/00D000000000001EAA/005000000000001AAA",
                "token_type": "access_token", "iat": 1_705_320_300, "nbf": 1_705_320_300, "exp": 1_705_320_360,
            ])
        #expect(try await introspect(client.org.refreshToken).token_type == "refresh_token")
        let door = try await client.org.respond(
            to: HTTPRequest(
                method: .post, scheme: nil, authority: nil, path: "/services/oauth2/singleaccess?redirect_uri=%2Fhome",
                headerFields: [.authorization: "Bearer \(text)"]))
        #expect(
            try JSONValue(parsing: door.body).frontdoor_uri?.stringValue?
                .hasPrefix("https://org.example/secur/frontdoor.jsp?otp=00D") == true)
        client.org.advanceClock(by: .milliseconds(60_000))
        #expect(try await introspect(text) == ["active": false])
        #expect(try await post("/services/oauth2/introspect", [("client_id", "emu-client")]).status == 400)
        let late = try await client.org.respond(
            to: HTTPRequest(
                method: .get, scheme: nil, authority: nil, path: "/services/data/v60.0/limits",
                headerFields: [.authorization: "Bearer \(text)"]))
        #expect(late.status == 401)
        #expect(
            String(decoding: late.body, as: UTF8.self)
                == #"[{"message":"Session expired or invalid","errorCode":"INVALID_SESSION_ID"}]"#)
    }

    // MARK: SOAP

    private func soap(_ body: String, _ path: String = "/services/Soap/u/59.0") async throws -> (Int, String) {
        let answer = try await client.org.respond(
            to: HTTPRequest(method: .post, scheme: nil, authority: nil, path: path), body: Array(body.utf8))
        return (answer.status, String(decoding: answer.body, as: UTF8.self))
    }

    private func envelope(_ user: String, _ password: String, org: String = "") -> String {
        """
        <?xml version="1.0"?><env:Envelope xmlns:env="e"><env:Header>\(org)</env:Header><env:Body>
        <n1:login xmlns:n1="urn:partner.soap.sforce.com"><n1:username>\(user)</n1:username>
        <n1:password>\(password)</n1:password></n1:login></env:Body></env:Envelope>
        """
    }

    @Test func `The SOAP login has the same users`() async throws {
        let (status, text) = try await soap(envelope("other@example.org", "pw&#83;1"))
        #expect(status == 200)
        #expect(text.contains("<serverUrl>https://org.example/services/Soap/u/59.0/00D000000000001</serverUrl>"))
        #expect(text.contains("<userId>005000000000002AAA</userId>"))
        let session = text.firstRange(of: "<sessionId>").flatMap { start in
            text[start.upperBound...].firstIndex(of: "<").map { String(text[start.upperBound..<$0]) }
        }
        #expect(try await user(.string(session ?? "")) == "other@example.org")
        let right = "<n:organizationId>00D000000000001</n:organizationId>"
        #expect(try await soap(envelope("other@example.org", "pw", org: right)).0 == 200)
        for bad in [
            envelope("other@example.org", "no"), envelope("unknown", "pw"),
            envelope("other@example.org", "pw", org: "<n:organizationId>00D000000000009</n:organizationId>"),
        ] {
            let (status, text) = try await soap(bad)
            #expect(status == 500 && text.contains("<sf:exceptionCode>INVALID_LOGIN</sf:exceptionCode>"))
        }
        #expect(try await soap("<").0 == 500)
        #expect(try await soap(envelope("other@example.org", "pw"), "/services/Soap/u/9.0").0 == 500)
        #expect(try await soap(envelope("other@example.org", "pw"), "/services/Soap/x/59.0").0 == 404)
    }
}

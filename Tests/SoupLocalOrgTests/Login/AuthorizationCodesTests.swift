// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if TLS
    import HTTPTypes
    import SoupCore
    import Synchronization
    import Testing

    @testable import SoupLocalOrg

    /// The use of authorization codes: by which client, and how often.
    @Suite struct AuthorizationCodesTests {
        private let client: OrgClient
        private let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        private let challenge = "code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256"

        init() throws { client = try OrgClient() }

        private func send(_ method: HTTPRequest.Method, _ path: String, body: String = "") async throws -> HTTPAnswer {
            try await client.org.respond(
                to: HTTPRequest(method: method, scheme: nil, authority: nil, path: "/services/oauth2/\(path)"),
                body: Array(body.utf8))
        }

        private func code(_ query: String = "") async throws -> String {
            let answer = try await send(
                .get, "authorize?client_id=emu-client&redirect_uri=app%3A%2F%2Fback&response_type=code&\(query)")
            let location = try #require(answer.response.headerFields[.location])
            return String(location.dropFirst("app://back?code=".count))
        }

        /// Returns the result of the exchange of a code: "a token", or the error.
        private func bought(_ code: String, _ rest: String, redirect: String = "app%3A%2F%2Fback") async throws
            -> String
        {
            let form =
                "grant_type=authorization_code&client_id=emu-client&code=\(code)&redirect_uri=\(redirect)&\(rest)"
            let json = try JSONValue(parsing: try await send(.post, "token", body: form).body)
            return json.error_description?.stringValue ?? (json.access_token == nil ? "\(json)" : "a token")
        }

        @Test func `A login hint must name a user`() async throws {
            let answer = try await send(
                .get,
                "authorize?client_id=emu-client&redirect_uri=app%3A%2F%2Fback&response_type=code&login_hint=othr@example.org"
            )
            #expect(answer.status == 400)
            #expect(String(decoding: answer.body, as: UTF8.self).contains("demo@example.org"))
        }

        @Test func `Codes are limited in number`() throws {
            var codes = AuthorizationCodes()
            let grant = TokenRegister.Grant(userId: "u", clientId: "c")
            for number in 0..<(3 * AuthorizationCodes.maximum) {
                codes.keep(
                    .init(grant: grant, redirect: "a:b", challenge: nil, isHashed: false), as: "\(number)")
            }
            #expect(codes.count == AuthorizationCodes.maximum)
            let last = try codes.redeem(
                "\(3 * AuthorizationCodes.maximum - 1)", client: "c", redirect: "a:b", verifier: nil, now: 0)
            #expect(last.userId == "u")
        }

        @Test func `A wrong attempt ends a code`() async throws {
            let right = "code_verifier=\(verifier)"
            for (rest, redirect, message) in [
                ("code_verifier=no", "app%3A%2F%2Fback", "invalid code verifier"),
                ("", "app%3A%2F%2Fback", "invalid code verifier"),
                (right, "app%3A%2F%2Fother", "redirect_uri must match configuration"),
            ] {
                let code = try await code(challenge)
                #expect(try await bought(code, rest, redirect: redirect) == message)
                #expect(try await bought(code, right) == "expired authorization code")
            }
            #expect(try await bought(try await code(challenge), right) == "a token")
        }

        @Test func `A verifier needs a challenge`() async throws {
            #expect(try await bought(try await code(), "code_verifier=\(verifier)") == "invalid code verifier")
            #expect(try await bought(try await code(), "") == "a token")
        }

        @Test func `Strict grants require a secret without a verifier`() async throws {
            client.org.setOptions { $0.strictGrants = true }
            #expect(try await bought(try await code(), "") == "invalid client credentials")
            #expect(try await bought(try await code(), "client_secret=no") == "invalid client credentials")
            #expect(try await bought(try await code(), "client_secret=emu-secret") == "a token")
            #expect(try await bought(try await code(challenge), "code_verifier=\(verifier)") == "a token")
            #expect(try await bought(try await code(), "code_verifier=\(verifier)") == "invalid code verifier")
        }

        @Test func `Old codes are removed`() async throws {
            for _ in 0..<50 { _ = try await code() }
            #expect(client.org.core.withLock { $0.codes.count } == 50)
            client.org.advanceClock(by: .milliseconds(900_000))
            _ = try await code()
            #expect(client.org.core.withLock { $0.codes.count } == 1)
        }

        @Test func `Tokens and sessions begin with the org's ID`() async throws {
            let seed = try OrgSeed(
                json: Array(#"{"org": {"id": "00DX00000000007", "isSandbox": false}, "users": [{"key": "me"}]}"#.utf8))
            let org = try LocalOrg(seed: seed)
            #expect(org.accessToken.hasPrefix("00DX00000000007!"))
            let login = """
                <e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><login
                xmlns="urn:partner.soap.sforce.com"><username>demo@example.org</username><password>demo</password></login>
                </e:Body></e:Envelope>
                """
            let answer = try await org.respond(
                to: HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/services/Soap/u/59.0"),
                body: Array(login.utf8))
            #expect(answer.text.contains("<sandbox>false</sandbox>"))
            #expect(answer.text.contains("<sessionId>00DX00000000007!"))
            let hybrid = try await org.respond(
                to: HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/services/oauth2/token"),
                body: Array("grant_type=hybrid_refresh&client_id=emu-client&refresh_token=\(org.refreshToken)".utf8))
            let tokens = try JSONValue(parsing: hybrid.body)
            #expect(tokens.access_token?.stringValue?.hasPrefix("00DX00000000007!") == true)
            #expect(tokens.lightning_sid?.stringValue?.hasPrefix("00DX00000000007!") == true)
        }

        /// A rejected token request does not move the instance.
        @Test func `A granted refresh moves the instance`() async throws {
            client.org.setOptions { $0.instanceURL = "http://here" }
            client.org.add(OrgFault(.moveInstance("http://there"), count: 2))
            func refresh(_ token: String) async throws -> JSONValue {
                let form = "grant_type=refresh_token&client_id=emu-client&refresh_token=\(token)"
                return try JSONValue(parsing: try await send(.post, "token", body: form).body)
            }
            #expect(try await refresh("wrong").error == "invalid_grant")
            let identity = try await client.json(.get, "/services/data/v60.0")
            #expect(identity.identity?.stringValue?.hasPrefix("http://here/") == true)
            #expect(try await refresh(client.org.refreshToken).instance_url == "http://there")
            #expect(try await refresh(client.org.refreshToken).instance_url == "http://there")
        }
    }
#endif

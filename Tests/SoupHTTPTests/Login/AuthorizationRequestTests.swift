// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

@testable import SoupHTTP

@Suite struct AuthorizationRequestTests {
    private let request = AuthorizationRequest(
        authorizationURL: "https://login.example.com/authorize", clientId: "c 1", scope: "api refresh_token",
        state: "s1",
        proof: ProofKey(random: [UInt8](repeating: 1, count: 32)), parameters: [("login_hint", "a@example.com")])

    @Test func `The page has the state and the challenge`() {
        #expect(
            request.page(redirectURI: "http://127.0.0.1:5/callback")
                == "https://login.example.com/authorize?response_type=code&client_id=c%201"
                + "&redirect_uri=http%3A%2F%2F127.0.0.1%3A5%2Fcallback&state=s1"
                + "&code_challenge=\(request.proof.challenge)&code_challenge_method=S256"
                + "&scope=api%20refresh_token&login_hint=a%40example.com")
    }

    @Test func `The code of the right redirect is accepted`() throws {
        let redirect = LoginRedirect(redirectURI: "http://h/callback", url: "http://h/callback?code=a%2Bb&state=s1#x")
        #expect(try request.code(from: redirect) == "a+b")
    }

    @Test(arguments: [
        ("http://h/callback?code=a", "the redirect does not belong to this login: its state is missing"),
        (
            "http://h/callback?code=a&state=s2",
            "the redirect does not belong to this login: its state is not the requested one"
        ),
        (
            "http://h/callback?code=a&state=s",
            "the redirect does not belong to this login: its state is not the requested one"
        ),
        (
            "http://h/callback?error=access_denied&state=other",
            "the redirect does not belong to this login: its state is not the requested one"
        ),
        ("http://h/callback?code=a&code=b&state=s1", "the redirect contains a parameter twice"),
        ("http://h/callback?state=s1", "the redirect contains no code"),
        ("http://h/callback?code=&state=s1", "the redirect contains no code"),
        (
            "http://h/callback?error=access_denied&error_description=end-user+denied&state=s1",
            "access was denied: end-user denied"
        ),
        ("http://h/callback?error=server_error&state=s1", "the server refused the login: server_error"),
        ("http://h/other?code=a&state=s1", "the server redirected to another address than the requested one"),
        ("http://evil/callback?code=a&state=s1", "the server redirected to another address than the requested one"),
        ("http://h/callback", "the redirect does not belong to this login: its state is missing"),
    ])
    func `Other redirects are refused`(url: String, message: String) {
        let error = #expect(throws: SoupError.self) {
            try request.code(from: LoginRedirect(redirectURI: "http://h/callback", url: url))
        }
        #expect(error == SoupError(.loginFailed, message, hint: "Log in again."))
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import SoupHTTP
import SoupTesting
import Testing

@Suite struct OAuthLoginTests {
    private static let grant = OAuthGrant(
        tokenURL: "https://login.example.com/token", clientId: "c1", clientSecret: "very-secret", scope: "api",
        authorizationURL: "https://login.example.com/authorize", deviceURL: "https://login.example.com/device")

    private func login(
        _ transport: ScriptedTransport, _ grant: OAuthGrant = grant, form: OAuthLogin.DeviceForm = .standard,
        clock: any SoupClock = ManualClock.advancing()
    ) -> OAuthLogin {
        // The proof and the state differ.
        let calls = Recorder()
        return OAuthLogin(
            grant, deviceForm: form, over: transport, clock: clock,
            random: { [UInt8](repeating: UInt8(calls.note("random")), count: 32) })
    }

    // MARK: With a browser

    @Test func `The code is redeemed with the proof`() async throws {
        let verifier = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE"
        let transport = ScriptedTransport([
            .answer(
                to: "POST https://login.example.com/token grant_type=authorization_code&code=code-1"
                    + "&redirect_uri=http%3A%2F%2F127.0.0.1%3A7000%2Fcallback&code_verifier=\(verifier)"
                    + "&client_id=c1&client_secret=very-secret",
                #"{"access_token":"a1","refresh_token":"r1","expires_in":"3600","scope":"api","id":"x"}"#)
        ])
        let browser = ScriptedBrowser()
        let tokens = try await login(transport).tokens(with: browser, username: "ann@example.com")
        #expect(transport.violations == [])
        #expect(tokens.accessToken == "a1" && tokens.refreshToken == "r1" && tokens.lifetime == 3600)
        #expect(tokens.members["id"] == "x" && "\(tokens)" == "access token, refresh token")
        #expect(browser.pages.count == 1)
        #expect(browser.pages[0].contains("&code_challenge_method=S256"))
        #expect(browser.pages[0].hasSuffix("&scope=api&login_hint=ann%40example.com"))
        #expect(!browser.pages[0].contains(verifier) && !browser.pages[0].contains("very-secret"))
    }

    @Test func `A redirect with another state sends nothing`() async throws {
        let transport = ScriptedTransport([])
        let error = await #expect(throws: SoupError.self) {
            try await login(transport).tokens(with: ScriptedBrowser { _ in "code=stolen&state=other" })
        }
        #expect(error?.code == .loginFailed)
        #expect(transport.requests.isEmpty)
    }

    @Test func `Errors of the token endpoint contain no secret`() async throws {
        let transport = ScriptedTransport([
            .answer(status: 400, #"{"error":"invalid_grant","error_description":"code-1 of very-secret is used"}"#),
            .answer(status: 401, #"{"error":"invalid_client"}"#),
        ])
        let refused = await #expect(throws: SoupError.self) {
            try await login(transport).tokens(with: ScriptedBrowser())
        }
        #expect(refused == SoupError(.loginFailed, "the server refused the login: *** of *** is used"))
        let client = await #expect(throws: SoupError.self) {
            try await login(transport).tokens(with: ScriptedBrowser())
        }
        #expect(client?.hint == "Check the client ID, its secret, and the logins that the server allows it.")
    }

    @Test func `Texts of the server are on one line`() async throws {
        let text = #""access\nLogged in: root\u001b[2J""#
        let transport = ScriptedTransport([.answer(status: 400, #"{"error":"x","error_description":\#(text)}"#)])
        let refused = await #expect(throws: SoupError.self) {
            try await login(transport).tokens(with: ScriptedBrowser())
        }
        #expect(
            refused?.message == #"the server refused the login: access\u{A}Logged in: root\u{1B}[2J"#)
        let denied = await #expect(throws: SoupError.self) {
            try await login(transport).tokens(
                with: ScriptedBrowser { "error=access_denied&error_description=a%0ALogged+in&state=\($0)" })
        }
        #expect(denied?.message == #"access was denied: a\u{A}Logged in"#)
        #expect("Zoë \u{2028}\u{202E}x\ty".onOneLine == #"Zoë \u{2028}\u{202E}x\u{9}y"#)
    }

    @Test func `A grant without pages cannot log in`() async throws {
        let plain = OAuthGrant(tokenURL: "https://login.example.com/token", clientId: "c1")
        let transport = ScriptedTransport([])
        let browser = await #expect(throws: SoupError.self) {
            try await login(transport, plain).tokens(with: ScriptedBrowser())
        }
        #expect(browser?.code == .badConfiguration)
        let device = await #expect(throws: SoupError.self) { try await login(transport, plain).startOnDevice() }
        #expect(device?.code == .badConfiguration)
        #expect(transport.requests.isEmpty)
    }

    // MARK: On another device

    private static let started = ScriptedTransport.Step.answer(
        to: "POST https://login.example.com/device client_id=c1&client_secret=very-secret&scope=api",
        #"{"device_code":"dev-1","user_code":"ABCD","verification_uri":"https://login.example.com/d","interval":7,"expires_in":60}"#
    )
    private static let poll =
        "POST https://login.example.com/token grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code"
        + "&device_code=dev-1&client_id=c1&client_secret=very-secret"

    private static func refusal(_ code: String) -> ScriptedTransport.Step {
        .answer(to: poll, status: 400, #"{"error":"\#(code)","error_description":"\#(code) of dev-1"}"#)
    }

    /// Returns the outcome of a login, and the seconds between the requests.
    private func poll(_ steps: [ScriptedTransport.Step]) async throws -> (String, [Int64]) {
        let clock = ManualClock.advancing()
        let transport = ScriptedTransport([Self.started] + steps)
        let login = login(transport, clock: clock)
        let device = try await login.startOnDevice()
        #expect("\(device)" == "code ABCD at https://login.example.com/d")
        var outcome: String
        do {
            outcome = try await login.tokens(of: device).accessToken
        } catch let error as SoupError {
            #expect(error.code == .loginFailed)
            outcome = error.message
        }
        if !transport.violations.isEmpty { outcome += " \(transport.violations)" }
        return (outcome, clock.sleeps.map { $0.components.seconds })
    }

    @Test func `The client waits until the user agrees`() async throws {
        let tokens = ScriptedTransport.Step.answer(to: Self.poll, #"{"access_token":"a1"}"#)
        let pending = Self.refusal("authorization_pending")
        #expect(try await poll([pending, pending, tokens]) == ("a1", [7, 7, 7]))
        #expect(try await poll([Self.refusal("slow_down"), pending, tokens]) == ("a1", [7, 12, 12]))
        #expect(try await poll([.fail(to: Self.poll, .unknown), tokens]) == ("a1", [7, 14]))
        #expect(try await poll([.answer(to: Self.poll, status: 503, "busy"), tokens]) == ("a1", [7, 14]))
    }

    @Test func `A refusal and an expired code end the login`() async throws {
        let pending = Self.refusal("authorization_pending")
        #expect(try await poll([Self.refusal("access_denied")]) == ("access was denied: access_denied of ***", [7]))
        #expect(try await poll([Self.refusal("expired_token")]) == ("the code was not entered in time", [7]))
        #expect(
            try await poll([Self.refusal("invalid_grant")])
                == ("the server refused the login: invalid_grant of ***", [7]))
        // Eight requests fit into the 60 seconds of the code.
        #expect(
            try await poll([ScriptedTransport.Step](repeating: pending, count: 8))
                == ("the code was not entered in time", [Int64](repeating: 7, count: 8)))
    }

    @Test func `A login on another device can be cancelled`() async throws {
        let clock = ManualClock()
        let login = login(ScriptedTransport([Self.started]), clock: clock)
        let device = try await login.startOnDevice()
        let waiting = Task { try await login.tokens(of: device) }
        await clock.waitForSleepers()
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func `Salesforce has a form of its own`() async throws {
        var grant = Self.grant
        (grant.deviceURL, grant.scope, grant.clientSecret) = (grant.tokenURL, nil, nil)
        let transport = ScriptedTransport([
            .answer(
                to: "POST https://login.example.com/token response_type=device_code&client_id=c1",
                #"{"device_code":"dev-1","user_code":"ABCD","verification_uri":"https://login.example.com/d","interval":5}"#
            ),
            .answer(
                to: "POST https://login.example.com/token grant_type=device&code=dev-1&client_id=c1",
                #"{"access_token":"a1"}"#),
        ])
        let clock = ManualClock.advancing()
        let login = login(transport, grant, form: .salesforce, clock: clock)
        let device = try await login.startOnDevice()
        #expect(device.expiry.timeIntervalSince(clock.now) == 600)
        #expect(try await login.tokens(of: device).accessToken == "a1")
        #expect(transport.violations == [])
    }
}

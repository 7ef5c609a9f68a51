// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import CredentialStores
import Foundation
import HTTPTypes
import SoupCore
import SoupHTTP
import SoupTesting
import Testing

/// Logins to a connection, and requests with its session.
@Suite struct ConnectionLoginTests {
    private let store = MemoryCredentialStore()
    private let clock = ManualClock()
    private let grant = OAuthGrant(
        tokenURL: "https://crm.example.com/token", clientId: "c1",
        authorizationURL: "https://crm.example.com/authorize", revocationURL: "https://crm.example.com/revoke")

    private func login(_ transport: ScriptedTransport, _ grant: OAuthGrant? = nil) -> ConnectionLogin {
        ConnectionLogin(of: "crm", grant ?? self.grant, keepingIn: store, over: transport, clock: clock)
    }

    private func request(_ grant: OAuthGrant, _ base: any HTTPTransport) async throws -> HTTPAnswer {
        let connection = ServerConnection(baseURL: "https://crm.example.com", auth: .oauth(grant))
        let transport = try ConnectionTransport(
            over: base, to: connection, keeping: ConnectionSessions(of: "crm", in: store), clock: clock, random: { 1 })
        return try await transport.send(
            HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/contacts"), body: nil)
    }

    private func renewal(_ old: String, _ response: String) -> ScriptedTransport.Step {
        .answer(
            to: "POST https://crm.example.com/token grant_type=refresh_token&refresh_token=\(old)&client_id=c1",
            response)
    }

    @Test func `The session of a login serves requests and rotates`() async throws {
        let tokens = #"{"access_token":"a1","refresh_token":"r1","expires_in":3600}"#
        let session = try await login(ScriptedTransport([.answer(tokens)])).login(with: ScriptedBrowser())
        #expect(session.accessTokenExpiry == clock.now.addingTimeInterval(3600))
        #expect(store.session(of: .connection("crm")) == session)

        let base = ScriptedTransport([.answer("[]")])
        _ = try await request(grant, base)
        #expect(base.requests.map { $0.header("authorization") } == ["Bearer a1"])

        clock.advance(by: .seconds(3580))
        let second = ScriptedTransport([
            renewal("r1", #"{"access_token":"a2","refresh_token":"r2","expires_in":3600}"#), .answer("[]"),
        ])
        _ = try await request(grant, second)
        #expect(second.violations == [] && second.requests.last?.header("authorization") == "Bearer a2")
        #expect(store.session(of: .connection("crm"))?.refreshToken == "r2")
    }

    @Test func `Without a session the client's own access is not used`() async throws {
        var confidential = grant
        confidential.clientSecret = "very-secret"
        let base = ScriptedTransport([])
        let error = await #expect(throws: SoupError.self) { try await request(confidential, base) }
        #expect(error?.code == .sessionExpired)
        #expect(error?.message == "there is no saved session of the connection \"crm\"")
        #expect(base.requests.isEmpty)
    }

    @Test(
        arguments: [
            (nil, "soup login --connection crm"), ("acme.bob", "soup login --connection crm --user acme.bob"),
        ] as [(String?, String)])
    func `The error without a session names the login`(owner: String?, login: String) async throws {
        let connection = ServerConnection(baseURL: "https://crm.example.com", auth: .oauth(grant))
        // The session of another owner is not used.
        let other = SavedSession(
            tokenURL: grant.tokenURL, clientId: "c1", accessToken: "a1", refreshToken: "r1", savedAt: clock.now)
        store.save(other, for: .connection("crm", owner: "acme.ann"))
        store.save(other, for: .connection("crm of acme.bob"))
        let transport = try ConnectionTransport(
            over: ScriptedTransport([]), to: connection,
            keeping: ConnectionSessions(of: "crm", owner: owner, in: store), clock: clock, random: { 1 })
        let error = await #expect(throws: SoupError.self) {
            try await transport.send(
                HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/contacts"), body: nil)
        }
        #expect(error?.hint == "Log in with `\(login)`.")
    }

    @Test func `A store that cannot be read is found before a login`() async throws {
        let browser = ScriptedBrowser()
        let broken = RecordingStore(store, isBroken: true) { _ in }
        let login = ConnectionLogin(
            of: "crm", grant, keepingIn: broken, over: ScriptedTransport([]), clock: clock)
        let error = await #expect(throws: SoupError.self) { try await login.login(with: browser) }
        #expect(error?.code == .credentialsUnusable && browser.pages == [])
    }

    @Test func `A connection of the same name gets no foreign session`() async throws {
        store.save(
            SavedSession(
                tokenURL: "https://other.example.com/token", clientId: "c1", accessToken: "foreign",
                refreshToken: "foreign", savedAt: clock.now), for: .connection("crm"))
        let base = ScriptedTransport([])
        await #expect(throws: SoupError.self) { try await request(grant, base) }
        #expect(base.requests.isEmpty)
    }

    @Test func `A replaced token of the configuration is continued`() async throws {
        let configured = OAuthGrant(tokenURL: "https://crm.example.com/token", clientId: "c1", refreshToken: "r1")
        let first = ScriptedTransport([
            renewal("r1", #"{"access_token":"a2","refresh_token":"r2","expires_in":60}"#), .answer("[]"),
        ])
        _ = try await request(configured, first)
        #expect(first.violations == [])
        clock.advance(by: .seconds(60))
        let second = ScriptedTransport([renewal("r2", #"{"access_token":"a3"}"#), .answer("[]")])
        _ = try await request(configured, second)
        #expect(second.violations == [])
        var changed = configured
        changed.refreshToken = "r9"
        let third = ScriptedTransport([renewal("r9", #"{"access_token":"a4"}"#), .answer("[]")])
        _ = try await request(changed, third)
        #expect(third.violations == [])
    }

    /// The responses to a renewal that contain an access token, and contradict themselves.
    @Test(arguments: [
        (#"{"access_token":"a2","refresh_token":""}"#, "its refresh token is empty or not a text"),
        (#"{"access_token":"a2","refresh_token":7}"#, "its refresh token is empty or not a text"),
        (#"{"access_token":""}"#, "its access token is empty or not a text"),
        (#"{"access_token":"a2","error":"invalid_grant"}"#, "it contains an access token and an error"),
    ])
    func `A contradictory renewal keeps the session`(response: String, reason: String) async throws {
        let session = SavedSession(
            tokenURL: grant.tokenURL, clientId: "c1", refreshToken: "r1", savedAt: clock.now)
        store.save(session, for: .connection("crm"))
        let base = ScriptedTransport([renewal("r1", response)])
        let error = await #expect(throws: SoupError.self) { try await request(grant, base) }
        #expect(error?.code == .server)
        #expect(error?.message == "the response of the token endpoint cannot be used: \(reason)")
        #expect(base.violations == [] && store.session(of: .connection("crm")) == session)
        // Without a saved session the response is refused, too.
        var client = grant
        client.authorizationURL = nil
        let own = await #expect(throws: SoupError.self) {
            try await request(client, ScriptedTransport([.answer(response)]))
        }
        #expect(own?.code == .server)
        // So is the response to a login.
        store.removeSession(of: .connection("crm"))
        let failed = await #expect(throws: SoupError.self) {
            try await login(ScriptedTransport([.answer(response)])).login(with: ScriptedBrowser())
        }
        #expect(failed?.code == .loginFailed && store.accounts() == [])
    }

    @Test func `A login replaces no session of another server`() async throws {
        let other = SavedSession(
            tokenURL: "https://other.example.com/token", clientId: "c1", accessToken: "a0", refreshToken: "r0",
            savedAt: clock.now)
        store.save(other, for: .connection("crm"))
        let tokens = #"{"access_token":"a1","refresh_token":"r1"}"#
        let transport = ScriptedTransport([
            .answer(tokens),
            .answer(to: "POST https://crm.example.com/revoke token=r1&token_type_hint=refresh_token&client_id=c1", ""),
        ])
        let error = await #expect(throws: SoupError.self) { try await login(transport).login(with: ScriptedBrowser()) }
        #expect(error?.code == .loginFailed)
        #expect(
            error?.message == "the connection \"crm\" is already logged in at another server: "
                + "https://other.example.com/token")
        #expect(error?.hint == "Log out there first, for example with `soup logout --connection crm`.")
        #expect(transport.violations == [] && store.session(of: .connection("crm")) == other)

        // The same server, in another spelling.
        var same = other
        same.tokenURL = "https://CRM.example.com:443/token"
        store.save(same, for: .connection("crm"))
        let again = try await login(ScriptedTransport([.answer(tokens)])).login(with: ScriptedBrowser())
        #expect(store.session(of: .connection("crm")) == again && again.refreshToken == "r1")
    }

    @Test func `A session with an empty token is not revoked`() async throws {
        let session = SavedSession(
            tokenURL: grant.tokenURL, clientId: "c1", accessToken: "a1", refreshToken: "", savedAt: clock.now)
        store.save(session, for: .connection("crm"))
        let transport = ScriptedTransport([])
        #expect(try await login(transport).logout()?.revocationError?.code == .notSupported)
        #expect(transport.requests.isEmpty && store.accounts() == [])
    }

    @Test func `A logout ends the tokens`() async throws {
        let session = SavedSession(
            tokenURL: grant.tokenURL, clientId: "c1", accessToken: "a1", refreshToken: "r1", savedAt: clock.now)
        let account = SessionAccount.connection("crm")
        store.save(session, for: account)
        let transport = ScriptedTransport([
            .answer(to: "POST https://crm.example.com/revoke token=r1&token_type_hint=refresh_token&client_id=c1", "")
        ])
        #expect(try await login(transport).logout() == SessionEnd(account: account))
        #expect(transport.violations == [] && store.accounts() == [])
        #expect(try await login(transport).logout() == nil)

        var silent = grant
        silent.revocationURL = nil
        store.save(session, for: account)
        let end = try await login(ScriptedTransport([]), silent).logout()
        #expect(end?.revocationError?.code == .notSupported && store.accounts() == [])

        var other = session
        other.tokenURL = "https://other.example.com/token"
        store.save(other, for: account)
        let foreign = ScriptedTransport([])
        #expect(try await login(foreign).logout()?.revocationError?.code == .notSupported)
        #expect(foreign.requests.isEmpty && store.accounts() == [])
    }
}

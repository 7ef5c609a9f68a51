// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import CredentialStores
import Foundation
import HTTPTypes
import SoupCore
import SoupHTTP
import SoupTesting
import Testing

@testable import SoupSalesforce

@Suite struct OrgLoginTests {
    private let store = MemoryCredentialStore()
    private let clock = ManualClock.advancing()
    private let user = SessionAccount.user(organization: "00D000000000001EAA", user: "005000000000001AAA")
    private let app = SalesforceCredentials(
        instanceURL: "https://login.example.com", clientId: "c1", loginURL: "https://login.example.com/")

    private func login(_ transport: any HTTPTransport, _ app: SalesforceCredentials? = nil) -> OrgLogin {
        OrgLogin(
            app ?? self.app, keepingIn: store, over: transport, clock: clock,
            random: { [UInt8](repeating: 9, count: 32) })
    }

    private static let tokens = #"""
        {"access_token":"a1","refresh_token":"r1","instance_url":"https://my.example.com",
         "id":"https://login.example.com/id/00D000000000001EAA/005000000000001AAA","scope":"api"}
        """#

    /// A browser whose user agrees.
    private struct AgreeingBrowser: LoginBrowser {
        func redirect(
            from page: @escaping @Sendable (_ redirectURI: String) throws -> String
        ) async throws -> LoginRedirect {
            let page = try page("http://127.0.0.1:1/callback")
            let state = page.split(separator: "&").first { $0.hasPrefix("state=") } ?? ""
            return LoginRedirect(
                redirectURI: "http://127.0.0.1:1/callback", url: "http://127.0.0.1:1/callback?code=k&\(state)")
        }
    }

    @Test func `A login saves the session of the user`() async throws {
        let transport = ScriptedTransport([
            .answer(
                to: "POST https://login.example.com/services/oauth2/token grant_type=authorization_code&code=k"
                    + "&redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2Fcallback"
                    + "&code_verifier=CQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQk&client_id=c1", Self.tokens),
            .answer(
                to: "GET https://my.example.com/services/oauth2/userinfo", #"{"preferred_username":"ann@example.com"}"#),
        ])
        let found = try await login(transport).login(with: AgreeingBrowser())
        #expect(transport.violations == [])
        let session = SavedSession(
            tokenURL: "https://login.example.com/services/oauth2/token", clientId: "c1", accessToken: "a1",
            refreshToken: "r1", instanceURL: "https://my.example.com", username: "ann@example.com", scope: "api",
            savedAt: clock.now)
        #expect(found == OrgLogin.User(account: user, session: session))
        #expect(store.accounts() == [user] && store.session(of: user) == session)
        #expect(try await login(transport).users() == [found])
        #expect(transport.requests[1].header("authorization") == "Bearer a1")
    }

    @Test func `The user name is not necessary`() async throws {
        let transport = ScriptedTransport([.answer(Self.tokens), .answer(status: 403, "Bad_OAuth_Token")])
        let found = try await login(transport).login(with: AgreeingBrowser())
        #expect(found.session.username == nil && store.accounts() == [user])
    }

    @Test func `The tokens of a refused user are ended`() async throws {
        let transport = ScriptedTransport([
            .answer(Self.tokens), .answer(#"{"preferred_username":"ann@example.com"}"#),
            .answer(
                to: "POST https://login.example.com/services/oauth2/revoke token=r1&token_type_hint=refresh_token"
                    + "&client_id=c1", ""),
        ])
        let error = await #expect(throws: SoupError.self) {
            try await login(transport).login(
                with: AgreeingBrowser(),
                checking: { throw SoupError(.loginFailed, "not \($0.session.username ?? "")") })
        }
        #expect(error?.message == "not ann@example.com")
        #expect(transport.violations == [] && store.accounts() == [])
    }

    @Test func `A response without a user saves nothing`() async throws {
        for id in ["", "https://x/id/00D/005", "https://x/id/00D000000000001EAA", "x"] {
            let transport = ScriptedTransport([.answer(#"{"access_token":"a1","id":"\#(id)"}"#)])
            let error = await #expect(throws: SoupError.self) {
                try await login(transport).login(with: AgreeingBrowser())
            }
            #expect(error?.code == .loginFailed)
        }
        #expect(store.accounts() == [])
    }

    /// Each identity contradicts itself, or names no site although there is one.
    @Test(arguments: [
        #""id":"https://x/id/005000000000001AAA/00D000000000001EAA""#,
        #""id":"https://x/id/00D000000000001EAA/00D000000000001EAA""#,
        #""id":"https://x/id/00D000000000001EAA/005000000000001AAA","sfdc_community_id":"x""#,
        #""id":"https://x/id/00D000000000001EAA/005000000000001AAA","sfdc_community_id":"""#,
        #""id":"https://x/id/00D000000000001EAA/005000000000001AAA","sfdc_community_id":7"#,
        #""id":"https://x/id/00D000000000001EAA/005000000000001AAA","sfdc_community_id":"005000000000001AAA""#,
        #""id":"https://x/id/00D000000000001EAA/005000000000001AAA","sfdc_community_url":"https://x/site""#,
    ])
    func `A contradictory identity saves nothing`(identity: String) async throws {
        let transport = ScriptedTransport([.answer(#"{"access_token":"a1",\#(identity)}"#)])
        let error = await #expect(throws: SoupError.self) {
            try await login(transport).login(with: AgreeingBrowser())
        }
        #expect(error?.code == .loginFailed && store.accounts() == [])
    }

    @Test func `A login replaces no session of another server`() async throws {
        var other = session()
        other.tokenURL = "https://real.example.com/services/oauth2/token"
        other.instanceURL = "https://my.example.com"
        save(other)
        let transport = ScriptedTransport([
            .answer(Self.tokens), .answer("{}"),
            .answer(to: revocation + "r1&token_type_hint=refresh_token&client_id=c1", ""),
        ])
        let error = await #expect(throws: SoupError.self) {
            try await login(transport).login(with: AgreeingBrowser())
        }
        #expect(error?.code == .loginFailed)
        #expect(
            error?.message == "the \(user) is already logged in at another server: "
                + "https://real.example.com/services/oauth2/token")
        #expect(
            error?.hint
                == "Log out there first, for example with "
                + "`soup logout --keep-data --user 00D000000000001EAA/005000000000001AAA`.")
        #expect(transport.violations == [] && store.session(of: user) == other)
    }

    /// The `instance_url` of a response to the login, and the server of the session; nil if the login fails.
    @Test(
        arguments: [
            (nil, "https://login.example.com/"), (#""https://two.example.com""#, "https://two.example.com"),
            (#""http://two.example.com""#, nil), (#""http://login.example.com""#, nil), (#""file:///x""#, nil),
            (#""https://two.example.com\nx""#, nil), ("7", nil),
        ] as [(String?, String?)])
    func `Tokens are only sent to a server of the login`(instance: String?, server: String?) async throws {
        var app = app
        app.instanceURL = "https://configured.example.com"
        let member = instance.map { #","instance_url":\#($0)"# } ?? ""
        let tokens =
            #"{"access_token":"a1","id":"https://x/id/00D000000000001EAA/005000000000001AAA"\#(member)}"#
        let transport = ScriptedTransport { request in
            HTTPAnswer(request.method == .post ? tokens : #"{"preferred_username":"ann@example.com"}"#)
        }
        let found = try? await login(transport, app).login(with: AgreeingBrowser())
        #expect(found?.session.instanceURL == server)
        #expect(store.accounts().count == (server == nil ? 0 : 1))
        #expect(!transport.dump.contains { $0.contains("configured.example.com") })
    }

    @Test func `A name of several lines is not used`() async throws {
        let transport = ScriptedTransport([
            .answer(Self.tokens), .answer(#"{"preferred_username":"ann\nLogged in: root"}"#),
        ])
        #expect(try await login(transport).login(with: AgreeingBrowser()).session.username == nil)
    }

    @Test func `The site of a user is part of the account`() throws {
        let members: JSONObject = [
            "id": "https://x/id/00D000000000001/005000000000001", "sfdc_community_id": "0DB000000000001",
        ]
        #expect(
            try OrgLogin.account(in: members)
                == .user(
                    organization: "00D000000000001EAA", user: "005000000000001AAA", community: "0DB000000000001GAA"))
    }

    @Test func `A login needs a client ID`() async throws {
        let error = await #expect(throws: SoupError.self) {
            try await login(ScriptedTransport([]), SalesforceCredentials(instanceURL: "https://x.example.com"))
                .login(with: AgreeingBrowser())
        }
        #expect(error?.code == .badConfiguration && error?.message == "there is no client ID for the login")
    }

    // MARK: Logout

    private func save(_ session: SavedSession) { store.save(session, for: user) }

    private func session(refresh: String? = "r1") -> SavedSession {
        SavedSession(
            tokenURL: "https://login.example.com/services/oauth2/token", clientId: "c1", accessToken: "a1",
            refreshToken: refresh, savedAt: clock.now)
    }

    private let revocation = "POST https://login.example.com/services/oauth2/revoke token="

    @Test func `A logout ends the token, then removes the session`() async throws {
        save(session())
        let kept = store
        let transport = ScriptedTransport([
            ScriptedTransport.Step(revocation + "r1&token_type_hint=refresh_token&client_id=c1") { _ in
                #expect(kept.accounts().count == 1)
                return HTTPAnswer("")
            }
        ])
        #expect(try await login(transport).logout(user) == SessionEnd(account: user))
        #expect(transport.violations == [] && store.accounts() == [])
        #expect(try await login(transport).logout(user) == nil)

        save(session(refresh: nil))
        let access = ScriptedTransport([
            .answer(
                to: revocation + "a1&token_type_hint=access_token&client_id=c1", status: 400,
                #"{"error":"unsupported_token_type"}"#)
        ])
        // A token that the server does not know any more has ended.
        #expect(try await login(access).logout(user) == SessionEnd(account: user))
        #expect(store.accounts() == [])
    }

    @Test func `A logout without the server removes the session`() async throws {
        save(session())
        let end = try await login(ScriptedTransport([.fail(.notSent)])).logout(user)
        #expect(end?.revocationError?.code == .network && store.accounts() == [])
        save(session())
        let refused = try await login(ScriptedTransport([.answer(status: 503, "no r1 today")])).logout(user)
        #expect(refused?.revocationError == SoupError(.server, "the server did not end the token: HTTP 503"))
        #expect(store.accounts() == [])
    }
}

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

/// Requests with saved sessions.
@Suite struct OrgSessionsTests {
    private let store = MemoryCredentialStore()
    private let clock = ManualClock.advancing()
    private let ann = SessionAccount.user(organization: "00D000000000001EAA", user: "005000000000001AAA")
    private let bob = SessionAccount.user(organization: "00D000000000001EAA", user: "005000000000002AAA")
    private let app = SalesforceCredentials(instanceURL: "https://one.example.com", clientId: "c1")

    private func session(_ name: String, _ generation: Int = 1, at server: String = "https://one.example.com")
        -> SavedSession
    {
        SavedSession(
            tokenURL: "\(server)/services/oauth2/token", clientId: "c1", accessToken: "\(name)-a\(generation)",
            refreshToken: "\(name)-r\(generation)", instanceURL: server, username: "\(name)@example.com",
            savedAt: clock.now)
    }

    private func transport(_ credentials: SalesforceCredentials, _ base: any HTTPTransport) -> SessionTransport {
        SessionTransport(
            over: base, credentials: credentials, keepingIn: OrgSessions(in: store), clock: clock, random: { 1 })
    }

    private func named(_ name: String) -> SalesforceCredentials {
        var credentials = app
        credentials.username = "\(name)@example.com"
        return credentials
    }

    @Test func `The session of the only user is used`() async throws {
        store.save(session("ann"), for: ann)
        let base = ScriptedTransport { _ in HTTPAnswer("[]") }
        _ = try await transport(app, base).send(get("/x"), body: nil)
        #expect(base.dump == ["GET https://one.example.com/x"])
        #expect(base.requests[0].header("authorization") == "Bearer ann-a1")
    }

    @Test func `A login while the app runs is found`() async throws {
        let base = ScriptedTransport { _ in HTTPAnswer("[]") }
        let transport = transport(app, base)
        let error = await #expect(throws: SoupError.self) { try await transport.send(get("/x"), body: nil) }
        #expect(error?.code == .sessionExpired && error?.hint?.hasPrefix("Log in with `soup login`") == true)
        store.save(session("ann"), for: ann)
        _ = try await transport.send(get("/x"), body: nil)
        #expect(base.requests.map { $0.header("authorization") } == ["Bearer ann-a1"])
    }

    @Test func `Of several users one must be chosen`() async throws {
        store.save(session("ann"), for: ann)
        store.save(session("bob"), for: bob)
        let base = ScriptedTransport { _ in HTTPAnswer("[]") }
        let error = await #expect(throws: SoupError.self) {
            try await transport(app, base).send(get("/x"), body: nil)
        }
        #expect(error?.code == .badConfiguration)
        #expect(
            error?.message == "2 users are logged in to https://one.example.com: ann@example.com, bob@example.com")
        #expect(error?.hint?.hasPrefix("Choose one with --user, ") == true)
        #expect(base.requests.isEmpty)
        _ = try await transport(named("BOB"), base).send(get("/x"), body: nil)
        #expect(base.requests.map { $0.header("authorization") } == ["Bearer bob-a1"])
    }

    @Test func `A user without a session is named, with the others`() async throws {
        store.save(session("ann"), for: ann)
        let base = ScriptedTransport([])
        let error = await #expect(throws: SoupError.self) {
            try await transport(named("eve"), base).send(get("/x"), body: nil)
        }
        #expect(error?.code == .sessionExpired)
        #expect(
            error?.message == "no user with the name eve@example.com is logged in to https://one.example.com; "
                + "logged in: ann@example.com")
        #expect(base.requests.isEmpty)
    }

    @Test func `A chosen user uses no other credentials`() async throws {
        store.save(session("ann"), for: ann)
        var credentials = named("ann")
        (credentials.accessToken, credentials.refreshToken) = ("t1", "r1")
        (credentials.password, credentials.clientSecret) = ("pw", "very-secret")
        let base = ScriptedTransport { _ in HTTPAnswer("[]") }
        let chosen = SessionTransport(
            over: base, credentials: credentials, keepingIn: OrgSessions(in: store, of: bob), clock: clock,
            random: { 1 })
        let error = await #expect(throws: SoupError.self) { try await chosen.send(get("/x"), body: nil) }
        #expect(error?.code == .sessionExpired)
        #expect(
            error?.message
                == "the user 005000000000002AAA of org 00D000000000001EAA is not logged in to https://one.example.com; "
                + "the access token, refresh token, password of the configuration are not used, because a user is "
                + "chosen"
        )
        #expect(base.requests.isEmpty)
        store.save(session("bob"), for: bob)
        _ = try await chosen.send(get("/x"), body: nil)
        #expect(base.requests.map { $0.header("authorization") } == ["Bearer bob-a1"])
    }

    @Test func `A session of another server or client is not used`() async throws {
        store.save(session("ann", at: "https://two.example.com"), for: ann)
        var foreign = session("bob")
        foreign.clientId = "c2"
        store.save(foreign, for: bob)
        let base = ScriptedTransport { _ in HTTPAnswer("[]") }
        await #expect(throws: SoupError.self) { try await transport(app, base).send(get("/x"), body: nil) }
        #expect(base.requests.isEmpty)
    }

    /// A server can name the IDs of the user and the server of the org in its response to a login.
    @Test func `A session that names the server is not used`() async throws {
        var evil = session("evil", at: "https://evil.example.com")
        evil.instanceURL = "https://one.example.com"
        evil.username = "ann@example.com"
        store.save(evil, for: ann)
        let base = ScriptedTransport([])
        let found = try await OrgSessions(in: store).sessions(of: app)
        #expect(found.isEmpty)
        for sessions in [OrgSessions(in: store), OrgSessions(in: store, of: ann)] {
            let transport = SessionTransport(
                over: base, credentials: named("ann"), keepingIn: sessions, clock: clock, random: { 1 })
            let error = await #expect(throws: SoupError.self) { try await transport.send(get("/x"), body: nil) }
            #expect(error?.code == .sessionExpired)
        }
        #expect(base.requests.isEmpty)
    }

    @Test func `The server of the session takes precedence`() async throws {
        var session = session("ann")
        session.instanceURL = "https://moved.example.com"
        store.save(session, for: ann)
        let base = ScriptedTransport([
            .answer(to: "GET https://moved.example.com/x", status: 401, expired),
            .answer(
                to: "POST https://one.example.com/services/oauth2/token grant_type=refresh_token&client_id=c1"
                    + "&refresh_token=ann-r1",
                #"{"access_token":"ann-a2","instance_url":"https://again.example.com"}"#),
            .answer(to: "GET https://again.example.com/x", "[]"), .answer(to: "GET https://again.example.com/y", "[]"),
        ])
        _ = try await transport(app, base).send(get("/x"), body: nil)
        // The next process.
        _ = try await transport(app, base).send(get("/y"), body: nil)
        #expect(base.violations == [])
        #expect(base.requests.last?.header("authorization") == "Bearer ann-a2")
        #expect(try await OrgSessions(in: store).sessions(of: app).map(\.account) == [ann])

        // A session without a server of its own belongs to the server of the login.
        session.instanceURL = nil
        store.save(session, for: ann)
        var configured = app
        (configured.instanceURL, configured.loginURL) = ("https://configured.example.com", "https://one.example.com")
        let own = ScriptedTransport([.answer(to: "GET https://one.example.com/x", "[]")])
        _ = try await transport(configured, own).send(get("/x"), body: nil)
        #expect(own.violations == [])
    }

    /// Responses to a renewal that cannot be used.
    @Test(arguments: [
        (#""refresh_token":"""#, "its refresh token is empty or not a text"),
        (#""refresh_token":[]"#, "its refresh token is empty or not a text"),
        (#""error":"invalid_grant""#, "it contains an access token and an error"),
        (
            #""id":"https://x/id/00D000000000001EAA/005000000000009AAA""#,
            "it names another user than the user 005000000000001AAA of org 00D000000000001EAA"
        ),
        (
            #""id":"https://x/id/00D000000000001EAA/005000000000001AAA","sfdc_community_id":"0DB000000000001GAA""#,
            "it names another user than the user 005000000000001AAA of org 00D000000000001EAA"
        ),
        (#""id":"x""#, "it names another user than the user 005000000000001AAA of org 00D000000000001EAA"),
    ])
    func `A contradictory renewal keeps the session`(member: String, reason: String) async throws {
        store.save(session("ann"), for: ann)
        let base = ScriptedTransport([
            .answer(status: 401, expired), .answer(#"{"access_token":"ann-a2",\#(member)}"#),
        ])
        let error = await #expect(throws: SoupError.self) { try await transport(app, base).send(get("/x"), body: nil) }
        #expect(error?.code == .server)
        #expect(error?.message == "the response of the token endpoint cannot be used: \(reason)")
        #expect(base.violations == [] && store.session(of: ann) == session("ann"))
    }

    @Test func `A renewal can name the same user`() async throws {
        store.save(session("ann"), for: ann)
        let base = ScriptedTransport([
            .answer(status: 401, expired),
            .answer(#"{"access_token":"ann-a2","id":"https://x/id/00D000000000001EAA/005000000000001AAA"}"#),
            .answer("[]"),
        ])
        _ = try await transport(app, base).send(get("/x"), body: nil)
        #expect(store.session(of: ann)?.accessToken == "ann-a2")
    }

    @Test func `A renewal without an access token is an error`() async throws {
        store.save(session("ann"), for: ann)
        let base = ScriptedTransport([.answer(status: 401, expired), .answer(#"{"access_token":""}"#)])
        let error = await #expect(throws: SoupError.self) { try await transport(app, base).send(get("/x"), body: nil) }
        #expect(
            error?.message
                == "the response of the token endpoint cannot be used: its access token is empty or not a text")
        #expect(store.session(of: ann) == session("ann"))
    }

    @Test func `A configured access token takes precedence`() async throws {
        store.save(session("ann"), for: ann)
        let base = ScriptedTransport { _ in HTTPAnswer("[]") }
        _ = try await transport(.plain, base).send(get("/x"), body: nil)
        #expect(base.requests[0].header("authorization") == "Bearer t1")
    }

    @Test func `A renewed session is saved`() async throws {
        store.save(session("ann"), for: ann)
        let base = ScriptedTransport([
            .answer(status: 401, expired),
            .answer(
                to: "POST https://one.example.com/services/oauth2/token grant_type=refresh_token&client_id=c1"
                    + "&refresh_token=ann-r1", #"{"access_token":"ann-a2","refresh_token":"ann-r2"}"#),
            .answer("[]"),
        ])
        _ = try await transport(app, base).send(get("/x"), body: nil)
        #expect(base.violations == [])
        var renewed = session("ann", 2)
        renewed.savedAt = clock.now
        #expect(store.session(of: ann) == renewed)
    }

    /// Two users of one org, each with several transports as in several processes, and rotating refresh tokens.
    @Test func `Sessions of two users never mix`() async throws {
        let server = RotatingServer()
        let base = ScriptedTransport { try await server.answer($0) }
        store.save(session("ann"), for: ann)
        store.save(session("bob"), for: bob)
        let sessions = (0..<24).map { number in
            let name = number.isMultiple(of: 2) ? "ann" : "bob"
            return (name: name, transport: transport(named(name), base))
        }
        for _ in 0..<4 {
            await server.expireAll()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (name, transport) in sessions {
                    group.addTask {
                        let answer = try await transport.send(get("/\(name)"), body: nil)
                        #expect(answer.body == Array(#""\#(name)""#.utf8))
                        let used = await transport.credentials
                        #expect(used.accessToken?.hasPrefix("\(name)-a") == true)
                        #expect(used.refreshToken?.hasPrefix("\(name)-r") == true)
                    }
                }
                try await group.waitForAll()
            }
        }
        for (name, account) in [("ann", ann), ("bob", bob)] {
            let saved = store.session(of: account)
            #expect(saved?.username == "\(name)@example.com")
            #expect(saved?.accessToken?.hasPrefix("\(name)-a") == true)
            #expect(saved?.refreshToken?.hasPrefix("\(name)-r") == true)
        }
        // Each user's tokens were only sent for that user, and no used refresh token was sent again.
        #expect(base.requests.allSatisfy { RotatingServer.isConsistent($0) })
        let refreshes = base.requests.compactMap(\.bodyText)
        #expect(refreshes.count == 8 && Set(refreshes).count == 8)
    }

    @Test func `All waiting requests learn once of a refusal`() async throws {
        store.save(session("ann"), for: ann)
        let base = ScriptedTransport { request in
            request.method == .post
                ? HTTPAnswer(status: 400, #"{"error":"invalid_grant","error_description":"revoked"}"#)
                : HTTPAnswer(status: 401, expired)
        }
        let session = transport(app, base)
        let errors = await withTaskGroup(of: String.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    do {
                        return "\(try await session.send(get("/x"), body: nil).status)"
                    } catch {
                        return "\(error)"
                    }
                }
            }
            return await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(errors == ["the session has expired: revoked. Log in again."])
        #expect(base.requests.count { $0.method == .post } == 1)
    }

    @Test func `A replaced token of the configuration is continued`() async throws {
        let credentials = SalesforceCredentials(
            instanceURL: "https://one.example.com", refreshToken: "r1", clientId: "c1")
        func token(_ old: String, _ new: String) -> ScriptedTransport.Step {
            .answer(
                to: "POST https://one.example.com/services/oauth2/token grant_type=refresh_token&client_id=c1"
                    + "&refresh_token=r\(old)", #"{"access_token":"a\#(new)","refresh_token":"r\#(new)"}"#)
        }
        let first = ScriptedTransport([token("1", "2"), .answer("[]")])
        _ = try await transport(credentials, first).send(get("/x"), body: nil)
        #expect(first.violations == [])
        // The next process has the old token in its configuration.
        let second = ScriptedTransport([
            .answer(to: "GET https://one.example.com/x", status: 401, expired), token("2", "3"), .answer("[]"),
        ])
        _ = try await transport(credentials, second).send(get("/x"), body: nil)
        #expect(second.violations == [])
        #expect(second.requests[0].header("authorization") == "Bearer a2")
        // A new token in the configuration begins a new session.
        var changed = credentials
        changed.refreshToken = "r9"
        let third = ScriptedTransport([token("9", "10"), .answer("[]")])
        _ = try await transport(changed, third).send(get("/x"), body: nil)
        #expect(third.violations == [])
        #expect(store.accounts().count == 2)
    }
}

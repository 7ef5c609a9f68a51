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
        #expect(base.requests.isEmpty)
        _ = try await transport(named("BOB"), base).send(get("/x"), body: nil)
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

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import SoupHTTP
import SoupKit
import SoupTesting
import Testing

@Suite struct SessionRemovalTests {
    private let folder: TemporaryFolder
    private let store = MemoryCredentialStore(configuration: .init())
    private let alice: StoreUser
    private let bob: StoreUser

    init() throws {
        folder = try TemporaryFolder([
            "userstore.json": #"{"soups": []}"#,
            "org.json": #"""
            {"instanceUrl": "https://acme.example.com", "loginUrl": "https://login.example.com", "clientId": "app",
             "connections": {"crm": {"baseURL": "https://crm.example.com", "auth": {"type": "oauth", "clientId": "app",
               "tokenURL": "https://crm.example.com/token", "deviceURL": "https://crm.example.com/device"}}}}
            """#,
        ])
        alice = try StoreUser(organization: "00DJ0000000CeXy", user: "005J0000002AbCd")
        bob = try StoreUser(organization: "00DJ0000000CeXy", user: "005J0000003XyZa")
    }

    private func session(_ name: String, at server: String) -> SavedSession {
        SavedSession(
            tokenURL: server, clientId: "app", accessToken: "\(name) access", refreshToken: "\(name) refresh",
            instanceURL: "https://acme.example.com", username: name, savedAt: Date(timeIntervalSince1970: 1))
    }

    /// The account of a user for the connection, as a login of the user saves it.
    private func connection(_ user: StoreUser) -> SessionAccount {
        let grant = OAuthGrant(tokenURL: "https://crm.example.com/token", clientId: "app")
        return ConnectionLogin(
            of: "crm", owner: user.folderName, grant, keepingIn: store, over: ScriptedTransport([])
        ).account
    }

    private func fill() async throws {
        for (name, user) in [("alice", alice), ("bob", bob)] {
            let login = "https://login.example.com/services/oauth2/token"
            store.save(session(name, at: login), for: user.account)
            store.save(session("crm \(name)", at: "https://crm.example.com/token"), for: connection(user))
        }
    }

    private func options(_ user: StoreUser?, _ network: ScriptedTransport) -> SoupClient.Options {
        .init(user: user, network: network, credentialStore: { [store] _ in store }, environment: [:])
    }

    @Test func `A removal ends the sessions of its user only`() async throws {
        try await fill()
        let network = ScriptedTransport([.answer("")])
        let removal = try await SoupClient.destroy(at: folder.url, options: options(alice, network))
        #expect(removal.sessions.map(\.account) == [alice.account, connection(alice)])
        // The connection names no address for the end of tokens.
        #expect(removal.sessions.map { $0.revocationError == nil } == [true, false])
        let bodies = network.requests.map { String(decoding: $0.body ?? [], as: UTF8.self) }
        #expect(bodies.map { $0.contains("alice%20refresh") || $0.contains("alice+refresh") } == [true])
        #expect(store.accounts() == [connection(bob), bob.account].sorted())
    }

    @Test func `A session is removed without its server`() async throws {
        try await fill()
        let network = ScriptedTransport([.fail(.notSent)])
        let removal = try await SoupClient.destroy(at: folder.url, options: options(bob, network))
        #expect(removal.sessions.first?.revocationError?.code == .network)
        #expect(store.accounts() == [connection(alice), alice.account].sorted())
    }

    @Test func `A connection that is not in org.json ends with its user`() async throws {
        try await fill()
        let old = [alice, bob].map { SessionAccount.connection("old", owner: $0.folderName) }
        for account in old { store.save(session("old", at: "https://old.example.com/token"), for: account) }
        let network = ScriptedTransport([.answer("")])
        let removal = try await SoupClient.destroy(at: folder.url, options: options(alice, network))
        #expect(removal.sessions.map(\.account) == [alice.account, connection(alice), old[0]])
        #expect(
            removal.sessions.last?.revocationError?.message
                == "org.json defines no connection \"old\" that users log in to")
        #expect(network.requests.count == 1)
        #expect(store.accounts() == [connection(bob), old[1], bob.account].sorted())
    }

    @Test func `Without a user the shared connections end`() async throws {
        try await fill()
        let shared = SessionAccount.connection("crm")
        // Another app with the same store has this connection.
        for account in [shared, .connection("other")] {
            store.save(session("shared", at: "https://crm.example.com/token"), for: account)
        }
        let removal = try await SoupClient.destroy(
            at: folder.url, options: options(nil, ScriptedTransport([])))
        #expect(removal.sessions.map(\.account) == [shared])
        #expect(
            store.accounts()
                == [connection(alice), connection(bob), .connection("other"), alice.account, bob.account].sorted())
    }

    @Test func `Without a user an ambiguous session stays`() async throws {
        try await fill()
        let network = ScriptedTransport([.answer("")])
        #expect(try await SoupClient.destroy(at: folder.url, options: options(nil, network)).sessions == [])
        store.removeSession(of: bob.account)
        let removal = try await SoupClient.destroy(at: folder.url, options: options(nil, network))
        #expect(removal.sessions == [SessionEnd(account: alice.account)])
    }

    @Test func `Changes that were not sent keep the session`() async throws {
        try await fill()
        try folder.write(
            #"{"soups": [{"soupName": "a", "indexes": [{"path": "b", "type": "string"}]}]}"#, to: "userstore.json")
        let options = options(alice, ScriptedTransport([]))
        let client = try await SoupClient.open(at: folder.url, options: options)
        try await client.store.create(["b": 1], type: "B", in: "a")
        await #expect(throws: SoupError.self) { _ = try await client.destroy() }
        #expect(store.accounts().count == 4)
        try await client.close()
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import SoupCore
import SoupKit
import SoupSync
import SoupTesting
import Testing

/// The session of a client with a user.
@Suite struct UserSessionTests {
    private let folder: TemporaryFolder
    private let network = ScriptedTransport { _ in HTTPAnswer("[]") }
    private let user: StoreUser

    init() throws {
        folder = try TemporaryFolder([
            "org.json": #"{"instanceUrl": "https://acme.example.com", "clientId": "app", "accessToken": "of-ann"}"#
        ])
        user = try StoreUser(organization: "00DJ0000000CeXy", user: "005J0000002AbCd")
    }

    private func send(_ user: StoreUser?, _ store: MemoryCredentialStore?) async throws {
        var options = SoupClient.Options(user: user, network: network, environment: [:])
        if let store { options.credentialStore = { _ in store } }
        let configuration = ConfigurationFolder(reading: folder.url, environment: [:])
        let request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/x")
        _ = try await configuration.standardConnection(options).transport.send(request, body: nil)
    }

    private var used: [String?] { network.requests.map { $0.header("authorization") } }

    @Test func `The token of org.json is not used for a user`() async throws {
        for store in [nil, MemoryCredentialStore()] {
            let error = await #expect(throws: SoupError.self) { try await send(user, store) }
            #expect(error?.code == .sessionExpired)
            #expect(error?.message.contains("the access token of the configuration is not used") == true)
            #expect(error?.hint?.contains("soup login --user 00DJ0000000CeXyMAK/005J0000002AbCdIAK") == true)
        }
        #expect(used == [])
        try await send(nil, nil)
        #expect(used == ["Bearer of-ann"])
    }

    @Test func `The session of the user is used despite a token`() async throws {
        let store = MemoryCredentialStore()
        store.save(
            SavedSession(
                tokenURL: "https://acme.example.com/services/oauth2/token", clientId: "app", accessToken: "of-bob",
                instanceURL: "https://acme.example.com", username: "bob", savedAt: Date(timeIntervalSince1970: 1)),
            for: user.account)
        try await send(user, store)
        #expect(used == ["Bearer of-bob"])
    }
}

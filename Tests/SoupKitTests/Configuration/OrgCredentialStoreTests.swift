// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// The key `credentials` of `org.json`.
@Suite struct OrgCredentialStoreTests {
    private static let server = #""instanceUrl": "https://x.example.com", "clientId": "c""#

    /// Returns the chosen store, and the problems.
    private func read(_ org: String, _ environment: [String: String] = [:]) throws -> (ConfigurationFolder, [String]) {
        let folder = try TemporaryFolder([
            "org.json": org,
            "userstore.json": #"{"soups": [{"soupName": "s", "indexes": [{"path": "a", "type": "string"}]}]}"#,
        ])
        let configuration = ConfigurationFolder(reading: folder.url, environment: environment)
        return (configuration, configuration.problems.map { "\($0)" })
    }

    @Test func `A store is chosen by name or by an object`() throws {
        for choice in [#""memory""#, #"{"type": "memory"}"#] {
            let (configuration, problems) = try read("{\(Self.server), \"credentials\": \(choice)}")
            #expect(problems == [])
            #expect(try configuration.credentialStore() is MemoryCredentialStore)
        }
        let (none, problems) = try read("{\(Self.server)}")
        #expect(try none.credentialStore() == nil)
        #expect(problems.count == 1 && problems.first?.contains("Log in with `soup login`") == true)
    }

    @Test func `A wrong store is reported with its place`() throws {
        let (_, unknown) = try read("{\(Self.server),\n \"credentials\": \"fil\"}")
        #expect(
            unknown == [
                #"org.json:2:17: credentials: no credential store "fil" is registered. "#
                    + #"Known: file, keychain, memory. Did you mean "file"?"#
            ])
        let (_, path) = try read("{\(Self.server), \"credentials\": {\"type\": \"file\", \"paht\": \"x\"}}")
        #expect(path.count == 1 && path.first?.contains("paht") == true)
    }

    @Test func `A connection can be one that users log in to`() throws {
        let (configuration, problems) = try read(
            #"""
            {"credentials": "memory", "connections": {"crm": {"baseURL": "https://crm.example.com/api", "auth": {
              "type": "oauth", "tokenURL": "https://crm.example.com/token", "clientId": "c",
              "authorizationURL": "https://crm.example.com/authorize", "deviceURL": "https://crm.example.com/device",
              "revocationURL": "https://crm.example.com/revoke"}}}}
            """#)
        #expect(problems == [])
        guard case .oauth(let grant)? = configuration.connections["crm"]?.auth else {
            Issue.record("there is no connection")
            return
        }
        #expect(grant.needsLogin)
        #expect(
            grant
                == OAuthGrant(
                    tokenURL: "https://crm.example.com/token", clientId: "c",
                    authorizationURL: "https://crm.example.com/authorize", deviceURL: "https://crm.example.com/device",
                    revocationURL: "https://crm.example.com/revoke"))
    }

    @Test func `The variable of the user removes secrets of others`() throws {
        let org =
            "{\(Self.server), \"username\": \"ann\", \"password\": \"pw\", \"accessToken\": \"t1\", \"credentials\": \"memory\"}"
        #expect(try read(org, ["SOUP_USERNAME": "ANN"]).0.credentials?.password == "pw")
        let bob = try read(org, ["SOUP_USERNAME": "bob"]).0.credentials
        #expect(bob?.username == "bob" && bob?.password == nil && bob?.accessToken == nil)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupKit
import SoupTesting
import Testing

/// The API version that the syncs of a client use.
@Suite struct SoupClientTests {
    @Test func `Syncs use the API version of the session's credentials`() async throws {
        let folder = try TemporaryFolder([
            "userstore.json": #"{"soups": [{"soupName": "s", "indexes": [{"path": "Id", "type": "string"}]}]}"#
        ])
        let server = ScriptedTransport([.answer(#"{"totalSize":0,"done":true,"records":[]}"#)])
        let session = SessionTransport(
            over: server,
            credentials: SalesforceCredentials(
                instanceURL: "https://a.example.com", accessToken: "t", apiVersion: "61.0"))
        let kit = try await SoupClient.open(at: folder.url, options: .init(transport: session, environment: [:]))
        _ = try await kit.syncs.syncDown(.soql("SELECT Id FROM Account"), into: "s").result
        #expect(server.requests.first?.pathAndQuery.hasPrefix("/services/data/v61.0/query") == true)
        try await kit.close()
    }
}

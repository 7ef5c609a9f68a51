// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import SoupLocalOrg
import SoupCore
import Testing

/// Conditional requests for describes after a change of the org's schema.
@Suite struct DescribeHandlerTests {
    private let client: OrgClient
    private let added: JSONObject = ["Account": ["fields": ["Score__c": ["type": "int"]]]]

    init() throws {
        var options = OrgOptions()
        options.admin = true
        client = try OrgClient(options: options)
    }

    /// Returns the entity tags of responses about the schema, including those of the user interface API.
    private func tags(_ client: OrgClient) async throws -> [String] {
        let headers = try await client.send(.get, "sobjects/Account/describe").response.headerFields
        var tags = [headers[.eTag] ?? "", headers[.lastModified] ?? ""]
        for path in [
            "object-info", "object-info/Account", "layout/Account",
            "object-info/Visit__c/picklist-values/012000000000000AAA",
        ] {
            tags.append(try await client.json(.get, "ui-api/\(path)").eTag?.stringValue ?? "")
        }
        #expect(!tags.contains(""))
        return tags
    }

    /// Returns whether all tags differ.
    private func areOthers(_ tags: [String], than before: [String]) -> Bool {
        zip(tags, before).allSatisfy { $0 != $1 }
    }

    @Test func `Changes, resets and restores change the describes' date`() async throws {
        let org = client.org
        var before = try await tags(client)
        try org.takeSnapshot()
        try org.changeSchema(added)
        var after = try await tags(client)
        #expect(areOthers(after, than: before))
        (before, after) = (after, before)
        try org.reset(to: .tiny)
        after = try await tags(client)
        #expect(areOthers(after, than: before))
        before = after
        try org.changeSchema(added)
        after = try await tags(client)
        #expect(areOthers(after, than: before))
        before = after
        try org.restoreSnapshot()
        #expect(areOthers(try await tags(client), than: before))
    }

    @Test func `A describe from before a reset counts as changed`() async throws {
        client.org.advanceClock(by: .milliseconds(86_400_000))
        try client.org.changeSchema(added)
        let path = "sobjects/Account/describe"
        let seen = try await client.send(.get, path).response.headerFields[.lastModified]
        let since = HTTPFields([HTTPField(name: .ifModifiedSince, value: try #require(seen))])
        #expect(try await client.send(.get, path, headers: since).status == 304)
        // The seed sets the clock to the day before.
        try client.org.reset(to: .tiny)
        #expect(try await client.send(.get, path, headers: since).status == 200)
    }

    @Test func `A rejected reset and change keep the date`() async throws {
        let before = try await tags(client)
        #expect(throws: (any Error).self) {
            try client.org.reset(to: OrgSeed(json: Array(#"{"seed": [{"object": "X"}]}"#.utf8)))
        }
        #expect(throws: ConfigurationError.self) { try client.org.changeSchema(["User": nil]) }
        #expect(throws: SoupError.self) { try client.org.restoreSnapshot() }
        #expect(try await tags(client) == before)
    }

    @Test func `A state file keeps it`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "soup-describe-\(UUID().uuidString).org")
        defer {
            for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + end) }
        }
        var options = OrgOptions()
        options.stateFile = file
        var tags: [String] = []
        do {
            let client = try OrgClient(options: options)
            try client.org.changeSchema(added)
            try client.org.reset(to: .tiny)
            tags = try await self.tags(client)
        }
        #expect(try await self.tags(try OrgClient(options: options)) == tags)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupCore
import Testing

/// Tests `soup demo`.
@Suite struct DemoTests {
    @Test func `Every step has the expected result`() async throws {
        let demo = try await SoupTool.run("demo")
        #expect(demo.status == 0)
        #expect(demo.errors == [])
        #expect(demo.output.contains { $0.contains("1000 contacts are in the soup now") })
        #expect(demo.output.contains { $0.contains("1 created, 1 updated, 1 deleted.") })
        #expect(demo.output.contains { $0.contains("999 contacts in the store, 999 in the org.") })
        let json = try await SoupTool.run("demo", "--json")
        #expect(json.status == 0)
        #expect(
            try json.json.filter { $0["event"] == "step" }.map { $0["step"] } == [
                "pull", "edit", "push", "conflict", "ghost",
            ])
        let pushed: JSONValue = ["event": "message", "text": "1 created, 1 updated, 1 deleted."]
        #expect(try json.json.contains(pushed))
    }

    @Test func `The temporary folder is removed`() async throws {
        let demo = try await SoupTool.run("demo")
        let words = demo.output.joined(separator: " ").split { $0 == " " || $0 == "," }
        let folder = try #require(words.first { $0.contains("soupkit-demo-") }).trimmingCharacters(in: ["."])
        #expect(!FileManager.default.fileExists(atPath: folder))
    }
}

#endif

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupKit
import Testing

/// An app with a layered store, while `soup` writes to the same file in a process of its own.
@Suite struct LayeredProcessTests {
    @Test func `The app never reads outdated entries`() async throws {
        let backend = #"{"backend": {"type": "layered", "back": {"type": "sqlite"}}, "#
        let folder = try WorkFolder([
            "userstore.json": WorkFolder.store.replacing("{\"soups\"", with: backend + "\"soups\"")
        ])
        let kit = try await SoupClient.open(at: folder.url, options: .init(environment: [:]))
        func run(_ arguments: String..., input: String = "") async throws {
            let finished = try await SoupTool.run(arguments + ["--config", folder.path, "--json"], input: input)
            #expect(finished.status == 0, "\(finished.errors)")
        }
        func texts(_ ids: [Int64]) async throws -> [String] {
            try await kit.store.retrieve(ids, from: "notes").map { "\($0.id) \($0.stored)" }
        }
        try await kit.store.upsert(["key": "app"], into: "notes")
        #expect(try await texts([1]) == [#"1 {"key":"app"}"#])
        for number in 1...3 {
            try await run("upsert", "notes", input: #"{"_soupEntryId": 1, "key": "tool \#(number)"}"#)
            #expect(try await texts([1]) == [#"1 {"key": "tool \#(number)"}"#])
            // Every second time, the app fills its front store again before the next write of the other process.
            if number % 2 == 0 { try await kit.store.upsert(["key": "again"], into: "notes") }
            #expect(try await texts([1]) == [#"1 {"key": "tool \#(number)"}"#])
        }
        try await run("delete", "notes", "1", "--now")
        #expect(try await texts([1, 2]) == [#"2 {"key":"again"}"#])
        // The other process reads the writes of the app at once.
        try await kit.store.upsert(["key": "last"], into: "notes")
        let read = try await SoupTool.run("retrieve", "notes", "3", "--config", folder.path, "--json")
        #expect(try read.json.map { $0["key"] } == ["last"])
        try await kit.close()
    }
}

#endif

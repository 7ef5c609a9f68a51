// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupKit
import SoupTesting
import Testing

/// The examples of the article `Editing`.
@Suite struct EditingArticleTests {
    @Test func `The example of writing upserts and deletes entries`() async throws {
        let folder = try TemporaryFolder([:])
        let store = SmartStore(try await SQLiteStore.open(.init(path: folder.path + "/s.db")))
        // Begin of the article's lines.
        try await store.registerSoup("notes", [IndexSpec("key", .string), IndexSpec("text", .fullText)])
        let note = try await store.upsert(["key": "a", "text": "hello"], into: "notes", externalIdPath: "key")
        try await store.write { writer in  // one transaction over any soups: all changes are applied, or none
            let records = RecordBatch([try JSONText(#"{"key": "b"}"#), try JSONText(#"{"key": "c"}"#)])
            try writer.upsert(records, into: "notes", matching: .path("key"))
            try writer.remove([note.id], from: "notes")
        }
        // End of the article's lines.
        #expect(try await store.query(.all("notes", orderedBy: "key")).entries.map { $0["key"] } == ["b", "c"])
        try await store.close()
    }

    @Test func `The test contains the lines of the article`() throws {
        let tested = try ArticleLines.tested(in: #filePath)
        #expect(tested.count == 7)
        #expect(tested == (try ArticleLines.shown(in: "Editing.md", from: try #require(tested.first), to: "```")))
    }

    @Test func `The example of named stores creates and removes a store`() async throws {
        let folder = try TemporaryFolder(["userstore.json": #"{"soups": []}"#])
        let stores = StoreFolder(at: URL(filePath: folder.path + "/App/Data"))
        let archive = try await SoupClient.open(
            at: folder.url, options: .init(store: stores.file(of: "archive", in: .user), environment: [:]))
        try await archive.close()
        #expect(try stores.names(in: .user) == ["archive"])
        #expect(try stores.remove("archive", in: .user))
        #expect(try stores.names(in: .user) == [])
    }
}

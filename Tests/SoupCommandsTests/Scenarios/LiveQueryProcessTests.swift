// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupKit
import Testing

/// A live query of an app, while `soup` writes to the same file in processes of its own.
@Suite(.timeLimit(.minutes(2))) struct LiveQueryProcessTests {
    @Test(arguments: ["sqlite", "layered"])
    func `A live query returns the writes of other processes`(_ type: String) async throws {
        let backend =
            type == "sqlite"
            ? #"{"backend": {"type": "sqlite"}, "#
            : #"{"backend": {"type": "layered", "back": {"type": "sqlite"}}, "#
        let folder = try WorkFolder([
            "userstore.json": WorkFolder.store.replacing("{\"soups\"", with: backend + "\"soups\"")
        ])
        let kit = try await SoupClient.open(at: folder.url, options: .init(environment: [:]))
        let spec = QuerySpec.all("notes", orderedBy: "key", pageSize: 100)
        var live = kit.store.live(spec).makeAsyncIterator()
        #expect(try await live.next()?.entries.isEmpty == true)
        for number in 1...3 {
            let finished = try await SoupTool.run(
                "upsert", "notes", "--config", folder.path, "--json", input: #"{"key": "tool \#(number)"}"#)
            #expect(finished.status == 0, "\(finished.errors)")
            let expected = (1...number).map { "tool \($0)" }
            #expect(try await live.next()?.entries.compactMap { $0["key"]?.stringValue } == expected)
        }
        let finished = try await SoupTool.run("delete", "notes", "1", "--now", "--config", folder.path, "--json")
        #expect(finished.status == 0, "\(finished.errors)")
        #expect(try await live.next()?.entries.map(\.id) == [2, 3])
        try await kit.close()
        #expect(try await live.next() == nil)
    }
}

#endif

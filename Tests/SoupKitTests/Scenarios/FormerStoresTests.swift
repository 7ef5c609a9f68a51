// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupKit
import Testing

/// Changes of the key `backend` while the files of additional stores have entries.
@Suite struct FormerStoresTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "SoupKitTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func open(_ backend: String) async throws -> SoupClient {
        let indexes = #"[{"path": "k", "type": "string"}, {"path": "__local__", "type": "string"}]"#
        let text = #"{"soups": [{"soupName": "recent", "indexes": \#(indexes)}]\#(backend)}"#
        try Data(text.utf8).write(to: folder.appending(path: "userstore.json"))
        return try await SoupClient.open(at: folder, options: .init(environment: [:]))
    }

    private func count(_ backend: String) async throws -> Int {
        let kit = try await open(backend)
        let count = try await kit.store.query(.all("recent", pageSize: 10)).entries.count
        try await kit.close()
        return count
    }

    private func routed(_ route: String) -> String {
        #", "backend": {"type": "routed", "default": {"type": "sqlite"}, "routes": {"recent": \#(route)}}"#
    }

    private static let own = #"{"type": "sqlite"}"#

    /// Opens a routed store with an unsent entry in the file of the soup.
    private func fill() async throws {
        let kit = try await open(routed(Self.own))
        _ = try await kit.store.create(["k": "x"], type: "T", in: "recent")
        try await kit.close()
    }

    @Test(arguments: [
        "", #", "backend": {"type": "sqlite"}"#,
        #", "backend": {"type": "layered", "back": {"type": "sqlite"}}"#,
    ])
    func `Unsent entries are not hidden without the routes`(backend: String) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try await fill()
        let error = await #expect(throws: SoupError.self) { _ = try await open(backend) }
        #expect(error?.code == .storeUnusable && error?.message.contains("1 entries") == true)
        #expect(error?.place?.file?.hasSuffix("userstore.db.stores/recent.db") == true)
        #expect(try await count(routed(Self.own)) == 1)
    }

    @Test func `Other files in the folder of the stores are left alone`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try await fill()
        let stores = folder.appending(path: "userstore.db.stores")
        for (name, text) in [(".DS_Store", "data of the Finder"), ("recent.db.lock", ""), ("x", "SQLite format 2\0")] {
            try Data(text.utf8).write(to: stores.appending(path: name))
        }
        #expect(try await count(routed(Self.own)) == 1)
        #expect(try Data(contentsOf: stores.appending(path: "recent.db.lock")).isEmpty)
    }

    /// The file keeps its name when the route is renamed.
    @Test func `A file with a path of its own is in use`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try await fill()
        let store = #"{"type": "sqlite", "path": "userstore.db.stores/recent.db"}"#
        for inner in [store, #"{"type": "metered", "store": \#(store)}"#] {
            let backend = #""default": {"type": "sqlite"}, "stores": {"fast": \#(inner)}, "routes": {"recent": "fast"}"#
            for _ in 1...2 { #expect(try await count(#", "backend": {"type": "routed", \#(backend)}"#) == 1) }
        }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteStore
import SmartStore
import SoupCore
import SoupKit
import Testing

@Suite struct StoreFolderTests {
    private let folder: TemporaryFolder
    private let stores: StoreFolder

    init() throws {
        folder = try TemporaryFolder([
            "userstore.json": #"{"soups": [{"soupName": "notes", "indexes": [{"path": "key", "type": "string"}]}]}"#
        ])
        stores = StoreFolder(folder.path)
    }

    private func open(_ name: String, _ scope: StoreScope) async throws -> SmartStore {
        let file = try stores.file(of: name, in: scope)
        let store = SmartStore(try await SQLiteStore.open(.init(path: file)))
        try await store.registerSoup("notes", [IndexSpec("key", .string)])
        return store
    }

    @Test func storesOfOneNameInTwoScopesAreTwo() async throws {
        let user = try await open("archive", .user)
        let global = try await open("archive", .global)
        try await user.upsert(["key": "mine"], into: "notes")
        #expect(try await global.count(.all("notes")) == 0)
        #expect(try stores.names(in: .user) == ["archive"])
        #expect(try stores.names(in: .global) == ["archive"])
    }

    @Test func theDefaultStoreIsTheOneOfTheConfiguration() async throws {
        _ = try await SoupKit.openStore(configuration: folder.path)
        let named = try stores.file(of: "archive", in: .user)
        _ = try await SoupKit.openStore(configuration: folder.path, store: named)
        #expect(try stores.names(in: .user) == ["archive", StoreFolder.defaultName])
        #expect(try stores.names(in: .global) == [])
        #expect(try stores.has(in: .user))
        #expect(try !stores.has(in: .global))
    }

    @Test func aRemovedStoreBeginsAnew() async throws {
        let first = try await open("archive", .user)
        try await first.upsert(["key": "a"], into: "notes")
        try await first.close()
        let other = try await open("other", .user)
        #expect(try stores.remove("archive", in: .user))
        #expect(try !stores.remove("archive", in: .user))
        #expect(try folder.files.filter { $0.contains("archive") } == [])
        let again = try await open("archive", .user)
        #expect(try await again.upsert(["key": "b"], into: "notes")["_soupEntryId"] == 1)
        try await again.close()
        try await other.close()
        #expect(try stores.removeAll(in: .user) == ["archive", "other"])
        #expect(try folder.files == ["userstore.json"])
    }

    @Test func aLogThatWasLeftBehindDoesNotComeBack() async throws {
        let first = try await open("archive", .user)
        try await first.upsert(["key": "a"], into: "notes")
        let file = try stores.file(of: "archive", in: .user)
        let log = try Data(contentsOf: URL(filePath: file + "-wal"))
        try await first.close()
        try FileManager.default.removeItem(atPath: file)
        try log.write(to: URL(filePath: file + "-wal"))
        let again = try await open("archive", .user)
        #expect(try await again.count(.all("notes")) == 0)
    }

    @Test(arguments: ["", "a/b", "..", "ä", "a b", String(repeating: "a", count: 97)])
    func namesThatNoFileShouldHaveAreRefused(_ name: String) throws {
        #expect { try stores.file(of: name, in: .user) } throws: { ($0 as? SoupError)?.code == .badStoreName }
        #expect { try stores.remove(name, in: .user) } throws: { ($0 as? SoupError)?.code == .badStoreName }
    }

    @Test func aFolderThatIsNotThereHasNoStores() throws {
        #expect(try StoreFolder(folder.path + "/nowhere").names(in: .user) == [])
    }
}

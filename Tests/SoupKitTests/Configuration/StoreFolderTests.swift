// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupSQLite
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

@Suite struct StoreFolderTests {
    private let folder: TemporaryFolder
    private let stores: StoreFolder

    init() throws {
        folder = try TemporaryFolder([
            "userstore.json": #"{"soups": [{"soupName": "notes", "indexes": [{"path": "key", "type": "string"}]}]}"#
        ])
        stores = StoreFolder(at: folder.url)
    }

    private func open(_ name: String, _ scope: StoreScope) async throws -> SmartStore {
        let file = try stores.file(of: name, in: scope)
        let store = SmartStore(try await SQLiteStore.open(.init(path: file.path)))
        try await store.registerSoup("notes", [IndexSpec("key", .string)])
        return store
    }

    @Test func `Stores with one name in two scopes are independent`() async throws {
        let user = try await open("archive", .user)
        let global = try await open("archive", .global)
        try await user.upsert(["key": "mine"], into: "notes")
        #expect(try await global.count(.all("notes")) == 0)
        #expect(try stores.names(in: .user) == ["archive"])
        #expect(try stores.names(in: .global) == ["archive"])
    }

    @Test func `The default store is the store of the configuration`() async throws {
        _ = try await SoupClient.openStore(at: folder.url)
        let named = try stores.file(of: "archive", in: .user)
        _ = try await SoupClient.openStore(at: folder.url, options: .init(store: named))
        #expect(try stores.names(in: .user) == ["archive", StoreFolder.defaultName])
        #expect(try stores.names(in: .global) == [])
        #expect(try stores.has(in: .user))
        #expect(try !stores.has(in: .global))
    }

    @Test func `A removed store is empty when it is opened again`() async throws {
        let first = try await open("archive", .user)
        try await first.upsert(["key": "a"], into: "notes")
        try await first.close()
        let other = try await open("other", .user)
        #expect(try stores.remove("archive", in: .user))
        #expect(try !stores.remove("archive", in: .user))
        // The lock file is kept: a process that opens the name and one that waits for the lock must use the same file.
        #expect(try folder.files.filter { $0.contains("archive") } == ["userstore-archive.db-syncs"])
        let again = try await open("archive", .user)
        #expect(try await again.upsert(["key": "b"], into: "notes")["_soupEntryId"] == 1)
        try await again.close()
        try await other.close()
        #expect(try stores.removeAll(in: .user) == ["archive", "other"])
        #expect(
            try folder.files == ["userstore-archive.db-syncs", "userstore-other.db-syncs", "userstore.json"])
        #expect(try stores.names(in: .user) == [])
    }

    @Test func `A composed store is removed with its additional stores`() async throws {
        let index = #"[{"path": "key", "type": "string"}]"#
        let backend = #"{"type": "routed", "default": {"type": "sqlite"}, "routes": {"notes": {"type": "sqlite"}}}"#
        let routed = try TemporaryFolder([
            "userstore.json": #"{"soups": [{"soupName": "notes", "indexes": \#(index)}], "backend": \#(backend)}"#
        ])
        let stores = StoreFolder(at: routed.url)
        for name in ["archive", StoreFolder.defaultName] {
            let options = SoupClient.Options(store: try stores.file(of: name, in: .user))
            let store = try await SoupClient.openStore(at: routed.url, options: options)
            try await store.upsert(["key": "a"], into: "notes")
            try await store.close()
            #expect(try stores.names(in: .user) == [name])
            #expect(try stores.remove(name, in: .user))
            let files = try routed.files
            #expect(files.allSatisfy { $0.hasSuffix(".json") || $0.hasSuffix("-syncs") }, "\(files)")
            let again = try await SoupClient.openStore(at: routed.url, options: options)
            #expect(try await again.count(.all("notes")) == 0)
            try await again.close()
            try stores.remove(name, in: .user)
        }
    }

    /// Returns the name and the content of every file, except the index of the log, which is shared memory of the
    /// processes that have it open.
    private func contents() throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for file in try folder.files where !file.hasSuffix("-shm") {
            contents[file] = FileManager.default.contents(atPath: folder.path + "/" + file)
        }
        return contents
    }

    @Test func `A store that is being synced is not removed`() async throws {
        let store = try await open("archive", .user)
        try await store.upsert(["key": "a"], into: "notes")
        var lease = try await store.backend.claimSyncs()
        #expect(lease != nil)
        let before = try contents()
        for remove in [{ _ = try stores.remove("archive", in: .user) }, { try stores.removeAll(in: .user) }] {
            let error = #expect(throws: SoupError.self) { try remove() }
            #expect(error?.code == .storeUnusable)
            #expect(error?.message == "the store is in use by this process, which syncs it")
            #expect(error?.place?.file == (try stores.file(of: "archive", in: .user).path))
            #expect(try contents() == before)
        }
        lease = nil
        try await store.close()
        #expect(try stores.remove("archive", in: .user))
        let again = try await open("archive", .user)
        #expect(try await again.count(.all("notes")) == 0)
        #expect(try await again.backend.claimSyncs() != nil)
    }

    /// One store has the lock file open when the store is removed; another is opened later.
    @Test func `A store that is opened after a removal shares the lease`() async throws {
        let first = try await open("archive", .user)
        let lease = try await first.backend.claimSyncs()
        try await first.close()
        let file = try stores.file(of: "archive", in: .user)
        #expect(throws: SoupError.self) { try stores.remove("archive", in: .user) }
        try FileManager.default.removeItem(at: file)
        #expect(try !stores.remove("archive", in: .user))
        let second = try await open("archive", .user)
        #expect(try await second.backend.claimSyncs() == nil)
        withExtendedLifetime(lease) {}
    }

    @Test func `A store behind a link is not removed while it is synced`() async throws {
        let elsewhere = try TemporaryFolder()
        let real = elsewhere.path + "/real.db"
        let store = SmartStore(try await SQLiteStore.open(.init(path: real)))
        try await store.registerSoup("notes", [IndexSpec("key", .string)])
        let file = try stores.file(of: "archive", in: .user)
        try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: real)
        let linked = SmartStore(try await SQLiteStore.open(.init(path: file.path)))
        try await linked.upsert(["key": "a"], into: "notes")
        let lease = try await store.backend.claimSyncs()
        #expect(throws: SoupError.self) { try stores.remove("archive", in: .user) }
        #expect(try elsewhere.files.contains("real.db-wal"))
        withExtendedLifetime(lease) {}
    }

    @Test func `A link is removed with its store`() async throws {
        let elsewhere = try TemporaryFolder()
        let file = try stores.file(of: "archive", in: .user)
        try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: elsewhere.path + "/real.db")
        try await open("archive", .user).upsert(["key": "a"], into: "notes")
        #expect(try stores.remove("archive", in: .user))
        #expect(try folder.files == ["userstore.json"])
        #expect(try elsewhere.files == ["real.db-syncs"])
    }

    @Test func `The log of a deleted store is not replayed`() async throws {
        let first = try await open("archive", .user)
        try await first.upsert(["key": "a"], into: "notes")
        let file = try stores.file(of: "archive", in: .user)
        let log = try Data(contentsOf: URL(filePath: file.path + "-wal"))
        try await first.close()
        try FileManager.default.removeItem(at: file)
        try log.write(to: URL(filePath: file.path + "-wal"))
        let again = try await open("archive", .user)
        #expect(try await again.count(.all("notes")) == 0)
    }

    @Test(arguments: ["", "a/b", "..", "ä", "a b", String(repeating: "a", count: 97)])
    func `Invalid store names are rejected`(_ name: String) throws {
        #expect { try stores.file(of: name, in: .user) } throws: { ($0 as? SoupError)?.code == .badStoreName }
        #expect { try stores.remove(name, in: .user) } throws: { ($0 as? SoupError)?.code == .badStoreName }
    }

    @Test func `A missing folder has no stores`() throws {
        #expect(try StoreFolder(at: URL(filePath: folder.path + "/nowhere")).names(in: .user) == [])
    }
}

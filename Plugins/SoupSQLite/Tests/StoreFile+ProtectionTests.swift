// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import GRDBSQLite
import SoupCore
import Testing

@testable import SoupSQLite

/// The permissions of the files of a store.
@Suite struct StoreFileProtectionTests {
    let temporary: TemporaryStore
    init() throws { temporary = try TemporaryStore() }

    /// The permissions of the files in the folder, in octal digits, by their suffix.
    private func modes() throws -> [String: String] {
        var modes: [String: String] = [:]
        for file in try FileManager.default.contentsOfDirectory(atPath: temporary.folder) {
            let attributes = try FileManager.default.attributesOfItem(atPath: temporary.folder + "/" + file)
            modes[file] = String(attributes[.posixPermissions] as? Int ?? -1, radix: 8)
        }
        return modes
    }

    @Test func `Only the owner can read a store`() async throws {
        let store = try await temporary.open(IndexSpec("k", .string))
        let lease = try await store.claimSyncs()
        #expect(
            try modes() == [
                "store.sqlite": "600", "store.sqlite-wal": "600", "store.sqlite-shm": "600",
                "store.sqlite-syncs": "600",
            ])
        lease?.release()
        try await store.close()
    }

    @Test(.usesPlainFile) func `Opening an earlier store makes it private`() async throws {
        var store = try await temporary.open(IndexSpec("k", .string))
        (try await store.claimSyncs())?.release()
        try await store.close()
        let files = ["store.sqlite", "store.sqlite-syncs"]
        func open(_ mode: Int) throws {
            for file in files {
                try FileManager.default.setAttributes(
                    [.posixPermissions: mode], ofItemAtPath: temporary.folder + "/" + file)
            }
        }
        try open(0o644)
        let kept = try await SQLiteStore.open(.init(path: temporary.path, ownerOnly: false))
        #expect(try modes()["store.sqlite"] == "644")
        try await kept.close()
        store = try await temporary.open()
        #expect(try files.map { try modes()[$0] } == ["600", "600"])
        try await store.close()
    }

    @Test func `A shared store gets the permissions of the process`() async throws {
        let store = try await SQLiteStore.open(.init(path: temporary.path, ownerOnly: false))
        (try await store.claimSyncs())?.release()
        let mask = umask(0)
        umask(mask)
        let expected = String(0o644 & ~Int(mask), radix: 8)
        #expect(try modes()["store.sqlite"] == expected && modes()["store.sqlite-syncs"] == expected)
        try await store.close()
    }

    @Test func `The configuration chooses protection and backups`() throws {
        func decode(_ text: String) throws -> SQLiteStore.Configuration {
            try JSONDecoder().decode(SQLiteStore.Configuration.self, from: Data(text.utf8))
        }
        let usual = try decode("{}")
        #expect(usual.ownerOnly && usual.fileProtection == .completeUntilFirstUserAuthentication)
        #expect(usual.excludedFromBackup == nil)
        let chosen = try decode(
            #"{"ownerOnly": false, "fileProtection": "complete", "excludedFromBackup": true}"#)
        #expect(!chosen.ownerOnly && chosen.fileProtection == .complete && chosen.excludedFromBackup == true)
        #expect(throws: (any Error).self) { _ = try decode(#"{"fileProtection": "none"}"#) }
    }

    /// The notification reaches every store of the process, so no test can post it.
    @Test func `Stores observe the suspension of the app`() throws {
        let opened = try StoreFile(path: temporary.path, busyTimeout: .zero).open()
        #expect(opened.pool.configuration.observesSuspensionNotifications && !opened.isReadOnly)
        let error = SoupError.sqlite(code: SQLITE_ABORT, message: "Database is suspended")
        #expect(error.code == .storeUnusable && error.message == "the store is suspended: Database is suspended")
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import SoupTestStores
import Testing

@testable import SoupSQLite

@Suite struct SyncLockTests {
    let temporary: TemporaryStore
    init() throws { temporary = try TemporaryStore() }

    @Test func `Only one store holds the lease`() async throws {
        let store = try await temporary.open()
        let other = try await temporary.open()
        var lease = try await store.claimSyncs()
        #expect(lease != nil)
        #expect(try await store.claimSyncs() == nil)
        #expect(try await other.claimSyncs() == nil)
        lease?.release()
        let second = try await other.claimSyncs()
        #expect(second != nil)
        // A second release does not release the lock of the next holder.
        lease?.release()
        lease = nil
        #expect(try await store.claimSyncs() == nil)
        second?.release()
        #expect(try await store.claimSyncs() != nil)
    }

    @Test func `A link to a store has the same lease`() async throws {
        let store = try await temporary.open()
        let link = temporary.folder + "/link.sqlite"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: temporary.path)
        let linked = try await SQLiteStore.open(.init(path: link, encryption: SQLiteStore.Encryption.ofAllTests))
        let lease = try await store.claimSyncs()
        #expect(try await linked.claimSyncs() == nil)
        withExtendedLifetime(lease) {}
    }

    @Test func `Each file has its own lease`() async throws {
        let store = try await temporary.open()
        let other = try await SQLiteStore.open(.init(path: temporary.folder + "/other.sqlite"))
        let leases = [try await store.claimSyncs(), try await other.claimSyncs()]
        #expect(leases.count { $0 != nil } == 2)
    }

    @Test func `The lock file names the process that holds it`() async throws {
        let store = try await temporary.open()
        let lease = try await store.claimSyncs()
        let text = try String(contentsOfFile: temporary.path + "-syncs", encoding: .utf8)
        #expect(text == "\(ProcessInfo.processInfo.processIdentifier)\n")
        withExtendedLifetime(lease) {}
        #expect(SyncLock.holder(database: temporary.path) == "this process")
        // A file of another process, of a version that writes nothing, and of another program.
        for (text, holder) in [
            ("1\n", "process 1"), ("", "another process"), ("99999999999999999999\n", "another process"),
        ] {
            try Data(text.utf8).write(to: URL(filePath: temporary.path + "-syncs"))
            #expect(SyncLock.holder(database: temporary.path) == holder)
        }
    }

    @Test func `A lock file that was removed is not shared`() async throws {
        let store = try await temporary.open()
        // A removal holds the lease, and deletes the lock file.
        let removing = try #require(try await store.claimSyncs())
        #expect(unlink(temporary.path + "-syncs") == 0)
        let second = try #require(try await store.claimSyncs())
        removing.release()
        #expect(try await store.claimSyncs() == nil)
        second.release()
        #expect(try await store.claimSyncs() != nil)
    }

    @Test func `Removed files leave nothing of a store`() async throws {
        let store = try await temporary.open()
        try await store.close()
        for suffix in ["-journal"] + SQLiteStore.copySuffixes {
            try Data().write(to: URL(filePath: temporary.path + suffix))
        }
        let url = URL(filePath: temporary.path)
        let lease = try SQLiteStore.claimForRemoval(at: url)
        #expect(throws: SoupError.self) { try SQLiteStore.claimForRemoval(at: url) }
        #expect(try SQLiteStore.removeFiles(at: url, withLock: true))
        lease.release()
        let names = try FileManager.default.contentsOfDirectory(atPath: temporary.folder)
        #expect(names.filter { !$0.hasSuffix(".key") } == [])
        #expect(try !SQLiteStore.removeFiles(at: url, withLock: true))
    }

    @Test func `A lock file that cannot be opened is an error`() async throws {
        let store = try await temporary.open()
        try FileManager.default.createDirectory(atPath: temporary.path + "-syncs", withIntermediateDirectories: false)
        #expect(await code { _ = try await store.claimSyncs() } == .storeUnusable)
    }
}

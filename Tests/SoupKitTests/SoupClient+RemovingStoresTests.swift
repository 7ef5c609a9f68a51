// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption && (canImport(CryptoKit) || KeyValue)

    import Foundation
    import SoupCore
    import SoupKit
    import SoupTesting
    import Testing

    @Suite struct SoupClientRemovingStoresTests {
        /// The files whose paths contain the name of a store; the lock file of its syncs is kept.
        private func files(of name: String, in world: UserWorld) throws -> [String] {
            try world.tree().keys.filter { $0.contains(name) && !$0.hasSuffix("-syncs") }.sorted()
        }

        @Test(arguments: [UserWorld.Kind.plain, .encrypted, .routed])
        func `A store is removed with its keys and nothing else`(_ kind: UserWorld.Kind) async throws {
            let world = try UserWorld(kind)
            try await world.fillGlobal()
            for user in world.all { try await world.fill(user) }
            for user in [nil, world.alice] {
                let root = user.map { "users/\($0.folderName)/" } ?? ""
                var expected = try world.tree()
                let own = expected.keys.filter {
                    $0.hasPrefix(root + "userstore-archive.db") && !$0.hasSuffix("-syncs")
                }
                #expect(own.contains { $0.hasSuffix(".key") } == (kind != .plain))
                for path in own { expected[path] = nil }
                #expect(
                    try await SoupClient.removeStore("archive", at: world.folder.url, options: world.options(user)))
                #expect(try world.tree() == expected)
                #expect(
                    try await !SoupClient.removeStore("archive", at: world.folder.url, options: world.options(user)))
            }
            #expect(try await SoupClient.removeStore(at: world.folder.url, options: world.options(nil, .global)))
            #expect(try files(of: "globalstore.db", in: world) == [])
        }

        @Test func `A store that is being synced keeps its key`() async throws {
            let world = try UserWorld(.encrypted)
            try await world.fill(nil)
            let kit = try await SoupClient.open(at: world.folder.url, options: world.options(nil))
            let lease = try #require(try await kit.store.backend.claimSyncs())
            let before = try world.names()
            let error = await #expect(throws: SoupError.self) {
                try await SoupClient.removeStore(at: world.folder.url, options: world.options(nil))
            }
            #expect(error?.code == .storeUnusable)
            #expect(try world.names() == before)
            lease.release()
            try await kit.close()
        }

        @Test func `A faulty configuration removes nothing`() async throws {
            let world = try UserWorld(.encrypted)
            try await world.fill(nil)
            try world.folder.write(
                #"{"soups": [], "backend": {"type": "sqlite", "encryption": {"key": "none"}}}"#, to: "userstore.json")
            let before = try world.names()
            await #expect(throws: ConfigurationError.self) {
                try await SoupClient.removeStore(at: world.folder.url, options: world.options(nil))
            }
            #expect(try world.names() == before)
        }
    }

#endif

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption && (canImport(CryptoKit) || KeyValue)

    import Foundation
    import SoupKeyValue
    import SoupStore
    import SoupCore
    import SoupTesting
    import Testing

    @testable import SoupKit

    @Suite struct SoupClientDestroyingTests {
        @Test(arguments: UserWorld.Kind.allCases)
        func `Everything of one user is removed and nothing else`(_ kind: UserWorld.Kind) async throws {
            let world = try UserWorld(kind)
            try await world.fillGlobal()
            let global = try world.tree()
            for user in world.all { try await world.fill(user) }
            for user in world.all { try world.addLeftovers(user) }
            for user in [world.alice, nil, world.bob] {
                var expected = try world.tree()
                let own = expected.keys.filter { path in
                    if let user { return path.hasPrefix("users/\(user.folderName)/") }
                    return !path.hasPrefix("users/") && global[path] == nil
                }
                #expect(own.count > 10)
                for path in own { expected[path] = nil }
                let removal = try await SoupClient.destroy(at: world.folder.url, options: world.options(user))
                if user == world.bob { expected["users/"] = Data() }
                #expect(try world.tree() == expected)
                let data = kind == .placed ? "data/mine.db" : "userstore.db"
                let inner =
                    kind == .routed && user == nil
                    ? ["userstore-archive.db", "userstore.db"] : [data, "userstore-archive.db"]
                let root = user.map { "\(world.folder.path)/users/\($0.folderName)/" } ?? "\(world.folder.path)/"
                #expect(removal.stores.map(\.path).sorted() == inner.map { root + $0 }.sorted())
                #expect(removal.kept == [])
            }
            #expect(try world.tree() == global.merging(["users/": Data()]) { $1 })
        }

        @Test(arguments: UserWorld.Kind.allCases)
        func `An open client is stopped and its user removed`(_ kind: UserWorld.Kind) async throws {
            let world = try UserWorld(kind)
            try await world.fill(world.bob)
            let before = try world.tree()
            try await world.fill(world.alice)
            let kit = try await SoupClient.open(at: world.folder.url, options: world.options(world.alice))
            let removal = try await kit.destroy()
            #expect(removal.stores.count == 2)
            #expect(try world.tree() == before)
            await #expect(throws: SoupError.self) { try await kit.store.soupNames() }
            // The user has empty stores after the next login.
            let again = try await SoupClient.open(at: world.folder.url, options: world.options(world.alice))
            #expect(try await again.store.count(.all("notes")) == 0)
            try await again.close()
        }

        @Test func `Changes that were not sent are never lost silently`() async throws {
            let world = try UserWorld(.plain)
            for user in world.all { try await world.fill(user) }
            for user in world.all {
                let kit = try await SoupClient.open(at: world.folder.url, options: world.options(user))
                try await kit.store.create(["key": "new"], type: "Note", in: "notes")
                let named = try world.stores(user).file(of: "archive", in: .user)
                let archive = try await SoupClient.openStore(
                    at: world.folder.url, options: .init(store: named, environment: [:]))
                try await archive.create(["key": "new"], type: "Note", in: "notes")
                try await archive.create(["key": "more"], type: "Note", in: "notes")
                try await archive.close()
                let error = await #expect(throws: SoupError.self) { _ = try await kit.destroy() }
                #expect(error?.code == .localChanges)
                #expect(
                    error?.message
                        == "changes that were not sent would be lost: userstore.db: notes (1); userstore-archive.db: notes (2)"
                )
                // The client is still open, and runs syncs.
                #expect(try await kit.store.count(.all("notes")) == 2)
                let changes = try await SoupClient.unsentChanges(at: world.folder.url, options: world.options(user))
                #expect(
                    changes.map(\.soups) == [[.init(soup: "notes", entries: 1)], [.init(soup: "notes", entries: 2)]])
                try await kit.close()
                let before = try world.names()
                let second = await #expect(throws: SoupError.self) {
                    _ = try await SoupClient.destroy(at: world.folder.url, options: world.options(user))
                }
                #expect(second == error)
                #expect(try world.names() == before)
                _ = try await SoupClient.destroy(
                    at: world.folder.url, options: world.options(user), discardingUnsentChanges: true)
                #expect(try world.stores(user).names(in: .user) == [])
            }
        }

        @Test(arguments: [false, true])
        func `A change at the last moment stops the removal`(discards: Bool) async throws {
            let world = try UserWorld(.plain)
            for user in world.all {
                try await world.fill(user)
                let kit = try await SoupClient.open(at: world.folder.url, options: world.options(user))
                var failure: (any Error)?
                do {
                    _ = try await kit.destroy(discardingUnsentChanges: discards) {
                        try await kit.store.create(["key": "new"], type: "Note", in: "notes")
                    }
                } catch {
                    failure = error
                }
                #expect((failure as? SoupError)?.code == (discards ? nil : .localChanges))
                await #expect(throws: SoupError.self) { try await kit.store.soupNames() }
                let changes = try await SoupClient.unsentChanges(at: world.folder.url, options: world.options(user))
                #expect(changes.map(\.soups) == (discards ? [] : [[.init(soup: "notes", entries: 1)]]))
            }
        }

        @Test func `A store that is being synced is not removed`() async throws {
            let world = try UserWorld(.plain)
            for user in world.all { try await world.fill(user) }
            for user in world.all {
                for name in ["archive", StoreFolder.defaultName] {
                    var options = world.options(user)
                    options.store = try world.stores(user).file(of: name, in: .user)
                    let other = try await SoupClient.openStore(at: world.folder.url, options: options)
                    let lease = try #require(try await other.backend.claimSyncs())
                    let kit = try await SoupClient.open(at: world.folder.url, options: world.options(user))
                    let before = try world.names()
                    for discards in [false, true] {
                        let error = await #expect(throws: SoupError.self) {
                            _ = try await SoupClient.destroy(
                                at: world.folder.url, options: world.options(user), discardingUnsentChanges: discards)
                        }
                        #expect(error?.code == .storeUnusable)
                        await #expect(throws: SoupError.self) {
                            _ = try await kit.destroy(discardingUnsentChanges: discards)
                        }
                    }
                    #expect(try await kit.store.count(.all("notes")) == 1)
                    #expect(try world.names() == before)
                    lease.release()
                    try await kit.close()
                    try await other.close()
                }
            }
        }

        @Test func `A store whose key is lost is only discarded`() async throws {
            let world = try UserWorld(.encrypted)
            try await world.fill(world.alice)
            let key = try world.stores(world.alice).file(in: .user).path + ".key"
            try FileManager.default.removeItem(atPath: key)
            let error = await #expect(throws: SoupError.self) {
                _ = try await SoupClient.destroy(at: world.folder.url, options: world.options(world.alice))
            }
            #expect(error?.code == .localChanges)
            _ = try await SoupClient.destroy(
                at: world.folder.url, options: world.options(world.alice), discardingUnsentChanges: true)
            #expect(try world.tree().keys.filter { $0.hasPrefix("users/") } == ["users/"])
        }

        @Test func `A user without stores is removed without an error`() async throws {
            let world = try UserWorld(.plain)
            for user in world.all {
                #expect(
                    try await SoupClient.destroy(at: world.folder.url, options: world.options(user)) == UserRemoval())
            }
            #expect(try world.tree().keys.sorted() == ["globalstore.json", "userstore.json"])
        }

        @Test func `The global store is never removed`() async throws {
            let world = try UserWorld(.plain)
            try await world.fillGlobal()
            let before = try world.tree()
            for user in world.all {
                let error = await #expect(throws: SoupError.self) {
                    _ = try await SoupClient.destroy(at: world.folder.url, options: world.options(user, .global))
                }
                #expect(error?.code == .notSupported)
            }
            #expect(try world.tree() == before)
        }

        @Test func `A file of the options is the only one without a user`() async throws {
            let world = try UserWorld(.encrypted)
            try await world.fill(nil)
            let before = try world.tree()
            let elsewhere = try TemporaryFolder()
            var options = world.options(nil)
            options.store = elsewhere.url.appending(path: "deep/mine.db")
            let kit = try await SoupClient.open(at: world.folder.url, options: options)
            #expect(try elsewhere.files == ["deep"])
            #expect(try await kit.destroy().stores.map(\.lastPathComponent) == ["mine.db"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere.path + "/deep") == [])
            #expect(try world.tree() == before)
        }

        @Test func `Stores of another folder are removed from there`() async throws {
            let world = try UserWorld(.routed)
            let data = try TemporaryFolder()
            for user in world.all {
                var options = world.options(user)
                options.storeFolder = data.url
                let kit = try await SoupClient.open(at: world.folder.url, options: options)
                try await kit.store.upsert(["key": "a"], into: "notes")
                try await kit.close()
            }
            #expect(try StoreFolder(at: data.url).users() == [world.alice, world.bob])
            for user in world.all {
                var options = world.options(user)
                options.storeFolder = data.url
                #expect(try await SoupClient.destroy(at: world.folder.url, options: options).stores.count == 1)
            }
            #expect(try world.tree().keys.sorted() == ["globalstore.json", "userstore.json"])
            #expect(try data.files == ["users"])
        }

        @Test func `Files at configured paths are removed or reported`() async throws {
            let elsewhere = try TemporaryFolder()
            func folder(_ user: String, _ global: String = "{}") throws -> TemporaryFolder {
                try TemporaryFolder([
                    "userstore.json": #"{"soups": [], "backend": \#(user)}"#,
                    "globalstore.json": #"{"soups": [] \#(global)}"#,
                ])
            }
            let path = elsewhere.path + "/mine.db"
            let backend = #"{"type": "sqlite", "path": "\#(path)"}"#
            let own = try folder(backend, "")
            let kit = try await SoupClient.open(at: own.url, options: .init(environment: [:]))
            #expect(try await kit.destroy().stores.map(\.path) == [path])
            #expect(try elsewhere.files == [])

            // The same file as the global store.
            let shared = try folder(backend, #", "backend": \#(backend)"#)
            try await SoupClient.open(at: shared.url, options: .init(environment: [:])).close()
            let removal = try await SoupClient.destroy(at: shared.url)
            #expect(removal.stores == [])
            #expect(
                removal.kept.map(\.description)
                    == ["userstore.json: backend: \(path) is also the file of a global store, which all users share"])
            #expect(try elsewhere.files == ["mine.db", "mine.db-syncs"])
        }

        @Test func `Users cannot share a configured file`() async throws {
            let user = try StoreUser(organization: "o", user: "u")
            for path in ["/tmp/shared.db", "../shared.db", "a/../../shared.db", "./.."] {
                let folder = try TemporaryFolder([
                    "userstore.json":
                        #"{"soups": [], "backend": {"type": "metered", "store": {"type": "sqlite", "path": "\#(path)"}}}"#
                ])
                let error = await #expect(throws: ConfigurationError.self) {
                    _ = try await SoupClient.open(at: folder.url, options: .init(user: user, environment: [:]))
                }
                #expect(
                    "\(error.map { "\($0)" } ?? "")".contains(
                        "userstore.json: backend.store: the path \"\(path)\" is outside the folder of the user u of org o"
                    ))
                #expect(try folder.files == ["userstore.json"])
            }
            let folder = try TemporaryFolder([
                "userstore.json": #"{"soups": [], "backend": {"type": "sqlite", "path": "a/b/../c.sqlite"}}"#
            ])
            let options = SoupClient.Options(user: user, environment: [:])
            let kit = try await SoupClient.open(at: folder.url, options: options)
            #expect(FileManager.default.fileExists(atPath: folder.path + "/users/o.u/a/c.sqlite"))
            #expect(try await kit.destroy().stores.map(\.path) == ["\(folder.path)/users/o.u/a/c.sqlite"])
        }

        @Test func `A configured key file belongs to one user`() async throws {
            let folder = try TemporaryFolder([
                "userstore.json": #"""
                {"soups": [], "backend": {"type": "sqlite", "encryption": {"key": {"type": "file", "path": "my.key"}}}}
                """#
            ])
            var keys: Set<Data> = []
            for name in ["a", "b"] {
                let user = try StoreUser(organization: "o", user: name)
                try await SoupClient.open(at: folder.url, options: .init(user: user, environment: [:])).close()
                keys.insert(try Data(contentsOf: URL(filePath: "\(folder.path)/users/o.\(name)/my.key")))
            }
            #expect(keys.count == 2)
        }
    }

#endif

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption && (canImport(CryptoKit) || KeyValue)

    import Foundation
    import SoupKeyValue
    import SoupStore
    import SoupCore
    import SoupKit
    import SoupTesting

    /// A device with several users, who have all kinds of stores with the same names.
    struct UserWorld {
        /// A kind of store.
        enum Kind: String, CaseIterable {
            case plain = #"{"type": "sqlite"}"#
            case encrypted = #"{"type": "sqlite", "encryption": {"key": "file"}}"#
            case placed = #"{"type": "sqlite", "path": "data/mine.db", "encryption": {"key": "file"}}"#
            case routed = #"""
                {"type": "routed", "default": {"type": "sqlite", "encryption": {"key": "file"}},
                  "routes": {"notes": {"type": "sqlite", "encryption": {"key": "file"}}}}
                """#
            case metered = #"{"type": "metered", "store": {"type": "sqlite"}}"#
            case layered = #"{"type": "layered", "back": {"type": "sqlite"}}"#
        }

        let folder: TemporaryFolder
        private let configuration: [String: String]
        let alice: StoreUser
        let bob: StoreUser
        var all: [StoreUser?] { [nil, alice, bob] }

        init(_ kind: Kind) throws {
            let soups = #"""
                [{"soupName": "notes", "indexes": [{"path": "key", "type": "string"}, {"path": "__local__", "type": "string"}]},
                 {"soupName": "other", "indexes": [{"path": "key", "type": "string"}]}]
                """#
            configuration = [
                "userstore.json": #"{"soups": \#(soups), "backend": \#(kind.rawValue)}"#,
                "globalstore.json":
                    #"{"soups": \#(soups), "backend": \#(kind.rawValue.replacing("mine", with: "shared"))}"#,
            ]
            folder = try TemporaryFolder(configuration)
            // Without a user, the app creates the folder of a configured path.
            if kind == .placed {
                try FileManager.default.createDirectory(
                    at: folder.url.appending(path: "data"), withIntermediateDirectories: true)
            }
            alice = try StoreUser(organization: "00DJ0000000CeXy", user: "005J0000002AbCd")
            // The same user of an org, with another site.
            bob = try StoreUser(organization: "00DJ0000000CeXy", user: "005J0000002AbCd", community: "0DBJ0000000AbCd")
        }

        /// A copy of a device, with all of its files.
        init(copying world: UserWorld) throws {
            (alice, bob, configuration) = (world.alice, world.bob, world.configuration)
            folder = try TemporaryFolder()
            for name in try world.folder.files {
                try FileManager.default.copyItem(
                    atPath: "\(world.folder.path)/\(name)", toPath: "\(folder.path)/\(name)")
            }
        }

        func options(_ user: StoreUser?, _ scope: StoreScope = .user) -> SoupClient.Options {
            .init(scope: scope, user: user, environment: [:])
        }

        func stores(_ user: StoreUser?) -> StoreFolder { StoreFolder(at: folder.url, of: user) }

        /// The text in all rows and values of a user.
        static func text(_ user: StoreUser?) -> String { "text of \(user?.description ?? "no user")" }

        /// Creates the default store, a named store and key-value stores of a user.
        func fill(_ user: StoreUser?) async throws {
            try await write(options(user), Self.text(user))
            var named = options(user)
            named.store = try stores(user).file(of: "archive", in: .user)
            try await write(named, Self.text(user))
            let values = KeyValueStores(in: stores(user).folder(of: .user))
            try await values.open("cache").save(Self.text(user), forKey: "key")
            try await values.open("removed").save(Self.text(user), forKey: "key")
            // As after the crash of a removal.
            let path = stores(user).folder(of: .user).path + "/key_value_stores/"
            try FileManager.default.moveItem(atPath: path + "removed", toPath: path + ".removed-17")
        }

        /// Creates the store of all users.
        func fillGlobal() async throws {
            try await write(options(nil, .global), "text of all users")
            try await KeyValueStores(in: stores(nil).folder(of: .global)).open("cache").save("all", forKey: "key")
        }

        private func write(_ options: SoupClient.Options, _ text: String) async throws {
            let kit = try await SoupClient.open(at: folder.url, options: options)
            try await kit.store.upsert(["key": "a", "text": .string(text)], into: "notes")
            try await kit.store.upsert(["key": "b", "text": .string(text)], into: "other")
            // Creates the lock file.
            try await kit.store.backend.claimSyncs()?.release()
            try await kit.close()
        }

        /// Adds the files that crashes of SoupKit leave beside the stores of a user.
        func addLeftovers(_ user: StoreUser?) throws {
            for name in ["archive", StoreFolder.defaultName] {
                let file = try stores(user).file(of: name, in: .user).path
                for suffix in [
                    "-journal", ".soupkit-change", ".soupkit-change-wal",
                    ".soupkit-change-shm", ".soupkit-change-journal", ".key.0123456789abcdef",
                ] where !FileManager.default.fileExists(atPath: file + suffix) {
                    try Data((suffix == "-journal" ? "" : Self.text(user)).utf8).write(to: URL(filePath: file + suffix))
                }
            }
        }

        /// The names of all files, without those that an open store has.
        func names() throws -> [String] {
            try tree().keys.filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted()
        }

        /// The contents of all files, by their paths in the folder; a folder without files has a slash at its end.
        func tree() throws -> [String: Data] {
            var tree: [String: Data] = [:]
            let names = FileManager.default.enumerator(atPath: folder.path)
            while let name = names?.nextObject() as? String {
                let path = "\(folder.path)/\(name)"
                if let inner = try? FileManager.default.contentsOfDirectory(atPath: path) {
                    if inner.isEmpty { tree[name + "/"] = Data() }
                } else {
                    tree[name] = try Data(contentsOf: URL(filePath: path))
                }
            }
            return tree
        }
    }

#endif

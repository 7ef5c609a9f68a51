// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption && (canImport(CryptoKit) || KeyValue)

import Foundation
import SoupCore
import SoupEncryption
import SoupKeyValue
import SoupTesting
import Synchronization
import Testing

@Suite struct KeyValueFolderEncryptionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func stores(_ first: UInt8 = 0) -> KeyValueStores { KeyValueStores(in: folder.url, key: FixedKey(first)) }

    private func code(_ work: () async throws -> Void) async -> SoupError.Code? {
        do {
            try await work()
            return nil
        } catch {
            return (error as? SoupError)?.code ?? SoupError.Code(rawValue: "\(error)")
        }
    }

    /// Returns the files of a store by name, without `version` and `header`.
    private func files(_ store: FileKeyValueStore) throws -> [String: Data] {
        let path = store.folder.path(percentEncoded: false)
        return try FileManager.default.contentsOfDirectory(atPath: path).reduce(into: [:]) { files, name in
            if name.hasSuffix("_key") || name.hasSuffix("_value") {
                files[name] = try Data(contentsOf: URL(filePath: "\(path)/\(name)"))
            }
        }
    }

    private func write(_ data: Data, to name: String, of store: FileKeyValueStore) throws {
        try data.write(to: store.folder.appending(component: name))
    }

    @Test func `Neither values nor keys are in the files`() async throws {
        let store = try await stores().open("s")
        #expect(store.version == 3)
        try await store.save("plainvalue", forKey: "plainkey")
        try await store.save(Data(repeating: 7, count: 200_000), forKey: "large")
        #expect(try await store.string(forKey: "plainkey") == "plainvalue")
        #expect(try await store.data(forKey: "large") == Data(repeating: 7, count: 200_000))
        #expect(try await store.keys() == ["large", "plainkey"])
        let all = try files(store)
        #expect(all.count == 4)
        for (name, data) in all {
            #expect(data.range(of: Data("plain".utf8)) == nil, "\(name)")
            #expect(data.range(of: Data(repeating: 7, count: 8)) == nil, "\(name)")
        }
        // The names depend on the key of the folder: the same keys have other names in another store.
        let other = try await stores().open("t")
        try await other.save("plainvalue", forKey: "plainkey")
        #expect(try Set(files(other).keys).isDisjoint(with: all.keys))
    }

    @Test func `A store is read with its key, and with no other`() async throws {
        try await stores().open("s").save("v", forKey: "k")
        #expect(try await stores().open("s").string(forKey: "k") == "v")
        #expect(await code { _ = try await stores(1).open("s") } == .wrongKey)
        #expect(await code { _ = try await KeyValueStores(in: folder.url).open("s") } == .storeEncrypted)
        _ = try await KeyValueStores(in: folder.url).open("plain")
        #expect(await code { _ = try await stores().open("plain") } == .storeNotEncrypted)
        #expect(try await stores().names() == ["plain", "s"])
    }

    @Test func `Damaged, cut, swapped and foreign files are found`() async throws {
        let store = try await stores().open("s")
        let large = Data(repeating: 7, count: 140_000)
        try await store.save(large, forKey: "k")
        let valid = try files(store)
        let name = try #require(valid.keys.first { $0.hasSuffix("_value") })
        let value = try #require(valid[name])
        #expect(value.count == large.count + 3 * 40)
        let frame = 65_536 + 40
        try await stores().open("t").save(large, forKey: "k")
        let foreign = try #require(try files(await stores().open("t")).values.max { $0.count < $1.count })
        var changed = value
        changed[100] ^= 1
        let cases: [(String, Data)] = [
            ("changed", changed), ("cut", value.dropLast(1)), ("cut at a frame", value.prefix(frame)),
            ("cut at two frames", value.prefix(2 * frame)), ("empty", Data()), ("foreign", foreign),
            ("swapped", value[frame..<2 * frame] + value[..<frame] + value[(2 * frame)...]),
            ("doubled", value[..<frame] + value), ("longer", value + Data([1])),
        ]
        for (description, data) in cases {
            try write(data, to: name, of: store)
            #expect(await code { _ = try await store.data(forKey: "k") } == .storeUnusable, "\(description)")
        }
        let key = try #require(valid.keys.first { $0.hasSuffix("_key") })
        try write(value, to: name, of: store)
        #expect(try await store.data(forKey: "k") == large)
        try write(try #require(valid[key]) + Data([0]), to: key, of: store)
        #expect(await code { _ = try await store.keys() } == .storeUnusable)
    }

    @Test func `Another provider gets the key without a change of values`() async throws {
        let store = try await stores().open("s")
        try await store.save("v", forKey: "k")
        let before = try files(store)
        try await stores().changeKey(of: "s", to: FixedKey(1))
        #expect(try files(store) == before)
        try await store.save("w", forKey: "k")
        #expect(await code { _ = try await stores().open("s") } == .wrongKey)
        #expect(try await stores(1).open("s").string(forKey: "k") == "w")
        #expect(await code { try await stores().changeKey(of: "s", to: FixedKey(2)) } == .wrongKey)
        #expect(await code { try await stores().changeKey(of: "none", to: FixedKey(2)) } == .storeUnusable)
    }

    @Test func `A removed store takes its key along`() async throws {
        let stores = KeyValueStores(in: folder.url, key: FileKey(configuration: .init()))
        try await stores.open("s").save("v", forKey: "k")
        #expect(FileManager.default.fileExists(atPath: folder.path + "/key_value_stores/s.key"))
        #expect(try await stores.names() == ["s"])
        #expect(try await stores.remove("s"))
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/key_value_stores/s.key"))
        try await stores.open("s").save("v", forKey: "k")
        try await stores.removeAll()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/key_value_stores") == [])
    }

    /// The key provider `file`, with another process that removes the store as soon as its secret was read.
    private final class RemovedKey: KeyProvider {
        struct Configuration: Decodable, Sendable {}
        static let name: PluginName = "removed"
        let file = FileKey(configuration: .init())
        let stores: KeyValueStores?
        let calls = Mutex(0)

        init(configuration: Configuration) { stores = nil }
        init(_ stores: KeyValueStores) { self.stores = stores }

        func secret(for request: KeyRequest) async throws -> StoreSecret {
            let secret = try await file.secret(for: request)
            guard
                calls.withLock({ calls in
                    calls += 1
                    return calls == 1
                })
            else { return secret }
            _ = try await stores?.open("s")
            try await stores?.remove("s")
            return secret
        }
    }

    @Test(arguments: [false, true])
    func `A store that is removed meanwhile gets an existing key`(_ exists: Bool) async throws {
        let others = KeyValueStores(in: folder.url, key: FileKey(configuration: .init()))
        if exists { try await others.open("s").save("old", forKey: "k") }
        let store = try await KeyValueStores(in: folder.url, key: RemovedKey(others)).open("s")
        #expect(try await store.string(forKey: "k") == nil)
        try await store.save("new", forKey: "k")
        #expect(try await others.open("s").string(forKey: "k") == "new")
    }

    @Test func `A secret that cannot be removed keeps the store`() async throws {
        struct Stubborn: KeyProvider {
            struct Configuration: Decodable, Sendable {}
            static let name: PluginName = "stubborn"
            init(configuration: Configuration = .init()) {}
            func secret(for request: KeyRequest) async throws -> StoreSecret {
                try await FixedKey().secret(for: request)
            }
            func removeSecret(for request: KeyRequest) async throws { throw SoupError(.keyUnavailable, "locked") }
        }
        let stores = KeyValueStores(in: folder.url, key: Stubborn())
        try await stores.open("s").save("v", forKey: "k")
        #expect(await code { try await stores.remove("s") } == .keyUnavailable)
        #expect(try await stores.open("s").string(forKey: "k") == "v")
        #expect(try await !stores.remove("none"))
    }

    @Test func `A damaged header is reported`() async throws {
        let store = try await stores().open("s")
        let header = store.folder.appending(component: "header")
        let valid = try Data(contentsOf: header)
        for changes in [[60], [60, 4156], [0, 4096]] {
            var data = valid
            for index in changes { data[index] ^= 1 }
            try data.write(to: header)
            let expected: SoupError.Code? = changes.count == 1 ? nil : .storeUnusable
            #expect(await code { _ = try await stores().open("s") } == expected)
        }
        try FileManager.default.removeItem(at: header)
        #expect(await code { _ = try await stores().open("s") } == .storeUnusable)
    }
}

#endif

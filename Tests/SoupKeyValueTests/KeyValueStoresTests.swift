// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit) || KeyValue

import Foundation
import SoupKeyValue
import SoupCore
import SoupTesting
import Testing

@Suite struct KeyValueStoresTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: ["a", "Z_9", "_", String(repeating: "x", count: 96)])
    func `Valid names are accepted`(_ name: String) async throws {
        let stores = KeyValueStores(in: folder.url)
        try await stores.open(name).save("x", forKey: "k")
        #expect(try await stores.names() == [name])
    }

    @Test(arguments: [
        "", ".", "..", "../up", "a/b", "a b", "a-b", "a.b", "é", "a\0", "\u{FF41}", String(repeating: "x", count: 97),
    ])
    func `Invalid names are refused`(_ name: String) async throws {
        let stores = KeyValueStores(in: folder.url)
        var errors: [SoupError?] = []
        errors.append(await #expect(throws: SoupError.self) { try await stores.open(name) })
        errors.append(await #expect(throws: SoupError.self) { try await stores.remove(name) })
        #expect(errors.map { $0?.code } == [.badStoreName, .badStoreName])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    /// Returns the permissions of a file or folder in octal digits.
    private func mode(_ path: String) throws -> String {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return String(attributes[.posixPermissions] as? Int ?? -1, radix: 8)
    }

    @Test func `A store is made private when it is opened`() async throws {
        let stores = KeyValueStores(in: folder.url)
        try await stores.open("s").save("x", forKey: "k")
        let path = stores.folder.path + "/s"
        let files = try FileManager.default.contentsOfDirectory(atPath: path).map { path + "/" + $0 }
        #expect(files.count == 3)
        let outside = folder.path + "/outside"
        try Data().write(to: URL(filePath: outside))
        try FileManager.default.createSymbolicLink(atPath: path + "/.link", withDestinationPath: outside)
        for file in files + [outside] {
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        let store = try await stores.open("s")
        #expect(try mode(path) == "700")
        #expect(try files.map { try mode($0) } == ["600", "600", "600"])
        #expect(try mode(outside) == "644")
        #expect(try await store.string(forKey: "k") == "x")
    }

    @Test func `Only an existing store's folder is made private`() async throws {
        let stores = KeyValueStores(in: folder.url)
        for name in ["empty", "foreign"] {
            try FileManager.default.createDirectory(
                atPath: stores.folder.path + "/" + name, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o755])
        }
        try Data().write(to: URL(filePath: stores.folder.path + "/foreign/letter.txt"))
        _ = try await stores.open("empty")
        await #expect(throws: SoupError.self) { try await stores.open("foreign") }
        #expect(try mode(stores.folder.path + "/empty") == "700")
        #expect(try mode(stores.folder.path + "/foreign") == "755")
    }

    @Test func `Stores are listed and removed`() async throws {
        let stores = KeyValueStores(in: URL(filePath: folder.path + "/user"))
        let others = KeyValueStores(in: URL(filePath: folder.path + "/global"))
        #expect(try await stores.names() == [])
        #expect(try await stores.remove("b") == false)
        for name in ["b", "a", "c"] { try await stores.open(name).save(name, forKey: "k") }
        try await others.open("a").save("other", forKey: "k")
        try Data().write(to: URL(filePath: stores.folder.path + "/file"))
        #expect(try await stores.names() == ["a", "b", "c"])
        let opened = try await stores.open("b")
        #expect(try await stores.remove("b"))
        #expect(try await stores.names() == ["a", "c"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: stores.folder.path).sorted() == ["a", "c", "file"])

        let read = await #expect(throws: SoupError.self) { try await opened.data(forKey: "k") }
        let save = await #expect(throws: SoupError.self) { try await opened.save("x", forKey: "k") }
        #expect([read?.code, save?.code] == [.storeUnusable, .storeUnusable])
        #expect(try await stores.open("b").isEmpty())
        try await stores.removeAll()
        #expect(try await stores.names() == [])
        #expect(try await others.open("a").string(forKey: "k") == "other")
    }

    /// Returns the calls of a store that do not throw `storeUnusable` with the expected hint.
    private func unexpectedResults(_ store: some KeyValueStore) async -> [String] {
        let calls: [(String, @Sendable () async throws -> Void)] = [
            ("save", { try await store.save("x", forKey: "k") }),
            ("save chunks", { try await store.save(chunks: AsyncStream { $0.finish() }, forKey: "k") }),
            ("data", { _ = try await store.data(forKey: "k") }),
            ("chunks", { _ = try await store.chunks(forKey: "k") }),
            ("contains", { _ = try await store.contains("k") }),
            ("delete", { try await store.delete("k") }),
            ("deleteAll", { try await store.deleteAll() }),
            ("keys", { _ = try await store.keys() }),
            ("count", { _ = try await store.count() }),
            ("requireStore", { try await store.requireStore() }),
        ]
        var results: [String] = []
        for (name, call) in calls {
            do {
                try await call()
                results.append("\(name): no error")
            } catch {
                let error = error as? SoupError
                if error?.code != .storeUnusable || error?.hint != "Open the store again." {
                    results.append("\(name): \(error?.description ?? "another error")")
                }
            }
        }
        return results
    }

    @Test(arguments: [false, true]) func `Every call of a removed store throws`(isRecreated: Bool) async throws {
        let stores = KeyValueStores(in: folder.url)
        let store = try await stores.open("s")
        let cached = CachedKeyValueStore(try await stores.open("s"), capacity: 1000)
        let untouched = CachedKeyValueStore(try await stores.open("s"), capacity: 1000)
        try await cached.save("old", forKey: "k")
        #expect(try await untouched.string(forKey: "k") == "old")
        #expect(cached.cachedBytes == 4 && untouched.cachedBytes == 4)
        #expect(try await stores.remove("s"))
        if isRecreated { try await stores.open("s").save("new", forKey: "k") }

        #expect(await unexpectedResults(cached) == [])
        #expect(await unexpectedResults(store) == [])
        let error = await #expect(throws: SoupError.self) { try await untouched.string(forKey: "k") }
        #expect(
            error?.message
                == (isRecreated
                    ? "the key-value store was removed, and another one was created in its place"
                    : "the folder of the key-value store no longer exists"))
        #expect(error?.place?.file == store.folder.path)
        guard isRecreated else { return #expect(try await stores.names() == []) }
        #expect(try await stores.open("s").string(forKey: "k") == "new")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: store.folder.path).filter { $0.hasPrefix(".") } == [])
    }

    /// Chunks that were requested before the store was removed are read to their end.
    @Test func `Open chunks can be read after the store is removed`() async throws {
        let stores = KeyValueStores(in: folder.url)
        let store = try await stores.open("s")
        try await store.save("value", forKey: "k")
        let chunks = try #require(try await store.chunks(forKey: "k"))
        try await stores.remove("s")
        var read = Data()
        for try await chunk in chunks { read.append(chunk) }
        #expect(read == Data("value".utf8))
    }
}

#endif

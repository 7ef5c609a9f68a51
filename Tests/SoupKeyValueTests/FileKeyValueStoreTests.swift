// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit) || KeyValue

import Foundation
import SoupKeyValue
import SoupCore
import Synchronization
import SoupTesting
import Testing

@Suite struct FileKeyValueStoreTests {
    let folder: TemporaryFolder
    let stores: KeyValueStores
    init() throws {
        folder = try TemporaryFolder()
        stores = KeyValueStores(in: folder.url)
    }

    /// Returns the names of a store's files, hidden ones included.
    func files(_ name: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(stores.folder.path)/\(name)").sorted()
    }

    /// Writes a file into the folder of a store, and creates a missing folder.
    func put(_ text: String, _ file: String, in name: String) throws {
        try FileManager.default.createDirectory(
            atPath: "\(stores.folder.path)/\(name)", withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(filePath: "\(stores.folder.path)/\(name)/\(file)"))
    }

    /// The SHA-256 of "abc".
    static let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    @Test func `Values are saved, read and deleted`() async throws {
        let store = try await stores.open("a_1")
        #expect(store.name == "a_1" && store.version == 2)
        #expect(try await store.isEmpty())
        #expect(try await store.string(forKey: "abc") == nil)
        #expect(try await store.chunks(forKey: "abc") == nil)
        try await store.save("one", forKey: "abc")
        try await store.save(Data([0xFF, 0, 1]), forKey: "../../escape/\0\n")
        #expect(try files("a_1").contains(Self.abc + "_key"))
        #expect(try String(contentsOfFile: "\(store.folder.path)/\(Self.abc)_value", encoding: .utf8) == "one")
        #expect(try await store.string(forKey: "abc") == "one")
        #expect(try await store.data(forKey: "../../escape/\0\n") == Data([0xFF, 0, 1]))
        #expect(try await store.keys() == ["../../escape/\0\n", "abc"])
        #expect(try await store.count() == 2)
        #expect(try await store.isEmpty() == false)
        #expect(try await store.contains("abc"))
        #expect(try await store.contains("abd") == false)
        try await store.save("", forKey: "abc")
        #expect(try await store.string(forKey: "abc") == "")
        #expect(try await store.delete("abc"))
        #expect(try await store.delete("abc") == false)
        #expect(try files("a_1").count == 3)
        try await store.deleteAll()
        #expect(try files("a_1") == ["version"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["key_value_stores"])
    }

    @Test func `Values can be read after the store is opened again`() async throws {
        let key = String(repeating: "long key é ", count: 200)
        try await stores.open("s").save("kept", forKey: key)
        let again = try await KeyValueStores(in: URL(filePath: folder.path + "/")).open("s")
        #expect(try await again.string(forKey: key) == "kept")
        #expect(try await again.keys() == [key])
    }

    @Test func `Keys are compared by their bytes`() async throws {
        let store = try await stores.open("s")
        try await store.save("composed", forKey: "\u{E9}")
        try await store.save("decomposed", forKey: "e\u{301}")
        #expect(try await store.string(forKey: "\u{E9}") == "composed")
        #expect(try await store.string(forKey: "e\u{301}") == "decomposed")
        #expect(try await store.keys().map { Array($0.utf8) } == [[0x65, 0xCC, 0x81], [0xC3, 0xA9]])
    }

    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000]) func `A value is saved and read in chunks`(
        _ size: Int
    ) async throws {
        let store = try await stores.open("s")
        let value = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 251) })
        let pieces = AsyncStream { continuation in
            for start in stride(from: 0, to: size, by: 30_001) {
                continuation.yield(value[start..<min(size, start + 30_001)])
                continuation.yield(Data())
            }
            continuation.finish()
        }
        try await store.save(chunks: pieces, forKey: "big")
        #expect(try await store.data(forKey: "big") == value)
        let chunks = try #require(try await store.chunks(forKey: "big"))
        try await store.save("other", forKey: "big")
        // Both iterations read the old value.
        for _ in 0..<2 {
            var read = Data()
            for try await chunk in chunks {
                #expect((1...65_536).contains(chunk.count))
                read.append(chunk)
            }
            #expect(read == value)
        }
        #expect(try await store.string(forKey: "big") == "other")
    }

    @Test func `A failed or cancelled stream saves nothing`() async throws {
        let store = try await stores.open("s")
        try await store.save("old", forKey: "k")
        let broken = AsyncThrowingStream<Data, any Error> { continuation in
            continuation.yield(Data(repeating: 1, count: 100_000))
            continuation.finish(throwing: SoupError(.network, "connection lost"))
        }
        let error = await #expect(throws: SoupError.self) { try await store.save(chunks: broken, forKey: "k") }
        #expect(error?.code == .network)
        let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
        let save = Task { try await store.save(chunks: chunks, forKey: "k") }
        continuation.yield(Data(repeating: 1, count: 100_000))
        save.cancel()
        await #expect(throws: CancellationError.self) { try await save.value }
        #expect(try await store.string(forKey: "k") == "old")
        #expect(try files("s").count == 3)
    }

    @Test func `A cancelled task changes nothing`() async throws {
        let store = try await stores.open("s")
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await store.save("x", forKey: "k")
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try files("s") == ["version"])
    }

    // MARK: Invalid input

    @Test func `The empty key is refused`() async throws {
        let store = try await stores.open("s")
        func code(_ work: () async throws -> Void) async -> SoupError.Code? {
            do { try await work() } catch { return (error as? SoupError)?.code }
            return nil
        }
        #expect(await code { try await store.save("x", forKey: "") } == .badKey)
        #expect(await code { try await store.save(chunks: AsyncStream { $0.finish() }, forKey: "") } == .badKey)
        #expect(await code { _ = try await store.string(forKey: "") } == .badKey)
        #expect(await code { _ = try await store.chunks(forKey: "") } == .badKey)
        #expect(await code { _ = try await store.contains("") } == .badKey)
        #expect(await code { try await store.delete("") } == .badKey)
        #expect(try files("s") == ["version"])
    }

    @Test func `A value that is not text is an error`() async throws {
        let store = try await stores.open("s")
        try await store.save(Data([0xC3]), forKey: "k")
        let error = await #expect(throws: SoupError.self) { try await store.string(forKey: "k") }
        #expect(error?.code == .notText)
    }

    @Test func `Errors name the file that cannot be read`() async throws {
        let store = try await stores.open("s")
        try await store.save("x", forKey: "abc")
        let value = "\(store.folder.path)/\(Self.abc)_value"
        let key = "\(store.folder.path)/\(Self.abc)_key"
        func place(_ work: () async throws -> Void) async -> String? {
            do { try await work() } catch {
                return (error as? SoupError)?.code == .storeUnusable ? (error as? SoupError)?.place?.file : "\(error)"
            }
            return nil
        }
        try put("abd", Self.abc + "_key", in: "s")
        #expect(await place { _ = try await store.keys() } == key)
        try FileManager.default.removeItem(atPath: key)
        #expect(await place { _ = try await store.keys() } == key)
        #expect(try await store.string(forKey: "abc") == "x")
        // Saving again repairs the key file.
        try await store.save("y", forKey: "abc")
        #expect(try await store.keys() == ["abc"])

        try FileManager.default.removeItem(atPath: value)
        try FileManager.default.createDirectory(atPath: value, withIntermediateDirectories: true)
        #expect(await place { _ = try await store.data(forKey: "abc") } == value)
        #expect(await place { try await store.save("z", forKey: "abc") } == value)
        #expect(await place { try await store.delete("abc") } == value)
        #expect(try files("s").filter { $0.hasPrefix(".") }.isEmpty)
    }

    @Test func `A pipe at the path of a value does not block`() async throws {
        let store = try await stores.open("s")
        #expect(mkfifo("\(store.folder.path)/\(Self.abc)_value", 0o600) == 0)
        await #expect(throws: SoupError.self) { try await store.data(forKey: "abc") }
    }

    // MARK: Versions

    @Test func `A store of version 1 has no keys`() async throws {
        try put("old value", Self.abc, in: "one")
        let store = try await stores.open("one")
        #expect(store.version == 1)
        #expect(try await store.string(forKey: "abc") == "old value")
        #expect(try await store.count() == 1)
        let error = await #expect(throws: SoupError.self) { try await store.keys() }
        #expect(error?.code == .notSupported)
        try await store.save("new value", forKey: "abc")
        try await store.save("x", forKey: "other")
        #expect(try await store.delete("abc"))
        #expect(try files("one").count == 1)
        #expect(try await stores.open("one").version == 1)
        #expect(try await stores.open("one").contains("other"))
    }

    @Test(arguments: [
        ("4", "the key-value store has version 4, which this program does not support"),
        ("two", "the version of the key-value store cannot be read"),
        ("", "the version of the key-value store cannot be read"),
    ])
    func `A store of an unknown version is not changed`(_ version: String, _ message: String) async throws {
        try put(version, "version", in: "s")
        try put("x", ".draft-1", in: "s")
        try put("x", Self.abc + "_key", in: "s")
        let error = await #expect(throws: SoupError.self) { try await stores.open("s") }
        #expect(error?.code == .storeUnusable)
        #expect(error?.message == message)
        #expect(error?.place?.file == "\(stores.folder.path)/s/version")
        #expect(try files("s") == [".draft-1", Self.abc + "_key", "version"])
    }

    @Test func `A folder with other files is not changed`() async throws {
        try put("x", "letter.txt", in: "s")
        try put("x", Self.abc, in: "s")
        let error = await #expect(throws: SoupError.self) { try await stores.open("s") }
        #expect(error?.code == .storeUnusable)
        #expect(try files("s") == [Self.abc, "letter.txt"])
    }

    @Test func `A file at the path of the store is an error`() async throws {
        try FileManager.default.createDirectory(atPath: stores.folder.path, withIntermediateDirectories: true)
        try Data("x".utf8).write(to: URL(filePath: stores.folder.path + "/s"))
        let error = await #expect(throws: SoupError.self) { try await stores.open("s") }
        #expect(error?.code == .storeUnusable)
        #expect(error?.place?.file == stores.folder.path + "/s")
        #expect(try String(contentsOfFile: stores.folder.path + "/s", encoding: .utf8) == "x")
        #expect(try await stores.names() == [])
    }

    // MARK: Concurrency

    @Test func `Two open stores share one folder`() async throws {
        let one = try await stores.open("s")
        let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
        let save = Task { try await one.save(chunks: chunks, forKey: "streamed") }
        continuation.yield(Data(repeating: 7, count: 100_000))
        // While the first one writes, the second one clears the folder.
        while try files("s").count < 2 { await Task.yield() }
        let two = try await stores.open("s")
        try await two.save("from two", forKey: "k")
        #expect(try await one.string(forKey: "k") == "from two")
        continuation.finish()
        try await save.value
        #expect(try await two.data(forKey: "streamed") == Data(repeating: 7, count: 100_000))
        #expect(try await two.keys() == ["k", "streamed"])
    }

    @Test func `Concurrent readers and writers see whole values`() async throws {
        let opened = [try await stores.open("s"), try await stores.open("s")]
        let values = (0..<4).map { Data(repeating: UInt8($0), count: 70_000 + $0) }
        try await withThrowingTaskGroup { group in
            for writer in 0..<4 {
                group.addTask {
                    for round in 0..<15 {
                        let store = opened[round % 2]
                        try await store.save(values[writer], forKey: "k\(round % 2)")
                        if round % 5 == 4 { try await store.delete("k\(writer % 2)") }
                    }
                }
                group.addTask {
                    for round in 0..<30 {
                        let store = opened[round % 2]
                        if let value = try await store.data(forKey: "k\(round % 2)") { #expect(values.contains(value)) }
                        #expect(Set(try await store.keys()).isSubset(of: ["k0", "k1"]))
                    }
                }
            }
            try await group.waitForAll()
        }
        let keys = try await opened[0].keys()
        #expect(try files("s").count == 1 + 2 * keys.count)
    }
}

#endif

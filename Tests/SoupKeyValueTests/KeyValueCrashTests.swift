// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit) || KeyValue

import Foundation
import SoupCore
import SoupTesting
import Synchronization
import Testing

@testable import SoupKeyValue

/// What is left when the process dies, or the disk fails, before any one of the changes that an operation makes.
@Suite struct KeyValueCrashTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// Lets a number of changes through; then dies, or fails once.
    final class Fate: Sendable {
        struct Killed: Error {}
        let failsOnce: Bool
        private let left: Mutex<Int>

        init(after count: Int, failsOnce: Bool) {
            left = Mutex(count)
            self.failsOnce = failsOnce
        }

        /// Whether it came to that.
        var hasStruck: Bool { left.withLock { $0 < 0 } }

        var changes: FileChanges {
            FileChanges { [self] _, _ in
                let isStruck = left.withLock { left in
                    let isStruck = failsOnce ? left == 0 : left <= 0
                    left = isStruck ? -1 : left - 1
                    // A failure passes; from a kill nobody comes back.
                    if left < -1 { left = -1 }
                    return isStruck
                }
                if isStruck { throw Killed() }
            }
        }
    }

    typealias World = [String: String]

    struct Operation: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// What the operation makes of the values.
        let result: World
        /// Whether a kill may leave some of the values changed and others not.
        var isPartial = false
        /// Whether a failure leaves nothing behind, even before the store is opened again.
        var isTidy = false
        let run: @Sendable (KeyValueStores) async throws -> Void
    }

    static let before: World = ["a": "1", "b": "2", "c": "3"]
    static let big = String(repeating: "x", count: 150_000)

    static let operations = [
        Operation(testDescription: "a new key", result: ["a": "1", "b": "2", "c": "3", "d": "4"], isTidy: true) {
            try await $0.open("s").save("4", forKey: "d")
        },
        Operation(testDescription: "another value", result: ["a": "1", "b": big, "c": "3"], isTidy: true) {
            try await $0.open("s").save(big, forKey: "b")
        },
        Operation(
            testDescription: "a new key in chunks", result: ["a": "1", "b": "2", "c": "3", "e": big], isTidy: true
        ) { stores in
            let chunks = AsyncStream { continuation in
                for _ in 0..<3 { continuation.yield(Data(big.utf8.prefix(50_000))) }
                continuation.finish()
            }
            try await stores.open("s").save(chunks: chunks, forKey: "e")
        },
        Operation(testDescription: "deleting", result: ["a": "1", "c": "3"]) { try await $0.open("s").delete("b") },
        Operation(testDescription: "deleting all", result: [:], isPartial: true) {
            try await $0.open("s").deleteAll()
        },
        Operation(testDescription: "removing the store", result: [:]) { try await $0.remove("s") },
        Operation(testDescription: "making another store", result: before) { _ = try await $0.open("t") },
    ]

    /// Does an operation with every fate until one lets it through, and looks at what each leaves.
    @Test(arguments: operations, [false, true]) func `Every change`(_ operation: Operation, failsOnce: Bool)
        async throws
    {
        var count = 0
        while true {
            let path = "\(folder.path)/\(count)"
            let stores = KeyValueStores(in: path)
            let prepared = try await stores.open("s")
            for (key, value) in Self.before { try await prepared.save(value, forKey: key) }

            let fate = Fate(after: count, failsOnce: failsOnce)
            var failed = false
            do {
                try await operation.run(KeyValueStores(in: path, changes: fate.changes))
            } catch is Fate.Killed {
                failed = true
            }
            if failsOnce && operation.isTidy { try expectNoLeftovers(prepared, try await contents(prepared)) }
            let store = try await stores.open("s")
            let world = try await contents(store)
            let isOld = world == Self.before
            let isNew = world == operation.result
            let isBetween = operation.isPartial && world.allSatisfy { Self.before[$0.key] == $0.value }
            #expect(isOld || isNew || isBetween, "after \(count) changes: \(world.keys)")
            if !failed { #expect(isNew, "after \(count) changes it went through, and did nothing") }
            try expectNoLeftovers(store, world)
            _ = try await stores.open("t")
            #expect(try await stores.names() == ["s", "t"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: stores.path).sorted() == ["s", "t"])
            if !fate.hasStruck { break }
            count += 1
        }
        #expect(count >= 2)
    }

    /// A crash of the machine takes back what was not put on the disk; that a call has returned must outlive it.
    @Test(arguments: operations) func `Names are on the disk`(_ operation: Operation) async throws {
        let pending = Mutex<Set<String>>([])
        let changes = FileChanges { change, path in
            pending.withLock { pending in
                switch change {
                case .makeFolder, .rename: pending.insert(parentFolder(of: path))
                case .remove where path.hasSuffix("_value"): pending.insert(parentFolder(of: path))
                case .syncFolder: pending.remove(path)
                default: break
                }
            }
        }
        let path = "\(folder.path)/not/there/yet"
        let stores = KeyValueStores(in: path, changes: changes)
        let store = try await stores.open("s")
        #expect(pending.withLock { $0 } == [])
        for (key, value) in Self.before { try await store.save(value, forKey: key) }
        try await operation.run(stores)
        #expect(pending.withLock { $0 } == [])
    }

    /// The one who made the folders was killed before their names were on the disk.
    @Test func `Names of folders that were found are on the disk`() async throws {
        let synced = Mutex<[String]>([])
        let changes = FileChanges { change, path in if change == .syncFolder { synced.withLock { $0.append(path) } } }
        let stores = KeyValueStores(in: "\(folder.path)/user", changes: changes)
        try FileManager.default.createDirectory(atPath: stores.path + "/s", withIntermediateDirectories: true)
        _ = try await stores.open("s")
        // What lies above them belongs to others, and a sandbox may not let anybody near it.
        let expected = [stores.path, "\(folder.path)/user", stores.path + "/s"]
        #expect(synced.withLock { $0 } == expected)
    }

    @Test func `Names of folders that were made are on the disk`() async throws {
        let synced = Mutex<[String]>([])
        let changes = FileChanges { change, path in if change == .syncFolder { synced.withLock { $0.append(path) } } }
        let stores = KeyValueStores(in: "\(folder.path)/not/there", changes: changes)
        _ = try await stores.open("s")
        let above = ["\(folder.path)/not/there", "\(folder.path)/not", folder.path]
        #expect(synced.withLock { $0 } == [stores.path] + above + [stores.path + "/s"])
        synced.withLock { $0 = [] }
        _ = try await stores.open("t")
        #expect(synced.withLock { $0 } == [stores.path, "\(folder.path)/not/there", stores.path + "/t"])
    }

    /// A folder that may not be looked at, or lies on something that cannot be written, is not ours; a fault is a
    /// fault.
    @Test func `What the system does not allow for folders of others is passed over`() {
        #expect([EPERM, EACCES, EROFS, ENOTSUP, EINVAL].allSatisfy(FileChanges.isRefusal))
        #expect(![EIO, ENOSPC, EDQUOT, EMFILE, ENOENT].contains(where: FileChanges.isRefusal))
    }

    /// Between making a draft and locking it, another process may find it.
    @Test func `A draft that somebody takes up is not cleared`() async throws {
        let stores = KeyValueStores(in: folder.path)
        let draft = try await stores.open("s").path + "/.draft-1"
        #expect(FileManager.default.createFile(atPath: draft, contents: Data("x".utf8)))
        let descriptor = open(draft, O_RDWR)
        defer { close(descriptor) }
        let taken = Mutex<[Bool]>([])
        let changes = FileChanges { change, path in
            guard change == .remove, path == draft else { return }
            taken.withLock { $0.append(flock(descriptor, LOCK_EX | LOCK_NB) == 0) }
        }
        _ = try await KeyValueStores(in: folder.path, changes: changes).open("s")
        #expect(taken.withLock { $0 } == [false])
        #expect(!FileManager.default.fileExists(atPath: draft))
    }

    private func contents(_ store: FileKeyValueStore) async throws -> World {
        var world: World = [:]
        for key in try await store.keys() { world[key] = try await store.string(forKey: key) }
        #expect(try await store.count() == world.count)
        return world
    }

    private func expectNoLeftovers(_ store: FileKeyValueStore, _ world: World) throws {
        let files = Set(try FileManager.default.contentsOfDirectory(atPath: store.path))
        let expected = world.keys.flatMap { [KeyHash($0).text + "_key", KeyHash($0).text + "_value"] }
        #expect(files == Set(expected + ["version"]))
    }
}

#endif

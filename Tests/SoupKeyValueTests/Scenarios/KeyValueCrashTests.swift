// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit) || KeyValue

import Foundation
import SoupCore
import SoupTesting
import Synchronization
import Testing

@testable import SoupKeyValue

/// The state of a store after the process is killed, or the disk fails, before any of an operation's changes.
@Suite struct KeyValueCrashTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// A fault that permits a number of changes, and then kills the process or fails once.
    final class Fault: Sendable {
        struct Killed: Error {}
        let failsOnce: Bool
        private let left: Mutex<Int>

        init(after count: Int, failsOnce: Bool) {
            left = Mutex(count)
            self.failsOnce = failsOnce
        }

        /// Whether the fault has occurred.
        var hasOccurred: Bool { left.withLock { $0 < 0 } }

        var changes: FileChanges {
            FileChanges { [self] _, _ in
                let isFaulty = left.withLock { left in
                    let isFaulty = failsOnce ? left == 0 : left <= 0
                    left = isFaulty ? -1 : left - 1
                    // A failure occurs once; after a kill every change fails.
                    if left < -1 { left = -1 }
                    return isFaulty
                }
                if isFaulty { throw Killed() }
            }
        }
    }

    typealias Values = [String: String]

    struct Operation: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The values after the operation.
        let result: Values
        /// Whether a kill may leave some of the values changed and others not.
        var isPartial = false
        /// Whether a failure leaves no files, even before the store is opened again.
        var cleansUp = false
        let run: @Sendable (KeyValueStores) async throws -> Void
    }

    static let before: Values = ["a": "1", "b": "2", "c": "3"]
    static let big = String(repeating: "x", count: 150_000)

    static let operations = [
        Operation(testDescription: "a new key", result: ["a": "1", "b": "2", "c": "3", "d": "4"], cleansUp: true) {
            try await $0.open("s").save("4", forKey: "d")
        },
        Operation(testDescription: "another value", result: ["a": "1", "b": big, "c": "3"], cleansUp: true) {
            try await $0.open("s").save(big, forKey: "b")
        },
        Operation(
            testDescription: "a new key in chunks", result: ["a": "1", "b": "2", "c": "3", "e": big], cleansUp: true
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
        Operation(testDescription: "creating another store", result: before) { _ = try await $0.open("t") },
    ]

    /// The kind of the fault, and of the store.
    struct Settings: Sendable {
        var failsOnce: Bool
        var isEncrypted: Bool

        static let all = [false, true].flatMap { once in [false, true].map { Self(failsOnce: once, isEncrypted: $0) } }
    }

    /// Repeats an operation with a fault at each of its changes, and checks the store after each.
    @Test(arguments: operations, Settings.all)
    func `A crash at any change leaves a valid store`(_ operation: Operation, settings: Settings) async throws {
        let (failsOnce, isEncrypted) = (settings.failsOnce, settings.isEncrypted)
        var count = 0
        while true {
            let path = "\(folder.path)/\(count)"
            let stores = KeyValueStores(in: URL(filePath: path), isEncrypted: isEncrypted)
            let prepared = try await stores.open("s")
            for (key, value) in Self.before { try await prepared.save(value, forKey: key) }

            let fault = Fault(after: count, failsOnce: failsOnce)
            var failed = false
            do {
                try await operation.run(
                    KeyValueStores(in: URL(filePath: path), changes: fault.changes, isEncrypted: isEncrypted))
            } catch is Fault.Killed {
                failed = true
            }
            if failsOnce && operation.cleansUp {
                try expectNoLeftovers(in: prepared, values: try await contents(prepared))
            }
            let store = try await stores.open("s")
            let values = try await contents(store)
            let isOld = values == Self.before
            let isNew = values == operation.result
            let isBetween = operation.isPartial && values.allSatisfy { Self.before[$0.key] == $0.value }
            #expect(isOld || isNew || isBetween, "after \(count) changes: \(values.keys)")
            if !failed { #expect(isNew, "after \(count) changes it succeeded and did nothing") }
            try expectNoLeftovers(in: store, values: values)
            _ = try await stores.open("t")
            #expect(try await stores.names() == ["s", "t"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: stores.folder.path).sorted() == ["s", "t"])
            if !fault.hasOccurred { break }
            count += 1
        }
        #expect(count >= 2)
    }

    /// A crash of the machine discards data that is not on the disk; the changes of a call that has returned must stay.
    @Test(arguments: operations) func `Changed names are flushed to the disk`(_ operation: Operation) async throws {
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
        let path = "\(folder.path)/not/existing/yet"
        let stores = KeyValueStores(in: URL(filePath: path), changes: changes)
        let store = try await stores.open("s")
        #expect(pending.withLock { $0 } == [])
        for (key, value) in Self.before { try await store.save(value, forKey: key) }
        try await operation.run(stores)
        #expect(pending.withLock { $0 } == [])
    }

    /// The process that created the folders was killed before their names were on the disk.
    @Test func `Names of existing folders are flushed to the disk`() async throws {
        let synced = Mutex<[String]>([])
        let changes = FileChanges { change, path in if change == .syncFolder { synced.withLock { $0.append(path) } } }
        let stores = KeyValueStores(in: URL(filePath: "\(folder.path)/user"), changes: changes)
        try FileManager.default.createDirectory(atPath: stores.folder.path + "/s", withIntermediateDirectories: true)
        _ = try await stores.open("s")
        // Folders above them are not the store's, and a sandbox may refuse access to them.
        let expected = [stores.folder.path, "\(folder.path)/user", stores.folder.path + "/s"]
        #expect(synced.withLock { $0 } == expected)
    }

    @Test func `Names of created folders are flushed to the disk`() async throws {
        let synced = Mutex<[String]>([])
        let changes = FileChanges { change, path in if change == .syncFolder { synced.withLock { $0.append(path) } } }
        let stores = KeyValueStores(in: URL(filePath: "\(folder.path)/not/there"), changes: changes)
        _ = try await stores.open("s")
        let above = ["\(folder.path)/not/there", "\(folder.path)/not", folder.path]
        #expect(synced.withLock { $0 } == [stores.folder.path] + above + [stores.folder.path + "/s"])
        synced.withLock { $0 = [] }
        _ = try await stores.open("t")
        #expect(synced.withLock { $0 } == [stores.folder.path, "\(folder.path)/not/there", stores.folder.path + "/t"])
    }

    /// A folder without permission, or on a read-only file system, is not the store's; other errors are faults.
    @Test func `Refused operations on ancestor folders are ignored`() {
        #expect([EPERM, EACCES, EROFS, ENOTSUP, EINVAL].allSatisfy(FileChanges.isRefusal))
        #expect(![EIO, ENOSPC, EDQUOT, EMFILE, ENOENT].contains(where: FileChanges.isRefusal))
    }

    /// Another process may open a draft after it was created and before it is locked.
    @Test func `A draft is locked while it is removed`() async throws {
        let stores = KeyValueStores(in: folder.url)
        let draft = try await stores.open("s").folder.path + "/.draft-1"
        #expect(FileManager.default.createFile(atPath: draft, contents: Data("x".utf8)))
        let descriptor = open(draft, O_RDWR)
        defer { close(descriptor) }
        let taken = Mutex<[Bool]>([])
        let changes = FileChanges { change, path in
            guard change == .remove, path == draft else { return }
            taken.withLock { $0.append(flock(descriptor, LOCK_EX | LOCK_NB) == 0) }
        }
        _ = try await KeyValueStores(in: folder.url, changes: changes).open("s")
        #expect(taken.withLock { $0 } == [false])
        #expect(!FileManager.default.fileExists(atPath: draft))
    }

    private func contents(_ store: FileKeyValueStore) async throws -> Values {
        var values: Values = [:]
        for key in try await store.keys() { values[key] = try await store.string(forKey: key) }
        #expect(try await store.count() == values.count)
        return values
    }

    private func expectNoLeftovers(in store: FileKeyValueStore, values: Values) throws {
        let files = Set(try FileManager.default.contentsOfDirectory(atPath: store.folder.path))
        if store.version == 3 {
            // The names cannot be calculated without the key.
            #expect(files.isSuperset(of: ["version", "header"]) && files.count == 2 + 2 * values.count)
            return
        }
        let expected = values.keys.flatMap { [KeyHash($0).text + "_key", KeyHash($0).text + "_value"] }
        #expect(files == Set(expected + ["version"]))
    }
}

#endif

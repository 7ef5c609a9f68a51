// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupTestStores
import SoupSQLite
import SoupStore
import SoupCore
import SoupTesting
import Testing

/// The methods that block their thread, called from every kind of thread.
@Suite struct WaitingTests {
    let folder: TemporaryFolder
    let store: SmartStore

    init() async throws {
        folder = try TemporaryFolder()
        store = SmartStore(try await SQLiteStore.open(.test(path: folder.path + "/s.sqlite")))
        try await store.registerSoup("s", [IndexSpec("k", .string)])
    }

    /// Calls the blocking methods, as ported code does.
    ///
    /// It is not asynchronous, so that the compiler cannot choose other overloads.
    static func insertAndCount(_ store: SmartStore, _ key: String) throws -> Int {
        try store.upsert(entries: [["k": key]], forSoupNamed: "s", withExternalIdPath: "k")
        let spec = QuerySpec.buildExactQuerySpec(
            soupName: "s", path: "k", matchKey: key, orderPath: nil, order: .ascending, pageSize: 10)
        return try store.query(using: spec, startingFromPageIndex: 0).count
    }

    /// If every thread of the pool waits, the store must not need one of them.
    @Test func `Blocking reads inside a read return`() async throws {
        let store = store
        let found = try await store.read { reader in
            [try store.soupExists(forName: "s"), try reader.soupExists("s"), try store.soupExists(forName: "no")]
        }
        #expect(found == [true, true, false])
    }

    @Test(.timeLimit(.minutes(2))) func `More blocking tasks than threads of the pool finish`() async throws {
        let tasks = ProcessInfo.processInfo.activeProcessorCount * 8
        let store = store
        let found = try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    try (0..<5).reduce(0) { try $0 + Self.insertAndCount(store, "\(task).\($1)") }
                }
                // Other tasks use the native methods, which need the pool.
                group.addTask {
                    for index in 0..<5 {
                        try await store.upsert(["k": .string("native \(task).\(index)")], into: "s")
                    }
                    return 0
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(found == tasks * 5)
        #expect(try await store.count(.all("s")) == tasks * 10)
    }

    @Test(.timeLimit(.minutes(2))) func `Long operations finish when called from every thread`() async throws {
        let store = store
        let index = try #require(SoupIndex(path: "other", indexType: "string"))
        try await withThrowingTaskGroup { group in
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount * 4 {
                group.addTask { try store.alterSoup(named: "s", indexSpecs: [index], reIndexData: true) }
            }
            try await group.waitForAll()
        }
        #expect(try await store.indexSpecs(of: "s") == [IndexSpec("other", .string)])
    }

    @Test(.timeLimit(.minutes(2))) func `Blocking methods work on system threads`() async throws {
        let store = store
        let counts = await withTaskGroup { group in
            for number in 0..<20 {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        Thread.detachNewThread {
                            continuation.resume(returning: (try? Self.insertAndCount(store, "\(number)")) ?? -1)
                        }
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(counts == 20)
    }

    @Test @MainActor func `Blocking methods work on the main thread`() throws {
        #expect(try Self.insertAndCount(store, "main") == 1)
    }

    @TaskLocal static var mark = "none"

    @Test func `The caller's task is unchanged after a call`() async throws {
        try await Self.$mark.withValue("mine") {
            let before = withUnsafeCurrentTask { $0?.hashValue }
            #expect(try Self.insertAndCount(store, "a") == 1)
            #expect(withUnsafeCurrentTask { $0?.hashValue } == before)
            #expect(Self.mark == "mine")
            try await store.clearSoup("s" as SoupName)
            #expect(withUnsafeCurrentTask { $0?.hashValue } == before)
        }
    }

    @Test func `A cancelled task starts no call`() async throws {
        let store = store
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try Self.insertAndCount(store, "a")
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await store.count(.all("s")) == 0)
    }

    @Test func `A blocking method inside a write is refused`() async throws {
        let folder = try TemporaryFolder()
        let store = SmartStore(try await SQLiteStore.open(.test(path: folder.path + "/s.sqlite")))
        try await store.registerSoup("s", [IndexSpec("k", .string)])
        await #expect {
            try await store.write { _ in _ = try store.upsert(entries: [["k": "a"]], forSoupNamed: "s") }
        } throws: { error in
            (error as? SoupError)?.code == .insideWrite
        }
        let later = try await store.write { _ in
            Task.detached { try store.upsert(entries: [["k": "b"]], forSoupNamed: "s").count }
        }
        #expect(try await later.value == 1)
        #expect(try await store.query(.all("s")).entries.map { $0["k"] } == ["b"])
    }
}

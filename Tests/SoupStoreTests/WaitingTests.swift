// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupSQLite
import SoupStore
import SoupCore
import Testing

/// The forms that keep their thread waiting, called from everywhere.
@Suite struct WaitingTests {
    let folder: TemporaryFolder
    let store: SmartStore

    init() async throws {
        folder = try TemporaryFolder()
        store = SmartStore(try await SQLiteStore.open(.init(path: folder.path + "/s.sqlite")))
        try await store.registerSoup("s", [IndexSpec("k", .string)])
    }

    /// Waits as ported code does; in a function that is not asynchronous, so that nothing else can be meant.
    static func insertAndCount(_ store: SmartStore, _ key: String) throws -> Int {
        try store.upsert(entries: [["k": key]], forSoupNamed: "s", withExternalIdPath: "k")
        let spec = QuerySpec.buildExactQuerySpec(
            soupName: "s", path: "k", matchKey: key, orderPath: nil, order: .ascending, pageSize: 10)
        return try store.query(using: spec, startingFromPageIndex: 0).count
    }

    /// With every thread of the pool waiting, nothing of the store may need one.
    @Test func `Reads inside of reads end`() async throws {
        let store = store
        let found = try await store.read { reader in
            [try store.soupExists(forName: "s"), try reader.soupExists("s"), try store.soupExists(forName: "no")]
        }
        #expect(found == [true, true, false])
    }

    @Test(.timeLimit(.minutes(2))) func `More tasks than threads of the pool`() async throws {
        let tasks = ProcessInfo.processInfo.activeProcessorCount * 8
        let store = store
        let found = try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    try (0..<5).reduce(0) { try $0 + Self.insertAndCount(store, "\(task).\($1)") }
                }
                // Among them tasks that use the native methods, and need the pool.
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

    @Test(.timeLimit(.minutes(2))) func `Long operations from every thread`() async throws {
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

    @Test(.timeLimit(.minutes(2))) func `Threads of the system`() async throws {
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

    @Test @MainActor func `The main thread`() throws {
        #expect(try Self.insertAndCount(store, "main") == 1)
    }

    @TaskLocal static var mark = "none"

    @Test func `The callers task is the same afterwards`() async throws {
        try await Self.$mark.withValue("mine") {
            let before = withUnsafeCurrentTask { $0?.hashValue }
            #expect(try Self.insertAndCount(store, "a") == 1)
            #expect(withUnsafeCurrentTask { $0?.hashValue } == before)
            #expect(Self.mark == "mine")
            try await store.clearSoup("s" as SoupName)
            #expect(withUnsafeCurrentTask { $0?.hashValue } == before)
        }
    }

    @Test func `A cancelled task begins nothing`() async throws {
        let store = store
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try Self.insertAndCount(store, "a")
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await store.count(.all("s")) == 0)
    }

    @Test func `A form inside of a write is refused`() async throws {
        let folder = try TemporaryFolder()
        let store = SmartStore(try await SQLiteStore.open(.init(path: folder.path + "/s.sqlite")))
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

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSQLite
import SoupCore
import SoupTestStores
import Testing

@Suite struct ForeignCommitsTests {
    @Test func `Only the commits of other connections are counted`() async throws {
        let temporary = try TemporaryStore()
        let store = try await temporary.open(IndexSpec("k", .string))
        #expect(try store.foreignCommits() == 0)
        // Everything that the store itself writes.
        try await store.write { _ = try $0.upsert(records(#"{"k":"a"}"#), into: "s") }
        try await store.alterSoup("s", to: [IndexSpec("k", .integer), IndexSpec("n", .string)], reIndex: true)
        try await store.reIndexSoup("s", paths: ["k"])
        await store.bulkLoad(true)
        let batch = RecordBatch(try (0..<120).map { try JSONText(#"{"n":"n\#($0)"}"#) })
        try await store.write { _ = try $0.upsert(batch, into: "s") }
        await store.bulkLoad(false)
        try await store.compact()
        try await store.checkpoint()
        _ = try? await store.write { writer in
            try writer.clearSoup("s")
            throw SoupError("stopped", "the body throws")
        }
        #expect(try store.foreignCommits() == 0)
        let other = try await temporary.open()
        // Opening can commit, to create the log.
        let first = try #require(try store.foreignCommits())
        _ = try await other.read { try $0.count(.all("s")) }
        #expect(try store.foreignCommits() == first)
        try await other.write { _ = try $0.upsert(records("{}"), into: "s") }
        #expect(try store.foreignCommits() == first + 1)
        #expect(try store.foreignCommits() == first + 1)
        #expect(try other.foreignCommits() == 0)
        // Several commits can count as one, and a write of this store between them hides none.
        try await other.write { _ = try $0.upsert(records("{}"), into: "s") }
        try await store.write { _ = try $0.upsert(records("{}"), into: "s") }
        #expect(try store.foreignCommits() == first + 2)
        try await store.write { _ = try $0.upsert(records("{}"), into: "s") }
        try await other.write { _ = try $0.upsert(records("{}"), into: "s") }
        #expect(try store.foreignCommits() == first + 3)
        #expect(try other.foreignCommits() == 1)
        try await other.close()
    }

    /// Every foreign commit changes the number that follows it, whatever this store writes at the same time.
    @Test func `No commit is missed between writes of the store`() async throws {
        let temporary = try TemporaryStore()
        let store = try await temporary.open(IndexSpec("k", .string))
        let other = try await SQLiteStore.open(
            .init(path: temporary.path, encryption: SQLiteStore.Encryption.ofAllTests), clock: temporary.clock)
        let writing = Task {
            // A write fails while the other store writes.
            while !Task.isCancelled { _ = try? await store.write { _ = try $0.upsert(records("{}"), into: "s") } }
        }
        var last = try await known(store)
        for _ in 0..<100 {
            while true {
                do {
                    try await other.write { _ = try $0.upsert(records("{}"), into: "s") }
                    break
                } catch let error as SoupError where error.code == .storeUnusable {
                    await Task.yield()
                }
            }
            let next = try await known(store)
            #expect(next > last)
            last = next
        }
        writing.cancel()
        await writing.value
        try await other.close()
    }

    /// Returns the number, repeating the call while a write makes it unknown.
    private func known(_ store: SQLiteStore) async throws -> Int64 {
        while true {
            if let number = try store.foreignCommits() { return number }
            await Task.yield()
        }
    }

    @Test func `The number is unknown during a write, or right`() async throws {
        let temporary = try TemporaryStore()
        let store = try await temporary.open(IndexSpec("k", .string))
        // The first call opens the connection, which does not know the version before this write.
        #expect(try await store.write { _ in try store.foreignCommits() } == nil)
        #expect(try store.foreignCommits() == 0)
        let during = try await store.write { writer in
            _ = try writer.upsert(records("{}"), into: "s")
            return try store.foreignCommits()
        }
        #expect(during == 0)
        #expect(try store.foreignCommits() == 0)
        try await store.close()
        let error = #expect(throws: SoupError.self) { try store.foreignCommits() }
        #expect(error?.isStoreClosed == true)
    }
}

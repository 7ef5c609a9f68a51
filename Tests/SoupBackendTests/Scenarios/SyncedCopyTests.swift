// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTesting
import Testing

/// The copies that a store keeps of entries with local changes.
@Suite struct SyncedCopyTests {
    private static let clean = #"{"k":"a","n":1,"__local__":false}"#
    private static let edited = #"{"k":"a","n":2,"__local__":true}"#
    private static let editedAgain = #"{"k":"a","n":3,"__local__":true}"#

    /// Writes records one after another into a soup of both backends; returns the synced copies after each write.
    private func copies(
        _ records: [String], _ specs: [IndexSpec] = [IndexSpec("k", .string), IndexSpec("__local__", .string)],
        then: @escaping @Sendable (any StoreWriter) throws -> Void = { _ in }
    ) async throws -> [[Int64: String]] {
        let stores = try await StoresUnderTest()
        var seen: [[[Int64: String]]] = []
        for store in [stores.memory, stores.sqlite] as [any StoreBackend] {
            var copies: [[Int64: String]] = []
            try await store.write { try $0.registerSoup("s", specs) }
            func readCopies() async throws {
                copies.append(
                    try await store.read { try $0.syncedCopies(of: [1, 2], in: "s").mapValues(\.description) })
            }
            for record in records {
                let batch = RecordBatch([try JSONText(record)])
                try await store.write { _ = try $0.upsert(batch, into: "s", matching: .path("k")) }
                try await readCopies()
            }
            try await store.write { try then($0) }
            try await readCopies()
            seen.append(copies)
        }
        #expect(seen[0] == seen[1])
        return seen[1]
    }

    @Test(arguments: [IndexSpec.Kind.string, .integer, .floating, .json1])
    func `The text before the first edit is kept`(_ kind: IndexSpec.Kind) async throws {
        let specs = [IndexSpec("k", .string), IndexSpec("__local__", kind)]
        let seen = try await copies([Self.clean, Self.edited, Self.editedAgain, Self.clean, Self.edited], specs)
        #expect(seen == [[:], [1: Self.clean], [1: Self.clean], [:], [1: Self.clean], [1: Self.clean]])
    }

    @Test func `An entry that was never clean has no copy`() async throws {
        let unflagged = #"{"k":"a","n":1}"#
        let seen = try await copies([Self.edited, Self.editedAgain, unflagged, Self.edited])
        #expect(seen == [[:], [:], [:], [:], [:]])
    }

    @Test func `A soup without an index on the flag keeps no copies`() async throws {
        let seen = try await copies([Self.clean, Self.edited], [IndexSpec("k", .string)])
        #expect(seen == [[:], [:], [:]])
    }

    @Test func `A copy is removed with its entry`() async throws {
        let other = #"{"k":"b","__local__":false}"#
        let records = [Self.clean, other, Self.edited, #"{"k":"b","__local__":true}"#]
        let both: [Int64: String] = [1: Self.clean, 2: other]
        #expect(try await copies(records) { try $0.remove([1], from: "s") }.suffix(2) == [both, [2: other]])
        #expect(
            try await copies(records) { _ = try $0.remove(matching: .exact("s", "k", equals: "b"), from: "s") }.suffix(
                2) == [
                    both, [1: Self.clean],
                ])
        #expect(try await copies(records) { try $0.clearSoup("s") }.suffix(2) == [both, [:]])
        #expect(
            try await copies(records) {
                try $0.removeSoup("s")
                try $0.registerSoup("s", [IndexSpec("k", .string), IndexSpec("__local__", .string)])
            }.suffix(2) == [both, [:]])
    }

    @Test func `Stamps create and remove copies`() async throws {
        let dirty = RecordBatch.Stamp().setting("__local__", .true)
        let seen = try await copies([Self.clean]) { _ = try $0.stamp([EntryStamp(id: 1, stamp: dirty)], in: "s") }
        #expect(seen == [[:], [1: Self.clean]])
        let clean = RecordBatch.Stamp().setting("__local__", .false)
        let cleaned = try await copies([Self.clean, Self.edited]) {
            _ = try $0.stamp([EntryStamp(id: 1, stamp: clean)], in: "s")
        }
        #expect(cleaned == [[:], [1: Self.clean], [:]])
    }

    @Test func `A copy can be replaced while the entry is dirty`() async throws {
        let other = #"{"k":"b","__local__":false}"#
        let newer = try JSONText(#"{"k":"a","n":7}"#)
        let seen = try await copies([Self.clean, other, Self.edited]) {
            try $0.setSyncedCopies([1: newer, 2: newer, 3: newer], in: "s")
        }
        #expect(seen.last == [1: newer.description])
        let created = try await copies([Self.edited]) { try $0.setSyncedCopies([1: newer], in: "s") }
        #expect(created.last == [1: newer.description])
    }

    @Test func `Removing the index on the flag removes the copies`() async throws {
        let stores = try await StoresUnderTest()
        for store in [stores.memory, stores.sqlite] as [any StoreBackend] {
            let specs = [IndexSpec("k", .string), IndexSpec("__local__", .string)]
            try await store.write { try $0.registerSoup("s", specs) }
            for record in [Self.clean, Self.edited] {
                let batch = RecordBatch([try JSONText(record)])
                try await store.write { _ = try $0.upsert(batch, into: "s", matching: .path("k")) }
            }
            try await store.alterSoup("s", to: Array(specs.prefix(1)), reIndex: true)
            #expect(try await store.read { try $0.syncedCopies(of: [1], in: "s") } == [:])
            try await store.alterSoup("s", to: specs, reIndex: true)
            #expect(try await store.read { try $0.syncedCopies(of: [1], in: "s") } == [:])
        }
    }

    @Test func `A failed write keeps no copy`() async throws {
        let stores = try await StoresUnderTest()
        for store in [stores.memory, stores.sqlite] as [any StoreBackend] {
            try await store.write {
                try $0.registerSoup("s", [IndexSpec("k", .string), IndexSpec("__local__", .string)])
            }
            let (clean, edited) = (RecordBatch([try JSONText(Self.clean)]), RecordBatch([try JSONText(Self.edited)]))
            try await store.write { _ = try $0.upsert(clean, into: "s", matching: .path("k")) }
            await #expect(throws: CancellationError.self) {
                try await store.write { writer in
                    _ = try writer.upsert(edited, into: "s", matching: .path("k"))
                    throw CancellationError()
                }
            }
            #expect(try await store.read { try $0.syncedCopies(of: [1], in: "s") } == [:])
        }
    }
}

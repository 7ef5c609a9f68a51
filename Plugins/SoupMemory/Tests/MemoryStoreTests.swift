// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupMemory
import Foundation
import SoupCore
import Testing

/// The contract of the store as a backend; SoupBackendTests compares its results with those of `sqlite`.
@Suite struct MemoryStoreTests {
    struct Stop: Error {}

    @Test func `A write that throws changes nothing`() async throws {
        let store = try await MemoryStore.withSoup()
        try await store.add(#"{"k":"a"}"#)
        let before = try await store.dump()
        let batch = RecordBatch([try JSONText(#"{"k":"b"}"#)])
        await #expect(throws: Stop.self) {
            try await store.write { writer in
                try writer.registerSoup("t", [IndexSpec("k", .string)])
                try writer.upsert(batch, into: "s")
                try writer.remove([1], from: "s")
                #expect(try writer.query(.all("s")).entries.map(\.id) == [2])
                throw Stop()
            }
        }
        #expect(try await store.dump() == before)
        #expect(try await store.read { try $0.soupNames() } == ["s"])
        try await store.add(#"{"k":"c"}"#)
        #expect(try await store.dump() == before + [#"2@1001 {"k":"c"}"#])
    }

    @Test func `No two writes have the same date`() async throws {
        let store = try await MemoryStore.withSoup()
        try await store.add(#"{"k":"a"}"#)
        try await store.add(#"{"k":"b"}"#)
        try await store.write { try $0.clearSoup("s") }
        try await store.add(#"{"k":"c"}"#)
        #expect(try await store.dump() == [#"3@1002 {"k":"c"}"#])
    }

    @Test func `A caught error still rolls back the transaction`() async throws {
        let store = try await MemoryStore.withSoup()
        let batch = RecordBatch([try JSONText(#"{"k":"b"}"#), try JSONText("{}")])
        let code = await code {
            try await store.write { writer in
                _ = try? writer.upsert(batch, into: "s", matching: .path("k"))
                try writer.registerSoup("t", [IndexSpec("k", .string)])
            }
        }
        #expect(code == .externalIdMissing)
        #expect(try await store.dump() == [])
        #expect(try await store.read { try $0.soupNames() } == ["s"])
    }

    @Test func `Unsupported features are refused`() async throws {
        let store = try await MemoryStore.withSoup()
        #expect(
            store.capabilities
                == [
                    .json1, .soupAlteration, .syncedCopies, .composable, .restoring, .foreignCommits, .foreignChanges,
                ])
        let smart = QuerySpec.smart("select {s:k} from {s}")
        let match = QuerySpec(.match(path: "k", key: "a"), soup: "s")
        for spec in [smart, match] {
            #expect(await code { _ = try await store.read { try $0.query(spec) } } == .notSupported)
            #expect(
                await code { _ = try await store.read { try $0.query(spec, after: nil, arguments: []) } }
                    == .notSupported)
            #expect(await code { _ = try await store.read { try $0.count(spec) } } == .notSupported)
            #expect(
                await code { _ = try await store.write { try $0.remove(matching: spec, from: "s") } } == .notSupported)
        }
        let specs = [IndexSpec("k", .string), IndexSpec("words", .fullText)]
        #expect(await code { try await store.write { try $0.registerSoup("t", specs) } } == .notSupported)
        #expect(await code { try await store.alterSoup("s", to: specs, reIndex: true) } == .notSupported)
        #expect(try await store.read { try $0.indexSpecs(of: "s") } == [IndexSpec("k", .string)])
        #expect(await code { _ = try await store.read { try $0.plan(of: .all("s"), arguments: []) } } == .notSupported)
    }

    @Test func `Only one caller holds the lease`() async throws {
        let store = MemoryStore()
        let copy = store
        var lease = try await store.claimSyncs()
        #expect(lease != nil)
        #expect(try await copy.claimSyncs() == nil)
        #expect(try await MemoryStore().claimSyncs() != nil)
        lease?.release()
        lease?.release()
        lease = try await copy.claimSyncs()
        #expect(lease != nil)
        #expect(try await store.claimSyncs() == nil)
        lease = nil
        #expect(try await store.claimSyncs() != nil)
    }

    @Test func `A closed store refuses calls and ends its streams`() async throws {
        let store = try await MemoryStore.withSoup()
        let changes = store.changes(in: ["s"])
        try await store.close()
        try await store.close()
        #expect(await code { _ = try await store.read { try $0.soupNames() } } == .storeUnusable)
        #expect(await code { try await store.write { try $0.removeSoup("s") } } == .storeUnusable)
        #expect(await code { _ = try await store.claimSyncs() } == .storeUnusable)
        #expect(await code { _ = try await store.statistics() } == .storeUnusable)
        for await _ in changes {}
        for await _ in store.changes(in: ["s"]) {}
    }

    @Test func `Only committed changes are reported`() async throws {
        let store = try await MemoryStore.withSoup()
        try await store.write { try $0.registerSoup("t", [IndexSpec("k", .string)]) }
        let changes = store.changes(in: ["s", "u"])
        try await store.add(#"{"k":"a"}"#)
        try await store.add(#"{"k":"a"}"#, to: "t")
        try await store.add(#"{"k":"a","_soupEntryId":1}"#)
        _ = try? await store.write { writer in
            try writer.clearSoup("s")
            throw Stop()
        }
        _ = try await store.write { try $0.remove([9], from: "s") }
        try await store.write { try $0.clearSoup("s") }
        try await store.write { try $0.removeSoup("s") }
        try await store.close()
        var seen: [Set<SoupName>] = []
        for await change in changes { seen.append(change.soups) }
        #expect(seen == [["s"], ["s"], ["s"]])
    }

    @Test func `Statistics count entries`() async throws {
        let store = try await MemoryStore.withSoup()
        try await store.add(#"{"k":"a","__local__":true}"#)
        try await store.add(#"{"k":"b","__local__":false}"#)
        let soup = StoreStatistics.Soup(name: "s", entries: 2, dirty: 1)
        let expected = StoreStatistics(databaseSize: 0, freeSize: 0, logSize: 0, soups: [soup])
        #expect(try await store.statistics() == expected)
    }

    @Test func `The module registers the backend by its name`() async throws {
        var registry = PluginRegistry()
        try MemoryStoreModule().register(in: &registry)
        #expect(registry.storeBackends.map(\.name) == ["memory"])
        var problems: [ConfigurationProblem] = []
        let open = registry.backend(
            "memory", configuration: ["path": "ignored"], context: StoreContext(folder: URL(filePath: "/nowhere")),
            problems: &problems)
        let store = try await open?()
        #expect(problems.map(\.severity) == [.warning] && store is MemoryStore)
        #expect(try await store?.read { try $0.soupNames() } == [])
    }
}

extension MemoryStore {
    /// Returns a store with a soup `s`, on a clock that always returns 1000.
    static func withSoup() async throws -> MemoryStore {
        let store = MemoryStore(clock: FixedClock())
        try await store.write { try $0.registerSoup("s", [IndexSpec("k", .string)]) }
        return store
    }

    func add(_ json: String, to soup: SoupName = "s") async throws {
        let batch = RecordBatch([try JSONText(json)])
        _ = try await write { try $0.upsert(batch, into: soup) }
    }

    /// Returns the soup `s` as text, one entry per line.
    func dump() async throws -> [String] {
        try await read { reader in
            try reader.query(.all("s", orderedBy: "_soupEntryId", pageSize: 1000)).entries.map {
                "\($0.id)@\($0.version) \($0.stored)"
            }
        }
    }
}

/// A clock that always returns 1000.
struct FixedClock: SoupClock {
    var now: Date { Date(timeIntervalSince1970: 1) }
    func sleep(for duration: Duration) async throws {}
}

/// Returns the code of the error that the work throws; nil if it throws none.
func code(_ work: () async throws -> Void) async -> SoupError.Code? {
    do {
        try await work()
        return nil
    } catch {
        return (error as? SoupError)?.code ?? SoupError.Code(rawValue: "not a SoupError: \(error)")
    }
}

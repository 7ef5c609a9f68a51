// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import ComposedStores
import SoupCore
import SoupMemory
import Testing

@Suite struct FrontContentsTests {
    /// An entry whose text is damaged cannot be restored, so only the back store has it.
    @Test func `A damaged entry is read from the back store`() async throws {
        let inner = MemoryStore()
        try await inner.write { try $0.registerSoup("a", [IndexSpec("k", .string)]) }
        for number in 1...3 { try await inner.add(#"{"k":"k\#(number)"}"#, to: "a") }
        let back = MeteredStore(DamagedStore(inner: inner))
        let store = try await LayeredStore(front: MemoryStore(), back: back)
        func texts(_ ids: [Int64]) async throws -> [String] {
            try await store.quickRead { try $0.retrieve(ids, from: "a") }.map {
                String(decoding: $0.stored.bytes, as: UTF8.self)
            }
        }
        let before = back.metrics.reads.count
        #expect(try await texts([1, 3]) == [#"{"k":"k1"}"#, #"{"k":"k3"}"#])
        #expect(back.metrics.reads.count == before)
        #expect(try await texts([1, 2]) == [#"{"k":"k1"}"#, #"{"k""#])
        #expect(back.metrics.reads.count == before + 1)
        // A write of the damaged entry removes nothing else from the front store.
        try await store.add(#"{"_soupEntryId":2,"k":"new"}"#, to: "a")
        try await store.add(#"{"_soupEntryId":3,"k":"new"}"#, to: "a")
        #expect(try await texts([1, 3]) == [#"{"k":"k1"}"#, #"{"k":"new"}"#])
        #expect(back.metrics.reads.count == before + 1)
        #expect(try await texts([2]) == [#"{"k""#])
    }
}

/// A store whose entry 2 is always truncated.
private struct DamagedStore: ForwardingStore {
    struct Configuration: Decodable, Sendable {}
    static let name: PluginName = "damaged"
    let inner: any StoreBackend

    func quickRead<T: Sendable>(_ body: @escaping @Sendable (any StoreReader) throws -> T) async throws -> T {
        try await inner.quickRead { try body(Reader(reader: $0)) }
    }

    func readBlocking<T>(cancellation: CancellationFlag, _ body: (any StoreReader) throws -> T) throws -> T {
        try inner.readBlocking(cancellation: cancellation) { try body(Reader(reader: $0)) }
    }

    func writeBlocking<T>(at now: Int64?, _ body: (any StoreWriter) throws -> T) throws -> T {
        try inner.writeBlocking(at: now) { try body(Writer(writer: $0)) }
    }

    static func damaged(_ entry: SoupEntry) -> SoupEntry {
        guard entry.id == 2 else { return entry }
        return SoupEntry(id: 2, version: entry.version, stored: JSONText(trusted: entry.stored.bytes.prefix(4)))
    }

    private struct Reader: ForwardingReader {
        let reader: any StoreReader

        func retrieve(_ ids: [Int64], from soup: SoupName) throws -> [SoupEntry] {
            try reader.retrieve(ids, from: soup).map(damaged)
        }
        func walk(_ spec: QuerySpec, arguments: [JSONValue], _ body: (QueryPage) throws -> Bool) throws {
            try reader.walk(spec, arguments: arguments) { try body(.entries($0.entries.map(damaged))) }
        }
    }

    private struct Writer: ForwardingWriter {
        let writer: any StoreWriter

        func retrieve(_ ids: [Int64], from soup: SoupName) throws -> [SoupEntry] {
            try writer.retrieve(ids, from: soup).map(damaged)
        }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

/// Stamps near the maximum depth; a value is one level deeper in the entry than in the stamp.
@Suite struct DeepStampTests {
    @Test func `A stamp that makes an entry too deep is refused`() async throws {
        let stores = try await StoresUnderTest()
        for store in [stores.memory as any StoreBackend, stores.sqlite] {
            try await store.write { writer in
                try writer.registerSoup("s", [IndexSpec("k", .string)])
                _ = try writer.upsert(RecordBatch([try JSONText(#"{"k":"1"}"#)]), into: "s", matching: .entryId)
            }
            let deepest = try JSONText(String(repeating: "[", count: 512) + String(repeating: "]", count: 512))
            let deep = try JSONText(String(repeating: "[", count: 511) + String(repeating: "]", count: 511))
            let record = RecordBatch([try JSONText(#"{"k":"2"}"#)])
            for body in [
                { (writer: any StoreWriter) in
                    _ = try writer.stamp([EntryStamp(id: 1, stamp: RecordBatch.Stamp([.init("d", deepest)]))], in: "s")
                },
                { writer in
                    _ = try writer.upsert(
                        record, into: "s", matching: .entryId, stamping: RecordBatch.Stamp([.init("d", deepest)]),
                        guarding: .none)
                },
            ] as [@Sendable (any StoreWriter) throws -> Void] {
                await #expect {
                    try await store.write(body)
                } throws: { error in
                    (error as? SoupError)?.code == .json && (error as? SoupError)?.place?.path == "d"
                }
            }
            let (changed, entries) = try await store.write { writer in
                let changed = try writer.stamp(
                    [EntryStamp(id: 1, stamp: RecordBatch.Stamp([.init("d", deep)]))], in: "s")
                return (changed, try writer.query(.all("s")).entries)
            }
            #expect(changed == [true])
            #expect(entries.map(\.id) == [1])
            #expect(entries.first?.stored.value["d"] == deep.value)
        }
    }
}

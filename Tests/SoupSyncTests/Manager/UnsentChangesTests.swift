// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupMemory
import SoupCore
import Testing

@testable import SoupSync

@Suite struct UnsentChangesTests {
    private let backend = MemoryStore()
    private let level = RecordLayout.Level(soup: "a")

    private func fill() async throws {
        try await backend.write { writer in
            for soup in ["a", "b", "clean"] as [SoupName] {
                try writer.registerSoup(soup, [IndexSpec("__local__", .string)])
                let records = try ["true", "true", "true", "false"].map { flag in
                    try JSONText(#"{"__local__": \#(flag), "__locally_updated__": \#(flag)}"#)
                }
                _ = try writer.upsert(
                    RecordBatch(soup == "clean" ? [records[3]] : records), into: soup, matching: .entryId)
            }
        }
    }

    @Test func `Entries with local changes are counted by soup`() async throws {
        #expect(try await SyncManager.unsentChanges(in: backend) == [])
        try await fill()
        #expect(
            try await SyncManager.unsentChanges(in: backend)
                == [UnsentChanges(soup: "a", entries: 3), UnsentChanges(soup: "b", entries: 3)])
    }

    @Test func `Creations with an unknown outcome are counted once`() async throws {
        try await fill()
        try await backend.write { writer in
            _ = try InFlightCreates.set(
                [
                    InFlightCreates.Mark(key: EntryKey(soup: "a", id: 1), version: 1),
                    // Not marked as changed in the entry, and still not known to be on the server.
                    InFlightCreates.Mark(key: EntryKey(soup: "a", id: 4), version: 1, isLost: true),
                    // Sent again without risk.
                    InFlightCreates.Mark(key: EntryKey(soup: "clean", id: 1), version: 1, isRepeatable: true),
                ], in: writer)
        }
        #expect(
            try await SyncManager.unsentChanges(in: backend)
                == [
                    UnsentChanges(soup: "a", entries: 4, unknownCreations: 2), UnsentChanges(soup: "b", entries: 3),
                ])
    }

    @Test func `A text names the soup and the numbers`() {
        #expect("\(UnsentChanges(soup: "a", entries: 3))" == "a (3)")
        #expect(
            "\(UnsentChanges(soup: "a", entries: 5, conflicts: 1, unknownCreations: 2))"
                == "a (5, 1 of them in conflict, 2 of them with an unknown outcome)")
    }
}

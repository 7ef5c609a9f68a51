// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import ComposedStores
import Foundation
import SoupCore
import SoupMemory
import Testing

/// Every change of a writer, as the front store has it afterwards.
@Suite struct LayeredWriterTests {
    typealias Change = @Sendable (any StoreWriter) throws -> Void

    private static let changes: [(name: String, change: Change)] = [
        ("insert and update", { _ = try $0.upsert(RecordBatch([try JSONText(#"{"k":"e"}"#)]), into: "a") }),
        (
            "update",
            { _ = try $0.upsert(RecordBatch([try JSONText(#"{"_soupEntryId":2,"k":"new"}"#)]), into: "a") }
        ),
        (
            "stamp",
            {
                let stamp = RecordBatch.Stamp().setting("n", .integer(9))
                _ = try $0.stamp([EntryStamp(id: 1, stamp: stamp), EntryStamp(id: 99, stamp: stamp)], in: "a")
            }
        ),
        ("remove", { _ = try $0.remove([2, 99], from: "a") }),
        ("remove by a query", { _ = try $0.remove(matching: .exact("a", "k", equals: "k2"), from: "a") }),
        (
            "remove by Smart SQL",
            { _ = try $0.remove(matching: .smart("select {a:_soupEntryId} from {a} where {a:n} > 2"), from: "a") }
        ),
        (
            "remove by a query without rows",
            { _ = try $0.remove(matching: .exact("a", "k", equals: "none"), from: "a") }
        ),
        (
            "remove by Smart SQL with an ambiguous order",
            {
                _ = try $0.remove(
                    matching: .smart("select {a:_soupEntryId} from {a} order by random()", pageSize: 2), from: "a")
            }
        ),
        ("clear", { try $0.clearSoup("a") }),
        (
            "clear and insert",
            {
                _ = try $0.upsert(RecordBatch([try JSONText(#"{"k":"before"}"#)]), into: "a")
                try $0.clearSoup("a")
                _ = try $0.upsert(RecordBatch([try JSONText(#"{"k":"after"}"#)]), into: "a")
            }
        ),
        ("remove the soup", { try $0.removeSoup("a") }),
        (
            "remove the soup and register it",
            {
                try $0.removeSoup("a")
                try $0.registerSoup("a", [IndexSpec("n", .integer)])
                _ = try $0.upsert(RecordBatch([try JSONText(#"{"n":1}"#)]), into: "a")
            }
        ),
        (
            "restore",
            { try $0.restore([SoupEntry(id: 50, version: 7, stored: try JSONText(#"{"k":"r"}"#))], in: "a") }
        ),
        ("register again", { try $0.registerSoup("a", [IndexSpec("other", .string)]) }),
        (
            "insert and remove",
            {
                let id = try $0.upsert(RecordBatch([try JSONText(#"{"k":"gone"}"#)]), into: "a")[0].id
                _ = try $0.remove([id], from: "a")
            }
        ),
        (
            "many",
            {
                let texts = try (0..<1_100).map { try JSONText(#"{"k":"m\#($0)"}"#) }
                let ids = try $0.upsert(RecordBatch(texts), into: "a").map(\.id)
                _ = try $0.remove(ids.filter { $0 % 3 == 0 }, from: "a")
            }
        ),
    ]

    @Test(arguments: changes.indices) func `The front store has every change`(_ index: Int) async throws {
        let stores = try TemporaryStores()
        let layered = try await stores.layered()
        for number in 1...4 { try await layered.store.add(#"{"k":"k\#(number)","n":\#(number)}"#, to: "a") }
        let start = try await layered.contents()
        #expect(start.front == start.back && start.front.count == 4)
        let (name, change) = Self.changes[index]
        try await layered.store.write(change)
        let contents = try await layered.contents()
        #expect(contents.front == contents.back, "\(name)")
        #expect(
            contents.back != start.back
                || ["remove by a query without rows", "register again", "insert and remove"]
                    .contains(name),
            "\(name)")
        guard contents.back != ["no soup"] else { return }
        // Reads see the change from the front store.
        let ids = try await layered.store.read {
            try $0.query(.all("a", orderedBy: "_soupEntryId", pageSize: 10_000)).entries.map(\.id)
        }
        let found = try await layered.retrieve(ids)
        #expect(found.texts == (try await layered.store.dump("a")), "\(name)")
        #expect(!found.isFromBack, "\(name)")
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import GRDB
import SoupCore
import Synchronization
import Testing

@testable import SoupSQLite

/// Walks over all rows of a query.
@Suite struct SQLiteTransactionWalkingTests {
    let temporary: TemporaryStore
    init() throws { temporary = try TemporaryStore() }

    private static let specs: [QuerySpec] = [
        .all("s", pageSize: 3), .all("s", orderedBy: "unindexed", pageSize: 3),
        .all("s", orderedBy: "unindexed", selecting: ["k", "unindexed"], pageSize: 3),
        .smart("select {s:k} from {s} order by {s:unindexed} desc", pageSize: 3),
    ]

    @Test(arguments: specs) func `One statement returns all pages of a walk`(_ spec: QuerySpec) async throws {
        let store = try await temporary.open(IndexSpec("k", .string))
        let texts = try (0..<20).map { try JSONText(#"{"k": "\#($0 % 7)", "unindexed": \#(($0 * 13) % 20)}"#) }
        try await store.write { _ = try $0.upsert(RecordBatch(texts), into: "s") }
        let statements = Mutex(0)
        let (pages, whole) = try await store.connections.read { transaction in
            var whole = spec
            whole.pageSize = 100
            if !whole.isSmart && whole.orderPath == nil {
                (whole.orderPath, whole.order) = ("_soupEntryId", .ascending)
            }
            let expected = try transaction.query(whole, page: 0, arguments: []).texts
            transaction.db.trace(options: .profile) { _ in statements.withLock { $0 += 1 } }
            defer { transaction.db.trace() }
            var pages: [[JSONText]] = []
            try transaction.walk(spec, arguments: []) { page in
                pages.append(page.texts)
                return true
            }
            return (pages, expected)
        }
        #expect(pages.map(\.count) == [3, 3, 3, 3, 3, 3, 2])
        #expect(pages.flatMap(\.self) == whole)
        // The statement of the walk, and one that SQLite runs itself.
        #expect(statements.withLock { $0 } <= 2)
    }

    @Test func `A walk can be nested and ended by its body`() async throws {
        let store = try await temporary.open(IndexSpec("k", .string))
        try await store.write { _ = try $0.upsert(try records(#"{"k": "a"}"#, #"{"k": "b"}"#), into: "s") }
        let found = try await store.read { reader in
            var found: [Int64] = []
            let spec = QuerySpec.all("s", pageSize: 1)
            try reader.walk(spec) { outer in
                try reader.walk(spec) { inner in
                    found += outer.entries.map(\.id) + inner.entries.map(\.id)
                    return true
                }
                return true
            }
            try reader.walk(spec) { page in
                found += page.entries.map(\.id)
                return false
            }
            return found
        }
        #expect(found == [1, 1, 1, 2, 2, 1, 2, 2, 1])
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSQLite
import SoupCore
import Testing

@Suite struct SQLiteStoreChangesTests {
    let temporary: TemporaryStore
    init() throws { temporary = try TemporaryStore() }

    @Test func `Only committed changes of the chosen soups are reported`() async throws {
        let store = try await temporary.open(IndexSpec("k", .string))
        try await store.write { try $0.registerSoup("t", [IndexSpec("k", .string)]) }
        let stream = store.changes(in: ["s", "u"])
        let all = store.changes(in: ["s", "t"])
        struct Stop: Error {}
        try await store.upsert(try records(#"{"k":"1"}"#))
        try await store.upsert(try records(#"{"k":"1"}"#), into: "t")
        try await store.upsert(try records(#"{"k":"1"}"#), matching: .path("k"))
        _ = try? await store.write { writer in
            try writer.upsert(try records(#"{"k":"2"}"#), into: "s")
            throw Stop()
        }
        _ = try await store.read { try $0.count(.all("s")) }
        _ = try await store.write { try $0.remove([99], from: "s") }
        _ = try await store.write { try $0.stamp([EntryStamp(id: 1, stamp: .none)], in: "s") }
        _ = try await store.write { writer in
            try writer.upsert(try records(#"{"k":"3"}"#), into: "s")
            try writer.upsert(try records(#"{"k":"3"}"#), into: "t")
        }
        try await store.write { try $0.removeSoup("s") }
        try await store.write { try $0.clearSoup("t") }

        var seen: [Set<SoupName>] = []
        for await change in stream {
            seen.append(change.soups)
            if seen.count == 3 { break }
        }
        #expect(seen == [["s"], ["s"], ["s"]])
        seen = []
        for await change in all {
            seen.append(change.soups)
            if seen.count == 5 { break }
        }
        #expect(seen == [["s"], ["t"], ["s", "t"], ["s"], ["t"]])
    }

    @Test func `The stream ends when its task is cancelled`() async throws {
        let store = try await temporary.open(IndexSpec("k", .string))
        let stream = store.changes(in: ["s"])
        let task = Task {
            var count = 0
            for await _ in stream { count += 1 }
            return count
        }
        task.cancel()
        #expect(await task.value == 0)
        try await store.upsert(try records(#"{"k":"1"}"#))
    }
}

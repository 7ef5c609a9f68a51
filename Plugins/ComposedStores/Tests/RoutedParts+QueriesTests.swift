// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

@Suite struct RoutedPartsQueriesTests {
    @Test func `Smart SQL runs in the store of its soups`() async throws {
        let stores = try TemporaryStores()
        let store = try await stores.routed()
        try await store.add(#"{"k":"x"}"#, to: "a")
        try await store.add(#"{"k":"y"}"#, to: "b")
        func rows(_ sql: String) async throws -> [String] {
            try await store.read { try $0.query(.smart(sql)).rows.map(\.description) }
        }
        #expect(try await rows("select {a:k} from {a}") == [#"["x"]"#])
        #expect(try await rows("select {b:k} from {b}") == [#"["y"]"#])
        #expect(try await rows("select 1") == ["[1]"])
        #expect(try await store.convert("select {b:k} from {b}").contains("TABLE_1"))
        #expect(await code { _ = try await rows("select {c:k} from {c}") } == .unknownSoup)
        #expect(await code { _ = try await rows("select {a") } == .badReference)
    }

    @Test func `A query over several stores is refused`() async throws {
        let stores = try TemporaryStores()
        let store = try await stores.routed()
        let sql = "select {a:k} from {a} join {b} on {a:k} = {b:k}"
        let error = await #expect(throws: SoupError.self) { try await store.read { _ = try $0.count(.smart(sql)) } }
        #expect(error?.code == .notSupported)
        #expect(
            error?.message
                == #"a query cannot read soups of several stores: "a" in the default store; "b" in the store "b""#)
        #expect(await code { _ = try await store.convert(sql) } == .notSupported)
        let ids = QuerySpec.smart("select {a:_soupEntryId} from {a}")
        #expect(await code { _ = try await store.write { try $0.remove(matching: ids, from: "b") } } == .notSupported)
    }
}

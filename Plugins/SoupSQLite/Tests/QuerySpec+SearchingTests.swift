// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSQLite
import SoupCore
import Testing

/// Match queries with texts as users type them.
@Suite struct QuerySpecSearchingTests {
    let temporary: TemporaryStore
    init() throws { temporary = try TemporaryStore() }

    private func open() async throws -> SQLiteStore {
        let store = try await temporary.open(IndexSpec("k", .string), IndexSpec("t", .fullText))
        try await store.upsert(
            try records(
                #"{"k":"1","t":"Ann O'Neil stirs the soup"}"#, #"{"k":"2","t":"a so-up and a.b"}"#,
                #"{"k":"3","t":"{s:t} braces AND more"}"#))
        return store
    }

    private func found(_ spec: QuerySpec, in store: SQLiteStore) async throws -> [JSONValue?] {
        let page = try await store.read { try $0.query(spec, page: 0, arguments: []) }
        let after = try await store.read { try $0.query(spec, after: nil, arguments: []).page }
        #expect(after.entries.map(\.id) == page.entries.map(\.id))
        return page.entries.map { $0["k"] }
    }

    @Test(arguments: [
        ("O'Neil", ["1"]), ("o'n", ["1"]), ("so-up", ["2"]), ("soup\" (", ["1"]), ("a.b", ["2"]), ("", []),
        ("  \t", []),
        ("soup ann", ["1"]), ("AND", ["2", "3"]), ("{s:t}", ["3"]), ("NEAR(ann", []), ("- stirs", ["1"]), ("\"\"", []),
        ("t\u{0}x", []), ("mor", ["3"]), ("\"\u{301}soup", ["1"]),
    ])
    func `Typed texts find their entries`(_ text: String, _ keys: [String]) async throws {
        let store = try await open()
        for path in [nil, "t"] as [JSONPath?] {
            let spec = QuerySpec.match("s", path, text: text, orderedBy: "k")
            #expect(try await found(spec, in: store) == keys.map { .string($0) }, "\(path?.rawValue ?? "any")")
        }
    }

    @Test(arguments: ["O'Neil", "so-up", "sou\"p (", "", "a.b"])
    func `An invalid expression is quoted in the error`(_ key: String) async throws {
        let store = try await open()
        let spec = QuerySpec.match("s", "t", expression: key)
        let reads: [@Sendable (any StoreReader) throws -> Void] = [
            { _ = try $0.query(spec, page: 0, arguments: []) }, { _ = try $0.count(spec, arguments: []) },
            { _ = try $0.query(spec, after: nil, arguments: []) },
        ]
        for read in reads {
            await #expect {
                try await store.read(read)
            } throws: { error in
                guard let error = error as? SoupError else { return false }
                return error.code == .sql && error.place?.path == "matchKey"
                    && error.message.utf8.starts(
                        with: "the matchKey \(JSONValue.string(key)) is not a search expression: ".utf8)
                    && error.hint?.contains("double quotes") == true
            }
        }
        await #expect(throws: SoupError.self) { try await store.write { try $0.remove(matching: spec, from: "s") } }
    }

    @Test func `The short forms return query specs`() {
        #expect(
            QuerySpec.range("s", "k", from: "1", to: "2", orderedBy: "k", order: .descending, pageSize: 5)
                == QuerySpec(
                    .range(path: "k", begin: "1", end: "2"), soup: "s", orderPath: "k", order: .descending, pageSize: 5)
        )
        #expect(QuerySpec.like("s", "k", pattern: "a%") == QuerySpec(.like(path: "k", key: "a%"), soup: "s"))
        #expect(
            QuerySpec.match("s", nil, expression: "a AND b") == QuerySpec(.match(path: nil, key: "a AND b"), soup: "s"))
        #expect(QuerySpec.searchKey(for: "so-up O'Neil") == #""so-up" "O'Neil"*"#)
        #expect(QuerySpec.searchKey(for: "so\"up", lastWordIsPrefix: false) == #""so""up""#)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

/// Paths that contain SQL: no path of a query spec reads, finds or removes more than the values of its own soup.
@Suite struct PathInjectionTests {
    /// Paths that end a reference and continue as SQL.
    static let hostile: [JSONPath] = [
        "k} from {s} union select {secret:p} from {secret} --", "k} is not null or {s:k", "k} or 1=1 --", "k}", "{k",
        "k:x",
        "a:b", "k} x", "k\u{0}", "k}\u{301}", "{secret:p}", "k} ASC, (select p from secret) --", ":", "{", "}", "\u{0}",
        "",
    ]
    /// Paths that would end a literal or a call if they were inserted into SQL; they are JSON keys without values.
    static let unusual: [JSONPath] = [
        "k') or 1=1 --", "k'", "k''", "k\") or (\"1", "k\\", "k;drop table TABLE_1", "k/*", "k--", "k?", "k?1", "k@a",
        "$",
        "$.k", "TABLE_2", "k\n", "`k`", "k\u{301}", "soup", "id", "rowid", "*",
    ]

    private func stores() async throws -> (StoresUnderTest, [any StoreBackend]) {
        let pair = try await StoresUnderTest()
        for store in [pair.memory, pair.sqlite] as [any StoreBackend] {
            try await store.write { writer in
                try writer.registerSoup("s", [IndexSpec("k", .string), IndexSpec("j", .json1)])
                try writer.registerSoup("secret", [IndexSpec("p", .string)])
                try writer.upsert(
                    RecordBatch([try JSONText(#"{"k":"a","j":1}"#), try JSONText(#"{"k":"b","j":2}"#)]), into: "s")
                try writer.upsert(RecordBatch([try JSONText(#"{"p":"hidden"}"#)]), into: "secret")
            }
        }
        return (pair, [pair.memory, pair.sqlite])
    }

    /// Returns specs that contain the path in one place.
    private static func specs(_ path: JSONPath) -> [QuerySpec] {
        let kinds: [QuerySpec.Kind] = [
            .exact(path: path, key: "a"), .range(path: path, begin: "a", end: nil), .like(path: path, key: "%"),
            .range(path: path, begin: "a", end: "b"),
        ]
        return kinds.map { QuerySpec($0, soup: "s", pageSize: 100) } + [
            .all("s", orderedBy: path, pageSize: 100), .all("s", selecting: ["k", path], pageSize: 100),
            .exact("s", "k", equals: "a", orderedBy: path, order: .descending, selecting: [path], pageSize: 100),
        ]
    }

    /// Returns the results of all ways to run a spec.
    private func results(of spec: QuerySpec, in store: any StoreBackend) async throws -> [String] {
        try await store.read { reader in
            func outcome(_ work: () throws -> String) throws -> String {
                do { return try work() } catch let error as SoupError {
                    return "\(error.code) \(error.place?.path ?? "-")"
                }
            }
            return [
                try outcome { "\(try reader.query(spec).texts)" },
                try outcome { "\(try reader.query(spec, after: nil, arguments: []).page.texts)" },
                try outcome { "\(try reader.count(spec))" },
            ]
        }
    }

    /// Returns all entries of a store.
    private func content(of store: any StoreBackend) async throws -> [String] {
        try await store.read { reader in
            try ["s", "secret"].flatMap { (soup: SoupName) in
                try reader.query(.all(soup, orderedBy: "_soupEntryId", pageSize: 100)).entries.map { "\($0.stored)" }
            }
        }
    }

    @Test(arguments: hostile) func `A path that ends a reference is refused`(_ path: JSONPath) async throws {
        let (pair, stores) = try await stores()
        for store in stores {
            let before = try await content(of: store)
            for spec in Self.specs(path) {
                for result in try await results(of: spec, in: store) {
                    #expect(result.hasPrefix("badQuerySpec "), "\(spec) returned \(result)")
                }
                let error = await #expect(throws: SoupError.self) {
                    try await store.write { try $0.remove(matching: spec, from: "s") }
                }
                #expect(error?.code == .badQuerySpec && error?.hint != nil)
            }
            let works: [(String, @Sendable (any StoreWriter) throws -> Void)] = [
                ("register", { try $0.registerSoup("t", [IndexSpec("k", .string), IndexSpec(path, .string)]) }),
                ("json1", { try $0.registerSoup("t", [IndexSpec(path, .json1)]) }),
                ("lookup", { _ = try $0.lookup("a", at: path, in: "s") }),
                ("values", { _ = try $0.cleanValues(at: path, in: "s", writtenBy: nil) }),
                (
                    "upsert",
                    { try $0.upsert(RecordBatch([try JSONText("{}")]), into: "s", matching: .path(path)) }
                ),
            ]
            for (name, work) in works {
                let error = await #expect(throws: SoupError.self) { try await store.write(work) }
                #expect(error?.code == .badPath, "\(name)")
            }
            let altered = await #expect(throws: SoupError.self) {
                try await store.alterSoup(
                    "s", to: [IndexSpec("k", .string), IndexSpec(path, .floating)], reIndex: true)
            }
            #expect(altered?.code == .badPath)
            #expect(try await content(of: store) == before)
        }
        withExtendedLifetime(pair) {}
    }

    @Test(arguments: unusual) func `Any other path is a JSON key`(_ path: JSONPath) async throws {
        let (pair, stores) = try await stores()
        for spec in Self.specs(path) {
            let memory = try await results(of: spec, in: stores[0])
            #expect(try await results(of: spec, in: stores[1]) == memory, "\(spec)")
            #expect(!memory.joined().contains("hidden"))
        }
        withExtendedLifetime(pair) {}
    }

    /// Random paths of pieces of references and SQL; both backends return the same results, without the other soup.
    @Test func `Random paths have the same results in both backends`() async throws {
        let parts = [
            "k", "j", "s", "secret", "p", "{", "}", ":", ".", " ", "'", "\"", "`", "[", "]", "0", "#", "-", "--", "/*",
            ";",
            "(", ")", "?", "$", " or ", " union select ", " from ", "1=1", "_soup", "_soupEntryId", "__local__",
            "\u{0}",
            "\u{301}", "\n", "\\", "TABLE_2", "rowid",
        ]
        var random = SeededGenerator(seed: 7)
        let (pair, stores) = try await stores()
        for _ in 0..<400 {
            let count = Int.random(in: 1...6, using: &random)
            let path = JSONPath(
                (0..<count).map { _ in parts[Int.random(in: 0..<parts.count, using: &random)] }.joined())
            for spec in Self.specs(path) {
                let memory = try await results(of: spec, in: stores[0])
                let sqlite = try await results(of: spec, in: stores[1])
                guard memory == sqlite else {
                    Issue.record("\(JSONText.string(path.rawValue)) \(spec.json): \(memory) and \(sqlite)")
                    return
                }
                #expect(!sqlite.joined().contains("hidden"))
                #expect(sqlite.allSatisfy { $0.hasPrefix("badQuerySpec") } || path.isValid)
            }
        }
        withExtendedLifetime(pair) {}
    }
}

/// A generator of random numbers that are the same for the same seed.
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Synchronization
import Testing

/// Invalid input, which every backend must refuse with the same error and without any change.
@Suite struct BadInputTests {
    /// Returns both backends with the same entries.
    private func stores() async throws -> (pair: StoresUnderTest, stores: [any StoreBackend]) {
        let pair = try await StoresUnderTest()
        for store in [pair.memory, pair.sqlite] as [any StoreBackend] {
            try await store.write { writer in
                try writer.registerSoup("s", [IndexSpec("k", .string), IndexSpec("n", .integer)])
                try writer.upsert(
                    RecordBatch([try JSONText(#"{"k":"a","n":1}"#), try JSONText(#"{"k":"b","n":2}"#)]), into: "s")
            }
        }
        return (pair, [pair.memory, pair.sqlite])
    }

    /// Returns the soups of a store, their indexes and entries, and the results of queries on the indexes.
    private func content(of store: any StoreBackend) async throws -> [String] {
        try await store.read { reader in
            try reader.soupNames().flatMap { soup in
                let specs = try reader.indexSpecs(of: soup)
                let entries = try reader.query(.all(soup, orderedBy: "_soupEntryId", pageSize: 1000)).entries
                let found = try specs.map { spec in
                    let ordered = QuerySpec.all(soup, orderedBy: spec.path, selecting: [spec.path], pageSize: 1000)
                    return "\(spec) \(try reader.query(ordered).texts)"
                }
                return ["\(soup)"] + entries.map { "\($0.id)@\($0.version) \($0.stored)" } + found
            }
        }
    }

    /// Returns the codes and places of the errors that the work throws on the two backends; it must not change them.
    private func refusals(
        _ work: @Sendable (any StoreBackend) async throws -> Void
    ) async throws -> [String] {
        let (pair, stores) = try await stores()
        var refusals: [String] = []
        for store in stores {
            let before = try await content(of: store)
            do {
                try await work(store)
                refusals.append("none")
            } catch let error as SoupError {
                refusals.append("\(error.code) \(error.place?.path ?? "-")")
            }
            #expect(try await content(of: store) == before)
        }
        withExtendedLifetime(pair) {}
        return refusals
    }

    /// Returns the errors of a batch whose second record has these unchecked bytes.
    private func refusals(ofRecord bytes: [UInt8]) async throws -> [String] {
        let good = Array(#"{"k":"a","n":9}"#.utf8)
        let batch = RecordBatch(bytes: good + bytes, ranges: [0..<good.count, good.count..<good.count + bytes.count])
        return try await refusals { store in
            _ = try await store.write { try $0.upsert(batch, into: "s", matching: .path("k")) }
        }
    }

    @Test(arguments: [
        "NaN", #"{"k":NaN}"#, #"{"k":Infinity}"#, #"{"k":-Infinity}"#, #"{"k":1e}"#, #"{"k":"\ud800"}"#,
        #"{"k":"\udc00\ud800"}"#, #"{"\ud83d":"c"}"#, #"{"k":"c""#, #"{"k":"c"}}"#, "[]", "null", "", " ", "\u{FEFF}{}",
        #"{'k':'c'}"#, #"{"k":"c",}"#, "{\"k\":\"a\nb\"}", "{\"k\":\"\u{0}\"}",
    ])
    func `Records that are not JSON objects are refused`(_ text: String) async throws {
        #expect(try await refusals(ofRecord: Array(text.utf8)) == ["json [1]", "json [1]"])
    }

    /// An invalid byte, an incomplete sequence, an overlong one, a surrogate, and one beyond the last character.
    @Test(arguments: [[0xFF], [0xC3], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]] as [[UInt8]])
    func `Bytes that are not UTF-8 are refused`(_ bytes: [UInt8]) async throws {
        let (open, close) = (Array(#"{"k":""#.utf8), Array(#""}"#.utf8))
        #expect(try await refusals(ofRecord: open + bytes + close) == ["json [1]", "json [1]"])
        let key = Array(#"{""#.utf8) + bytes + Array(#"":1}"#.utf8)
        #expect(try await refusals(ofRecord: key) == ["json [1]", "json [1]"])
    }

    @Test(arguments: [513, 10_000, 1_000_000]) func `Records that are too deep are refused`(_ depth: Int) async throws {
        let arrays =
            Array("{\"k\":".utf8) + repeatElement(UInt8(ascii: "["), count: depth - 1)
            + repeatElement(UInt8(ascii: "]"), count: depth - 1) + Array("}".utf8)
        #expect(try await refusals(ofRecord: arrays) == ["json [1]", "json [1]"])
        let objects =
            Array(repeatElement(Array("{\"k\":".utf8), count: depth).joined()) + [UInt8(ascii: "1")]
            + repeatElement(UInt8(ascii: "}"), count: depth)
        #expect(try await refusals(ofRecord: objects) == ["json [1]", "json [1]"])
        // Arrays without closing brackets.
        #expect(try await refusals(ofRecord: Array(arrays.prefix(depth))) == ["json [1]", "json [1]"])
    }

    @Test(arguments: [
        [0..<15, 15..<99], [0..<15, 0..<14], [0..<15, 15..<15], [0..<15, Int.max - 1..<Int.max],
        [0..<15, -5..<15], [0..<15, 99..<120],
    ])
    func `Ranges that are not those of records are refused`(_ ranges: [Range<Int>]) async throws {
        let batch = RecordBatch(bytes: Array(#"{"k":"a","n":9}"#.utf8), ranges: ranges)
        let found = try await refusals { store in
            _ = try await store.write { try $0.upsert(batch, into: "s", matching: .path("k")) }
        }
        #expect(found == ["json [1]", "json [1]"])
    }

    @Test(arguments: ["", "a:b", "{a", "a}", "a\nb", "a\u{0}b", ":", "}"] as [SoupName])
    func `Invalid soup names are refused`(_ name: SoupName) async throws {
        let found = try await refusals { store in
            try await store.write { writer in
                try writer.registerSoup("t", [IndexSpec("k", .string)])
                try writer.registerSoup(name, [IndexSpec("k", .string)])
            }
        }
        #expect(found == ["badSoupName -", "badSoupName -"])
        for work in [
            { @Sendable (store: any StoreBackend) in
                let batch = RecordBatch([try JSONText("{}")])
                _ = try await store.write { try $0.upsert(batch, into: name) }
            },
            { @Sendable store in try await store.write { try $0.clearSoup(name) } },
            { @Sendable store in _ = try await store.read { try $0.retrieve([1], from: name) } },
        ] {
            #expect(try await refusals(work) == ["soupNotFound -", "soupNotFound -"])
        }
    }

    @Test func `Soups without indexes are refused`() async throws {
        let found = try await refusals { store in
            try await store.write { writer in
                try writer.registerSoup("t", [IndexSpec("k", .string)])
                try writer.registerSoup("u", [])
            }
        }
        #expect(found == ["noIndexSpecs -", "noIndexSpecs -"])
        let altered = try await refusals { try await $0.alterSoup("s", to: [], reIndex: true) }
        #expect(altered == ["noIndexSpecs -", "noIndexSpecs -"])
    }

    /// Queries can use a path without an index, but an upsert cannot match by one.
    ///
    /// A path that no query can name, or that contains an empty key, is refused.
    @Test(
        arguments: [
            ("", false), ("k:", false), ("a}", false), ("it's", true), (#"a "quoted" b"#, true), ("n ", true),
            ("k.", false), (".k", false), ("k..n", false), ("k\u{0}", false), ("{k", false), ("\"k", false),
            ("k[", false),
            ("k[0]", true), ("k[#-1]", true), ("k[x]", false), (".", false), ("k -- ", true), ("k') or 1=1 --", true),
        ] as [(JSONPath, Bool)])
    func `Valid paths without an index can be read`(_ path: JSONPath, _ isReadable: Bool) async throws {
        for spec in [
            QuerySpec.exact("s", path, equals: "a"), QuerySpec(.range(path: path, begin: 0, end: 1), soup: "s"),
            QuerySpec(.like(path: path, key: "x"), soup: "s"), .all("s", orderedBy: path, selecting: [path]),
        ] {
            let results = Mutex<[String]>([])
            let found = try await refusals { store in
                let result = try await store.read { "\(try $0.query(spec).texts)" }
                results.withLock { $0.append(result) }
            }
            let returned = results.withLock { $0 }
            #expect(returned.count == found.count { $0 == "none" })
            #expect(Set(returned).count <= 1, "\(spec)")
            let place = if case .all = spec.kind { "selectPaths[0]" } else { "indexPath" }
            let expected = isReadable ? "none" : "badQuerySpec \(place)"
            #expect(found == [expected, expected], "\(spec)")
        }
        let batch = RecordBatch([try JSONText(#"{"k":"a"}"#)])
        let found = try await refusals { store in
            _ = try await store.write { try $0.upsert(batch, into: "s", matching: .path(path)) }
        }
        #expect(found[0] == found[1])
        let expected = path.isValid ? ["indexNotDefined [0]", "externalIdMissing [0]"] : ["badPath -"]
        #expect(expected.contains(found[0]))
    }

    /// An entry keeps the digits of its numbers at any length.
    @Test func `Numbers beyond 64 bits are kept`() async throws {
        let (pair, stores) = try await stores()
        let text = #"{"k":"big","n":123456789012345678901234567890,"r":1e400,"t":0.1234567890123456789012345}"#
        for store in stores {
            let batch = RecordBatch([try JSONText(text)])
            _ = try await store.write { try $0.upsert(batch, into: "s") }
            #expect(try await content(of: store).contains("3@1001 \(text)"))
        }
        #expect(try await content(of: stores[0]) == content(of: stores[1]))
        withExtendedLifetime(pair) {}
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupSQLite
import SoupCore
import Testing

/// Stores after a crash.
///
/// The files of a store in use are the files that a killed process leaves: these tests copy them and open the copy.
@Suite struct CrashTests {
    let temporary: TemporaryStore
    init() throws { temporary = try TemporaryStore() }

    /// Opens a copy of the files in their present state.
    ///
    /// The folder is removed when its last reference is released: keep it as long as the store.
    func openAfterCrash() async throws -> (TemporaryStore, SQLiteStore) {
        let copy = try TemporaryStore()
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: temporary.path + suffix) {
            try FileManager.default.copyItem(atPath: temporary.path + suffix, toPath: copy.path + suffix)
        }
        return (copy, try await copy.open())
    }

    func batch(_ numbers: Range<Int>) throws -> RecordBatch {
        RecordBatch(try numbers.map { try JSONText(#"{"k":"\#($0)","n":\#($0 % 7),"words":"all w\#($0 % 3)"}"#) })
    }

    @Test func `Entry IDs are never reused`() async throws {
        let store = try await temporary.open(IndexSpec("k", .string))
        try await store.upsert(try batch(0..<5))
        _ = try await store.write { try $0.remove([4, 5], from: "s") }
        let (first, second) = try await openAfterCrash()
        #expect(try await second.upsert(try batch(9..<10)).map(\.id) == [6])
        try await second.write { try $0.clearSoup("s") }
        let reopened = try await first.open()
        #expect(try await reopened.upsert(try batch(9..<10)).map(\.id) == [7])
        #expect(try await store.upsert(try batch(9..<11)).map(\.id) == [6, 7])
    }

    @Test func `A completed write survives a crash`() async throws {
        let store = try await temporary.open(IndexSpec("k", .string), IndexSpec("words", .fullText))
        try await store.upsert(try batch(0..<50), matching: .path("k"))
        _ = try await store.write { try $0.stamp([EntryStamp(id: 3, stamp: .clean)], in: "s") }
        let (folder, copy) = try await openAfterCrash()
        defer { withExtendedLifetime(folder) {} }
        #expect(try await copy.dump() == (try await store.dump()))
        let spec = QuerySpec(.match(path: nil, key: "w1"), soup: "s", pageSize: 100)
        #expect(try await copy.read { try $0.count(spec) } == 17)
    }

    static let indexes = """
        select name from sqlite_schema where type = 'index' and tbl_name = 'TABLE_1' order by name
        """
    static let all = [
        #"["TABLE_1_0_idx"]"#, #"["TABLE_1_1_idx"]"#, #"["TABLE_1_3_idx"]"#, #"["TABLE_1_created_idx"]"#,
        #"["TABLE_1_lastModified_idx"]"#,
    ]

    /// The indexes during a load: those of the times, of local flags, and of paths that were searched.
    static func kept(_ numbers: [Int]) -> [String] {
        all.filter { name in !(0...1).contains { name.contains("TABLE_1_\($0)_") && !numbers.contains($0) } }
    }

    func openForLoad() async throws -> SQLiteStore {
        try await temporary.open(
            IndexSpec("k", .string), IndexSpec("n", .integer), IndexSpec("words", .fullText),
            IndexSpec("__local__", .string))
    }

    @Test func `A first load creates its indexes at the end`() async throws {
        let store = try await openForLoad()
        #expect(try await store.rows(Self.indexes) == Self.all)
        await store.bulkLoad(true)
        try await store.upsert(try batch(0..<300), matching: .path("k"), stamping: .synced(by: 1))
        #expect(try await store.rows(Self.indexes) == Self.kept([3]))
        #expect(try await store.read { try $0.count(.exact("s", "n", equals: 3)) } == 43)
        // New keys are recognized without an index.
        try await store.upsert(try batch(300..<350), matching: .path("k"), stamping: .synced(by: 1))
        #expect(try await store.rows(Self.indexes) == Self.kept([3]))
        try await store.upsert(try batch(200..<400), matching: .path("k"), stamping: .synced(by: 1))
        #expect(try await store.read { try $0.count(.all("s")) } == 400)
        #expect(try await store.rows(Self.indexes) == Self.kept([0, 3]))
        try await store.upsert(try records(#"{"n":100,"k":"x"}"#), matching: .path("n"))
        #expect(try await store.rows(Self.indexes) == Self.kept([0, 1, 3]))
        await store.bulkLoad(false)
        #expect(try await store.rows(Self.indexes) == Self.all)
        #expect(try await store.rows("select indexesDeferred from soup_attrs") == ["[0]"])
    }

    @Test func `The next open creates the indexes of a crashed load`() async throws {
        let store = try await openForLoad()
        await store.bulkLoad(true)
        try await store.upsert(try batch(0..<300), matching: .path("k"))
        let (folder, copy) = try await openAfterCrash()
        defer { withExtendedLifetime(folder) {} }
        #expect(try await copy.rows(Self.indexes) == Self.all)
        #expect(try await copy.read { try $0.count(.exact("s", "n", equals: 3)) } == 43)
        #expect(try await copy.dump() == (try await store.dump()))
    }

    @Test func `The end of the outermost load creates the indexes`() async throws {
        let store = try await openForLoad()
        // The store stays open: one that closes while its files are copied does not model a crash.
        defer { withExtendedLifetime(store) {} }
        await store.bulkLoad(true)
        try await store.upsert(try batch(0..<300), matching: .path("k"))
        let (folder, copy) = try await openAfterCrash()
        defer { withExtendedLifetime(folder) {} }
        await copy.bulkLoad(true)
        await copy.bulkLoad(true)
        try await copy.write { try $0.registerSoup("t", [IndexSpec("k", .string), IndexSpec("m", .string)]) }
        try await copy.upsert(try batch(0..<300), into: "t", matching: .path("k"))
        await copy.bulkLoad(false)
        #expect(try await copy.rows("select indexesDeferred from soup_attrs order by id") == ["[0]", "[1]"])
        await copy.bulkLoad(false)
        #expect(try await copy.rows("select indexesDeferred from soup_attrs order by id") == ["[0]", "[0]"])
    }

    @Test func `Small batches and later batches keep the indexes`() async throws {
        let store = try await openForLoad()
        await store.bulkLoad(true)
        try await store.upsert(try batch(0..<10), matching: .path("k"))
        try await store.upsert(try batch(10..<300), matching: .path("k"))
        #expect(try await store.rows(Self.indexes) == Self.all)
        await store.bulkLoad(false)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupSQLite
import SoupCore
import Testing

@Suite struct SQLiteStoreOpeningTests {
    let temporary: TemporaryStore
    init() throws { temporary = try TemporaryStore() }

    /// Returns the message of the error that an open throws.
    ///
    /// The error must name the file and have a hint, and the open must not change the file.
    func refusal(_ path: String) async throws -> String {
        let before = FileManager.default.contents(atPath: path)
        do {
            _ = try await SQLiteStore.open(.init(path: path, busyTimeout: .zero))
            return "opened"
        } catch let error as SoupError {
            #expect(error.code == .storeUnusable)
            #expect(error.place?.file == path)
            #expect(error.hint != nil)
            #expect(FileManager.default.contents(atPath: path) == before)
            return error.message
        }
    }

    @Test func `Reopening keeps soups, entries and search indexes`() async throws {
        do {
            let store = try await temporary.open(IndexSpec("key", .string), IndexSpec("text", .fullText))
            try await store.upsert(try records(#"{"key":"a","text":"one two"}"#, #"{"key":"b"}"#))
            _ = try await store.write { try $0.remove([2], from: "s") }
            try await store.close()
        }
        let store = try await temporary.open()
        #expect(try await store.read { try $0.soupNames() } == ["s"])
        #expect(
            try await store.read { try $0.indexSpecs(of: "s") } == [
                IndexSpec("key", .string), IndexSpec("text", .fullText),
            ])
        try await store.upsert(try records(#"{"key":"c","text":"two three"}"#))
        #expect(
            try await store.dump() == [
                #"1@1000 {"key":"a","text":"one two"}"#, #"3@1000 {"key":"c","text":"two three"}"#,
            ])
        let found = try await store.read { try $0.query(QuerySpec(.match(path: nil, key: "two"), soup: "s")) }
        #expect(found.entries.map(\.id) == [1, 3])
    }

    @Test func `A new file has the documented settings`() async throws {
        let store = try await temporary.open()
        let sql = """
            select page_size, journal_mode, (select count(*) from soup_attrs)
            from pragma_page_size, pragma_journal_mode
            """
        // The pages of an encrypted store are larger.
        #expect(try await store.rows(sql) == [#"[\#(store.isEncrypted ? 16_384 : 8_192),"wal",0]"#])
    }

    @Test func `A file that is not a database is refused`() async throws {
        try Data(
            "not a database, but longer than a header: \(String(repeating: "x", count: 100))"
                .utf8
        )
        .write(to: URL(filePath: temporary.path))
        #expect(try await refusal(temporary.path) == "not a database")
        try Data("short".utf8).write(to: URL(filePath: temporary.path))
        #expect(try await refusal(temporary.path) == "not a database")
    }

    @Test(.usesPlainFile) func `A truncated file is refused`() async throws {
        do {
            let store = try await temporary.open(IndexSpec("key", .string))
            try await store.upsert(RecordBatch(try (0..<500).map { try JSONText(#"{"key":"\#($0) some text"}"#) }))
            try await store.close()
        }
        var data = try Data(contentsOf: URL(filePath: temporary.path))
        data.removeLast(8192)
        try data.write(to: URL(filePath: temporary.path))
        #expect(try await refusal(temporary.path).contains("truncated"))
        try data.prefix(50).write(to: URL(filePath: temporary.path))
        #expect(try await refusal(temporary.path).contains("truncated"))
    }

    @Test(.usesPlainFile) func `A damaged page is reported`() async throws {
        try await temporary.open(IndexSpec("key", .string)).close()
        var data = try Data(contentsOf: URL(filePath: temporary.path))
        for index in 100..<8192 { data[index] = 0xAA }
        try data.write(to: URL(filePath: temporary.path))
        #expect(try await refusal(temporary.path).contains("damaged"))
    }

    @Test(.usesPlainFile) func `A database of another program is refused`() async throws {
        try await temporary.open(IndexSpec("key", .string)).close()
        var data = try Data(contentsOf: URL(filePath: temporary.path))
        data[68] ^= 0xFF  // the application ID of the database
        try data.write(to: URL(filePath: temporary.path))
        #expect(try await refusal(temporary.path) == "the file is a database of another program")
    }

    @Test(.usesPlainFile) func `A store of a newer version is refused`() async throws {
        try await temporary.open(IndexSpec("key", .string)).close()
        var data = try Data(contentsOf: URL(filePath: temporary.path))
        data[63] = 9
        try data.write(to: URL(filePath: temporary.path))
        #expect(try await refusal(temporary.path).contains("newer version"))
    }

    @Test func `A closed store is one file and refuses all calls`() async throws {
        let store = try await temporary.open(IndexSpec("key", .string))
        try await store.upsert(try records(#"{"key":"a"}"#))
        try await store.close()
        try await store.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.folder) == ["store.sqlite"])
        #expect(await code { _ = try await store.dump() } == .storeUnusable)
        #expect(await code { try await store.upsert(try records(#"{"key":"b"}"#)) } == .storeUnusable)
        #expect(try await temporary.open().dump() == [#"1@1000 {"key":"a"}"#])
    }

    @Test func `Closing after concurrent reads removes the log`() async throws {
        for _ in 0..<30 {
            let store = try await temporary.open(IndexSpec("key", .string))
            try await store.upsert(try records(#"{"key":"a"}"#))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { _ = try await store.dump() } }
                try await group.waitForAll()
            }
            try await store.close()
            #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.folder) == ["store.sqlite"])
        }
    }

    @Test func `A missing folder and a folder as the file are refused`() async throws {
        #expect(try await refusal(temporary.folder + "/none/s.sqlite").contains("does not exist"))
        #expect(!FileManager.default.fileExists(atPath: temporary.folder + "/none"))
        #expect(try await refusal(temporary.folder) == "the path is a folder, not a file")
    }

    /// SQLite creates the log next to the file itself, not next to a link to it.
    @Test func `The log of a store opened through a link is removed`() async throws {
        let link = temporary.folder + "/folder/link.sqlite"
        try FileManager.default.createDirectory(
            atPath: temporary.folder + "/folder", withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: temporary.path)
        for _ in 0..<10 {
            let store = try await SQLiteStore.open(.init(path: link), clock: temporary.clock)
            try await store.write { try $0.registerSoup("s", [IndexSpec("key", .string)]) }
            try await store.upsert(try records(#"{"key":"a"}"#))
            #expect(try await store.statistics().logSize > 0)
            // Readers that close after the writer leave the log.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { _ = try await store.dump() } }
                try await group.waitForAll()
            }
            try await store.close()
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: temporary.folder).sorted()
                    == ["folder", "store.sqlite"])
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.folder + "/folder") == ["link.sqlite"])
    }

    /// A sync notices by the identity that the file was replaced.
    @Test func `A soup of another file has another identity`() async throws {
        var found: [String] = []
        for file in ["a.db", "b.db", "a.db"] {
            let store = try await SQLiteStore.open(.init(path: "\(temporary.folder)/\(file)"))
            found.append(
                try await store.write { writer in
                    if try !writer.soupExists("s") { try writer.registerSoup("s", [IndexSpec("key", .string)]) }
                    return try writer.generation(of: "s")
                })
            try await store.close()
        }
        #expect(found[0] == found[2] && found[0] != found[1], "\(found)")
    }

    @Test func `Relative paths start from the configuration's folder`() async throws {
        let configuration = try JSONText(#"{"type":"sqlite","path":"deep.db","booleanCompatibility":false}"#)
            .decode(SQLiteStore.Configuration.self)
        let store = try await SQLiteStore.open(configuration, in: StoreContext(folder: URL(filePath: temporary.folder)))
        #expect(store.url.path == temporary.folder + "/deep.db")
        #expect(configuration.booleanCompatibility == false)
        let plain = try JSONText("{}").decode(SQLiteStore.Configuration.self)
        let second = try await SQLiteStore.open(plain, in: StoreContext(folder: URL(filePath: temporary.folder + "/")))
        #expect(second.url.path == temporary.folder + "/store.sqlite")
    }

    @Test func `Soup names can contain almost any character`() async throws {
        let store = try await temporary.open()
        let unusual: [SoupName] = [
            "123This should-be a_valid.soup+name!?100", "it's \"quoted\"", "soup; drop table x", "Zoë 😀", "select",
        ]
        for name in unusual {
            try await store.write { try $0.registerSoup(name, [IndexSpec("key", .string), IndexSpec("it's", .json1)]) }
            try await store.upsert(try records(#"{"key":"k","it's":5}"#), into: name)
            #expect(try await store.rows("select {\(name):key}, {\(name):it's} from {\(name)}") == [#"["k",5]"#])
            #expect(try await store.read { try $0.query(.exact(name, "it's", equals: 5)).count } == 1)
        }
        #expect(try await store.read { try $0.soupNames() } == unusual.sorted())
        for name in ["", "a:b", "{a", "a}", "a\nb"] {
            let invalid = SoupName(name)
            #expect(
                await code { try await store.write { try $0.registerSoup(invalid, [IndexSpec("k", .string)]) } }
                    == .badSoupName)
        }
        for name in unusual { try await store.write { try $0.removeSoup(name) } }
        #expect(try await store.rows("select name from sqlite_schema where name like 'TABLE%'") == [])
    }

    #if os(Linux)
        /// Closing any descriptor of a file releases all locks of the process on it.
        ///
        /// Without these locks another process that closes the store removes the log that this store still uses.
        @Test func `Opening a store again keeps the locks of the first`() async throws {
            let first = try await temporary.open(IndexSpec("k", .string))
            let attributes = try FileManager.default.attributesOfItem(atPath: temporary.path)
            let inode = try #require(attributes[.systemFileNumber] as? UInt64)
            func locks() throws -> Int {
                // Foundation reports files in /proc as empty.
                let file = try #require(FileHandle(forReadingAtPath: "/proc/locks"))
                return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self).split(separator: "\n")
                    .count { $0.contains(" \(getpid()) ") && $0.contains(":\(inode) ") }
            }
            let before = try locks()
            #expect(before > 0)
            let second = try await temporary.open()
            try await second.close()
            #expect(try locks() == before)
            try await first.close()
        }
    #endif
}

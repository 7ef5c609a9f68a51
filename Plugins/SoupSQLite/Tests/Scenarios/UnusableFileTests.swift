// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import GRDBSQLite
import SoupCore
import SoupTesting
import Testing

@testable import SoupSQLite

/// A full disk, a file that another program has locked, and a file and a folder without write permission.
@Suite struct UnusableFileTests {
    let temporary: TemporaryStore
    init() throws { temporary = try TemporaryStore() }

    static let row = String(repeating: "some text ", count: 100)

    func batch(_ numbers: Range<Int>) throws -> RecordBatch {
        RecordBatch(try numbers.map { try JSONText(#"{"k":"\#($0)","n":\#($0),"text":"\#(Self.row)"}"#) })
    }

    /// A store with rows, and its state.
    func prepared() async throws -> (store: SQLiteStore, state: [String]) {
        let store = try await temporary.open(IndexSpec("k", .string), IndexSpec("text", .fullText))
        try await store.upsert(try batch(0..<50))
        return (store, try await store.wholeState())
    }

    /// Opens the file as another program does.
    func openAsOtherProgram() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        return try DatabaseQueue(path: temporary.path, configuration: configuration)
    }

    /// An operation that needs space on the disk.
    struct Operation: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let run: @Sendable (SQLiteStore, RecordBatch) async throws -> Void
    }

    static let operations = [
        Operation(testDescription: "inserting") { try await $0.upsert($1) },
        Operation(testDescription: "replacing") { store, batch in
            try await store.upsert(
                batch, matching: .path("k"), stamping: RecordBatch.Stamp().setting("more", .string(row)))
        },
        Operation(testDescription: "registering") { store, _ in
            try await store.write { writer in
                for number in 0..<40 { try writer.registerSoup(SoupName("t\(number)"), [IndexSpec("k", .string)]) }
            }
        },
        Operation(testDescription: "altering") { store, _ in
            let more = (0..<9).map { IndexSpec(JSONPath("n\($0)"), .string) }
            try await store.alterSoup(
                "s", to: [IndexSpec("k", .string), IndexSpec("text", .fullText)] + more, reIndex: true)
        },
        Operation(testDescription: "loading into a new soup") { store, batch in
            await store.bulkLoad(true)
            do {
                try await store.write { writer in
                    try writer.registerSoup("t", [IndexSpec("k", .string)])
                    try writer.upsert(batch, into: "t")
                }
            } catch {
                await store.bulkLoad(false)
                throw error
            }
            await store.bulkLoad(false)
        },
    ]

    @Test(arguments: operations) func `A full disk fails the operation and changes nothing`(_ operation: Operation)
        async throws
    {
        let (store, state) = try await prepared()
        let batch = try batch(25..<400)
        // Only a few free pages are left.
        try await store.connections.withWriter { db in
            let pages = try Int64.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            try db.execute(sql: "PRAGMA max_page_count = \(pages + 3)")
        }
        let error = await #expect(throws: SoupError.self) { try await operation.run(store, batch) }
        #expect(error?.code == .storeUnusable)
        #expect(error?.message.hasPrefix("the disk failed: ") == true)
        #expect(error?.hint == "Check the free space and the state of the disk.")
        #expect(error?.place?.file == store.url.path)
        #expect(try await store.wholeState() == state)
        try await store.close()

        // With free space the store is unchanged, and the operation succeeds.
        let again = try await temporary.open()
        #expect(try await again.wholeState() == state)
        try await operation.run(again, batch)
        #expect(try await again.wholeState() != state)
    }

    /// Compacting fails when it copies the log or rewrites the file.
    @Test func `A failed compaction changes nothing`() async throws {
        let (store, state) = try await prepared()
        try await store.connections.withWriter { db in
            try db.execute(sql: "PRAGMA query_only = 1")
        }
        let error = await #expect(throws: SoupError.self) { try await store.compact() }
        #expect(error?.code == .storeUnusable)
        #expect(try await store.wholeState() == state)
    }

    // MARK: Locked by others

    @Test(.usesPlainFile, arguments: ["IMMEDIATE", "EXCLUSIVE"])
    func `A file that another program writes is reported locked`(
        _ lock: String
    ) async throws {
        let (store, state) = try await prepared()
        let other = try openAsOtherProgram()
        try await other.writeWithoutTransaction { db in try db.execute(sql: "BEGIN \(lock)") }
        let error = await #expect(throws: SoupError.self) { try await store.upsert(try records(#"{"k":"new"}"#)) }
        #expect(error?.code == .storeUnusable)
        #expect(error?.message.hasPrefix("the store is locked: ") == true)
        #expect(error?.place?.file == store.url.path)
        #expect(
            await code { try await store.alterSoup("s", to: [IndexSpec("n", .integer)], reIndex: true) }
                == .storeUnusable)
        #expect(await code { try await store.compact() } == .storeUnusable)
        // Reads still succeed.
        #expect(try await store.wholeState() == state)
        try await other.writeWithoutTransaction { db in try db.execute(sql: "ROLLBACK") }
        try await store.upsert(try records(#"{"k":"new"}"#))
        #expect(try await store.dump().count == 51)
    }

    @Test(.usesPlainFile) func `A file locked by another program cannot be opened`() async throws {
        let (store, state) = try await prepared()
        try await store.close()
        let other = try openAsOtherProgram()
        try await other.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
            try db.execute(sql: "BEGIN EXCLUSIVE")
        }
        let error = await #expect(throws: SoupError.self) { try await temporary.open() }
        #expect(error?.code == .storeUnusable)
        #expect(error?.message.hasPrefix("the store is locked: ") == true)
        #expect(error?.place?.file == temporary.path)
        try await other.writeWithoutTransaction { db in try db.execute(sql: "ROLLBACK") }
        try other.close()
        #expect(try await temporary.open().wholeState() == state)
    }

    // MARK: Write protection

    /// A connection that refuses to write represents all causes that file permissions do not show.
    @Test func `A file that becomes read-only refuses writes`() async throws {
        let (store, state) = try await prepared()
        try await store.connections.withWriter { db in try db.execute(sql: "PRAGMA query_only = 1") }
        let error = await #expect(throws: SoupError.self) { try await store.upsert(try records(#"{"k":"new"}"#)) }
        #expect(error?.code == .storeUnusable)
        #expect(error?.message.hasPrefix("the store cannot be written: ") == true)
        #expect(error?.place?.file == store.url.path)
        #expect(try await store.wholeState() == state)
    }

    @Test(
        .enabled(if: WriteProtection.isPossible, "the file system cannot prevent this user from writing"),
        arguments: [false, true])
    func `A file without write permission can be read`(isFolder: Bool) async throws {
        let (store, state) = try await prepared()
        try await store.close()
        let bytes = FileManager.default.contents(atPath: temporary.path)
        let protection = try WriteProtection(isFolder ? temporary.folder : temporary.path)
        let reading = try await temporary.open()
        #expect(reading.capabilities.contains(.readOnly) || isFolder)
        #expect(try await reading.wholeState() == state)
        let error = await #expect(throws: SoupError.self) { try await reading.upsert(try records(#"{"k":"new"}"#)) }
        #expect(error?.code == .storeUnusable)
        #expect(error?.place?.file == temporary.path)
        #expect(error?.hint?.contains("Check") == true)
        try await reading.close()
        #expect(FileManager.default.contents(atPath: temporary.path) == bytes)
        protection.end()
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.folder) == ["store.sqlite"])
        #expect(try await temporary.open().wholeState() == state)
    }

    /// No user can create files in this folder.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self")))
    func `A folder in which no file can be created is reported`() async {
        let error = await #expect(throws: SoupError.self) { try await SQLiteStore.open(.init(path: "/proc/self/s.db")) }
        #expect(error?.code == .storeUnusable)
        #expect(error?.message.hasPrefix("the store cannot be opened: ") == true)
        #expect(error?.place?.file == "/proc/self/s.db")
    }

    // MARK: Length limits

    @Test func `Records longer than the limit of SQLite are refused`() async throws {
        let (store, state) = try await prepared()
        try await store.connections.withWriter { db in sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_LENGTH, 5_000) }
        let long = String(repeating: "x", count: 5_000)
        // An entry, an entry with a stamp, and an entry together with its columns.
        let attempts: [(RecordBatch, RecordBatch.Stamp)] = [
            (try records(#"{"k":"new"}"#, #"{"k":"a","long":"\#(long)"}"#), .none),
            (try records("{}", #"{"k":"a"}"#), RecordBatch.Stamp().setting("long", .string(long))),
            (try records("{}", #"{"k":"\#(long.prefix(2_600))"}"#), .none),
            (try records("{}", #"{"k":"1","long":"\#(long)"}"#), .none),
        ]
        for (batch, stamp) in attempts {
            let error = await #expect(throws: SoupError.self) { try await store.upsert(batch, stamping: stamp) }
            #expect(error?.code == .tooLong)
            #expect(error?.place?.path != nil)
            #expect(try await store.wholeState() == state)
        }
        #expect(await code { try await store.upsert(attempts[3].0, matching: .path("k")) } != nil)
        #expect(try await store.wholeState() == state)
    }

    @Test func `Sizes beyond those of SQLite are refused`() throws {
        #expect(try RawStatement.length(0) == 0)
        #expect(try RawStatement.length(Int(Int32.max)) == .max)
        for size in [Int(Int32.max) + 1, Int.max] {
            let error = #expect(throws: SoupError.self) { try RawStatement.length(size) }
            #expect(error?.code == .tooLong)
            #expect(error?.message == "longer than the store supports: a text of \(size) bytes")
        }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

import Foundation
import GRDB
import GRDBSQLite
import SoupCore
import SoupEncryption
import SoupTesting
import Synchronization
import SoupTestStores
import Testing

@testable import SoupSQLite

@Suite struct StoreFileEncryptionTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path + "/store.sqlite" }

    init() throws { folder = try TemporaryFolder() }

    private func open(_ encryption: SQLiteStore.Encryption? = .test()) async throws -> SQLiteStore {
        try await SQLiteStore.open(
            .init(path: path, busyTimeout: .zero, encryption: encryption), clock: TestClock(1_000))
    }

    /// Creates a store with 300 entries of about 1 KiB, with full text.
    private func filled(_ encryption: SQLiteStore.Encryption? = .test()) async throws {
        let store = try await open(encryption)
        try await store.write { try $0.registerSoup("s", [IndexSpec("Id", .string), IndexSpec("note", .fullText)]) }
        let batch = try RecordBatch(
            (0..<300).map { number in
                let text = "plainvalue\(number) " + String(repeating: "word\(number % 7) ", count: 150)
                return try JSONText(#"{"Id": "id\#(number)", "note": "\#(text)"}"#)
            })
        try await store.upsert(batch, matching: .path("Id"))
        try await store.close()
    }

    private func bytes(_ name: String = "store.sqlite") throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: folder.path + "/" + name)))
    }

    @Test func `A store is read with its key, and with no other`() async throws {
        try await filled()
        let store = try await open()
        #expect(store.isEncrypted)
        #expect(try await store.rows("select count(*) from {s}") == ["[300]"])
        let query = QuerySpec(.match(path: "note", key: "plainvalue123"), soup: "s", pageSize: 10)
        #expect(try await store.read { try $0.query(query) }.entries.count == 1)
        try await store.close()
        #expect(await code { _ = try await open(.test(1)) } == .wrongKey)
        #expect(await code { _ = try await open(nil) } == .storeEncrypted)
        #expect(try folder.files == ["store.sqlite", "store.sqlite-syncs"].filter { try folder.files.contains($0) })
    }

    @Test func `A store that is not encrypted is refused with a key`() async throws {
        try await filled(nil)
        let before = try bytes()
        #expect(await code { _ = try await open() } == .storeNotEncrypted)
        #expect(try bytes() == before)
        #expect(try await open(nil).rows("select count(*) from {s}") == ["[300]"])
    }

    @Test func `No value is in the files while the store is open`() async throws {
        let store = try await open()
        try await store.write { try $0.registerSoup("secretsoup", [IndexSpec("secretpath", .fullText)]) }
        try await store.upsert(try records(#"{"secretpath": "secretvalue secretword"}"#), into: "secretsoup")
        let words = ["secretsoup", "secretpath", "secretvalue", "secretword", "SQLite format"].map { Array($0.utf8) }
        for file in try folder.files {
            let content = try bytes(file)
            for word in words {
                #expect(!content.indices.contains { content[$0...].starts(with: word) }, "\(file)")
            }
        }
        #expect(try folder.files.contains("store.sqlite-wal"))
        try await store.close()
    }

    @Test func `Each damaged page is reported when it is read`() async throws {
        try await filled()
        let valid = try bytes()
        let unit = EncryptedFileSystem.standardUnitLength + 40
        #expect((valid.count - 8192) % unit == 0)
        var random = SeededRandom(seed: 1)
        for page in 0..<(valid.count - 8192) / unit {
            var damaged = valid
            let byte = 8192 + page * unit + Int.random(in: 0..<unit, using: &random)
            damaged[byte] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            try Data(damaged).write(to: URL(filePath: path))
            #expect(await code { try await readAll() } == .storeUnusable, "page \(page)")
        }
        try Data(valid).write(to: URL(filePath: path))
        #expect(await code { try await readAll() } == nil)
    }

    /// Reads every page of the store.
    private func readAll() async throws {
        let store = try await open()
        do {
            let check = try await store.rows("select * from pragma_integrity_check")
            if check != [#"["ok"]"#] { throw SoupError(.storeUnusable, "\(check)") }
            try await store.close()
        } catch {
            try? await store.close()
            throw error
        }
    }

    @Test func `Swapped, foreign, missing and doubled pages are found`() async throws {
        try await filled()
        let valid = try bytes()
        let unit = EncryptedFileSystem.standardUnitLength + 40
        func start(_ page: Int) -> Int { 8192 + page * unit }
        func part(_ page: Int, of bytes: [UInt8]) -> [UInt8] { Array(bytes[start(page)..<start(page + 1)]) }
        func replacing(_ page: Int, by other: [UInt8]) -> [UInt8] {
            Array(valid[..<start(page)]) + other + Array(valid[start(page + 1)...])
        }
        let (before, after) = (Array(valid[..<start(3)]), Array(valid[start(3)...]))
        let first = path
        try FileManager.default.moveItem(atPath: first, toPath: first + ".old")
        try await filled()
        let foreign = try bytes()
        let cases: [(String, [UInt8])] = [
            ("swapped", replacing(3, by: part(4, of: valid))), ("foreign", replacing(3, by: part(3, of: foreign))),
            ("missing", before + Array(after.dropFirst(unit))),
            ("truncated", Array(valid.dropLast(unit))), ("cut", Array(valid.dropLast(1))),
            ("zeros", replacing(3, by: [UInt8](repeating: 0, count: unit))),
            ("doubled", before + part(3, of: valid) + after),
            ("header of another", Array(foreign.prefix(8192) + valid.dropFirst(8192))),
            ("short", Array(valid.prefix(9000))),
            ("header only", Array(valid.prefix(8192))), ("part of a header", Array(valid.prefix(5000))),
        ]
        for (name, bytes) in cases {
            try Data(bytes).write(to: URL(filePath: path))
            for file in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + file) }
            #expect(await code { try await readAll() } == .storeUnusable, "\(name)")
        }
    }

    @Test func `A damaged header is not taken for a wrong key`() async throws {
        try await filled()
        let valid = try bytes()
        func write(_ changes: [(Int, UInt8)]) throws {
            var changed = valid
            for (index, mask) in changes { changed[index] ^= mask }
            try Data(changed).write(to: URL(filePath: path))
        }
        try write([(60, 1)])
        #expect(await code { try await readAll() } == nil)
        // The open has replaced the damaged copy.
        #expect(try bytes().prefix(8192) == valid.prefix(8192))
        try write([(60, 1), (4096 + 60, 1)])
        #expect(await code { _ = try await open() } == .storeUnusable)
        #expect(await code { _ = try await open(.test(1)) } == .storeUnusable)
        #expect(await code { _ = try await open(nil) } == .storeEncrypted)
        try write([(0, 1)])
        #expect(await code { _ = try await open(nil) } == .storeEncrypted)
        try write([(0, 1), (4096, 1)])
        #expect(await code { _ = try await open() } == .storeUnusable)
        #expect(await code { _ = try await open(nil) } == .storeUnusable)
    }

    @Test(arguments: [false, true]) func `Many openings at once create one store`(isEncrypted: Bool) async throws {
        let (path, encryption) = (path, isEncrypted ? SQLiteStore.Encryption.test() : nil)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let store = try await SQLiteStore.open(
                        .init(path: path, encryption: encryption), clock: TestClock(1))
                    try await store.write { try $0.registerSoup(SoupName("s\(number)"), [IndexSpec("Id", .string)]) }
                    try await store.close()
                }
            }
            try await group.waitForAll()
        }
        let store = try await open(encryption)
        #expect(try await store.read { try $0.soupNames() }.count == 8)
        try await store.close()
    }

    @Test func `A header copy of another store destroys nothing`() async throws {
        try await filled(.test(1))
        try await SQLiteStore.changeKey(
            at: URL(filePath: path), from: .test(1), to: .test(2), in: StoreContext(folder: folder.url))
        let foreign = try bytes().prefix(4096)
        try FileManager.default.removeItem(atPath: path)
        try await filled()
        let valid = try bytes()
        try Data(foreign + valid.dropFirst(4096)).write(to: URL(filePath: path))
        #expect(await code { _ = try await open(.test(3)) } == .wrongKey)
        #expect(await code { try await readAll() } == nil)
        #expect(try bytes().dropFirst(4096).prefix(4096) == valid.dropFirst(4096).prefix(4096))
    }

    @Test func `The log restores a first page that was written in part`() async throws {
        try await filled()
        let store = try await open()
        try await store.write { try $0.registerSoup("t", [IndexSpec("k", .string)]) }
        var file = try bytes()
        let log = try bytes("store.sqlite-wal")
        try await store.close()
        for index in 8192 + 100..<8192 + 300 { file[index] = 0 }
        try Data(file).write(to: URL(filePath: path))
        #expect(await code { try await readAll() } == .storeUnusable)
        try Data(log).write(to: URL(filePath: path + "-wal"))
        let restored = try await open()
        #expect(try await restored.rows("select count(*) from {s}") == ["[300]"])
        #expect(try await restored.read { try $0.soupNames() } == ["s", "t"])
        try await restored.close()
    }

    @Test(arguments: [false, true])
    func `A journal that a killed process left is rolled back`(isEncrypted: Bool) async throws {
        let encryption = isEncrypted ? SQLiteStore.Encryption.test() : nil
        try await filled(encryption)
        var file = StoreFile(path: path, busyTimeout: .zero)
        try await file.unlock(with: encryption, in: StoreContext(folder: folder.url))
        var configuration = Configuration()
        file.location.prepare(&configuration)
        let queue = try DatabaseQueue(path: file.location.name, configuration: configuration)
        // The files as they are when the process is killed in the middle of a transaction.
        let killed = try await queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = DELETE; PRAGMA cache_size = 2; BEGIN; DELETE FROM TABLE_1")
            let files = try ["", "-journal"].map { try Data(contentsOf: URL(filePath: path + $0)) }
            try db.execute(sql: "ROLLBACK; PRAGMA journal_mode = WAL")
            return files
        }
        try queue.close()
        #expect(killed[1].count > 8192)
        for (name, data) in zip(["", "-journal"], killed) { try data.write(to: URL(filePath: path + name)) }
        let store = try await open(encryption)
        #expect(try await store.rows("select count(*) from {s}") == ["[300]"])
        #expect(try await store.rows("select * from pragma_integrity_check") == [#"["ok"]"#])
        try await store.close()
        #expect(try !folder.files.contains("store.sqlite-journal"))
    }

    @Test(arguments: [true, false]) func `A truncated store keeps its log`(isEncrypted: Bool) async throws {
        let encryption = isEncrypted ? SQLiteStore.Encryption.test() : nil
        let store = try await open(encryption)
        try await store.write { try $0.registerSoup("s", [IndexSpec("Id", .string)]) }
        let log = try bytes("store.sqlite-wal")
        #expect(log.count > 1000)
        try await store.close()
        for length in [0, 1, 100, 4095, 5000] {
            try Data(try bytes().isEmpty ? [] : Array(repeating: 0, count: length)).write(to: URL(filePath: path))
            try Data(log).write(to: URL(filePath: path + "-wal"))
            #expect(await code { _ = try await open(encryption) } == .storeUnusable, "\(length)")
            #expect(try bytes("store.sqlite-wal") == log, "\(length)")
        }
    }

    @Test func `A store that another process creates meanwhile has a log`() async throws {
        try await filled(nil)
        try Data([1]).write(to: URL(filePath: path + "-wal"))
        // The size as it was before.
        let file = StoreFile(path: path, busyTimeout: .zero)
        try file.requireNoLog(besideFileOf: 0)
        #expect(throws: SoupError.self) { try file.requireNoLog(besideFileOf: try file.size(of: path) ?? 0) }
    }

    /// A journal shares units between writes, which a promise about other bytes would make SQLite rely on.
    @Test func `Only a log promises to change no other bytes`() async throws {
        let store = try await open()
        try await store.write { try $0.registerSoup("s", [IndexSpec("Id", .string)]) }
        let flags = Mutex<[Int32?]>([])
        try await store.connections.withWriter { db in
            for code in [SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER] {
                var file: UnsafeMutablePointer<sqlite3_file>?
                sqlite3_file_control(db.sqliteConnection, "main", code, &file)
                let found = file?.pointee.pMethods?.pointee.xDeviceCharacteristics(file)
                flags.withLock { $0.append(found) }
            }
        }
        #expect(flags.withLock { $0 } == [0, SQLITE_IOCAP_POWERSAFE_OVERWRITE])
        try await store.close()
    }

    @Test func `A file that is no database is not taken for one`() async throws {
        try Data((0..<20000).map { UInt8(truncatingIfNeeded: $0 &* 7 + 3) }).write(to: URL(filePath: path))
        let error = await #expect(throws: SoupError.self) { _ = try await open() }
        #expect(error?.code == .storeUnusable)
        #expect(error?.message == "the file is no database, encrypted or not")
    }

    @Test func `No file is created without a key`() async throws {
        struct NoKey: KeyProvider {
            struct Configuration: Decodable, Sendable {}
            static let name: PluginName = "none"
            init(configuration: Configuration = .init()) {}
            func secret(for request: KeyRequest) async throws -> StoreSecret {
                throw SoupError(.keyUnavailable, "none")
            }
        }
        #expect(await code { _ = try await open(.init(key: NoKey())) } == .keyUnavailable)
        #expect(try folder.files == [])
    }

    /// Whether the store is encrypted before and after another process replaces it.
    @Test(arguments: [(true, true), (true, false), (false, true)])
    func `A store that is replaced meanwhile is not damaged`(before: Bool, after: Bool) async throws {
        try await filled(before ? .test() : nil)
        var file = StoreFile(path: path, busyTimeout: .zero)
        let result = await code {
            let opened = try await file.open(
                with: before ? .test() : nil, in: StoreContext(folder: folder.url)
            ) {
                try FileManager.default.removeItem(atPath: path)
                try await filled(after ? .test() : nil)
            }
            try opened.pool.close()
        }
        #expect(result == (before == after ? nil : before ? .storeNotEncrypted : .storeEncrypted))
    }

    @Test func `A store behind a linked folder always has one path`() async throws {
        final class Paths: Sendable {
            let all = Mutex<[KeyRequest]>([])
        }
        struct NotingKey: KeyProvider {
            struct Configuration: Decodable, Sendable {}
            static let name: PluginName = "noting"
            let paths: Paths
            init(configuration: Configuration) { paths = Paths() }
            init(_ paths: Paths) { self.paths = paths }
            func secret(for request: KeyRequest) async throws -> StoreSecret {
                paths.all.withLock { $0.append(request) }
                return try StoreSecret(key: Array(0..<32))
            }
        }
        let link = folder.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path)
        let paths = Paths()
        for _ in 0..<2 {
            let encryption = SQLiteStore.Encryption(key: NotingKey(paths))
            let store = try await SQLiteStore.open(
                .init(path: link + "/store.sqlite", encryption: encryption), clock: TestClock(1))
            try await store.close()
        }
        let file = try #require(realpath(path, nil).map { String(cString: $0) })
        #expect(paths.all.withLock { $0 } == [KeyRequest(file: file, isNew: true), KeyRequest(file: file)])
    }

    @Test(.enabled(if: WriteProtection.isPossible)) func `A read-only store is read with its key`() async throws {
        try await filled()
        let protections = [try WriteProtection(path), try WriteProtection(folder.path)]
        let store = try await open()
        #expect(try await store.rows("select count(*) from {s}") == ["[300]"])
        #expect(store.capabilities.contains(.readOnly))
        try await store.close()
        withExtendedLifetime(protections) {}
    }

    @Test func `A configuration names the provider`() async throws {
        var registry = PluginRegistry()
        try registry.register(module: SQLiteStoreModule())
        try registry.register(module: KeyProvidersModule())
        let context = StoreContext(folder: folder.url)
        func open(_ configuration: JSONValue) async throws -> (any StoreBackend)? {
            var problems: [ConfigurationProblem] = []
            let open = registry.backend("sqlite", configuration: configuration, context: context, problems: &problems)
            if !problems.isEmpty { throw ConfigurationError(problems) }
            return try await open?()
        }
        let store = try #require(
            try await open(["path": "store.sqlite", "encryption": ["key": ["type": "file", "path": "the.key"]]]))
        try await store.close()
        #expect(try folder.files == ["store.sqlite", "the.key"])
        for key: JSONValue in ["fiel", ["type": "file", "path": 1], ["path": "the.key"], 1] {
            await #expect(throws: ConfigurationError.self) { try await open(["encryption": ["key": key]]) }
        }
        await #expect(throws: ConfigurationError.self) { try await open(["encryption": [:]]) }
    }
}

#endif

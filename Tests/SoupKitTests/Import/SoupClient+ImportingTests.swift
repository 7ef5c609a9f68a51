// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
@testable import SoupKit
import SoupTestApp
import SoupTesting
import Testing

@Suite struct SoupClientImportingTests {
    let folder: TemporaryFolder
    /// The folder of the database to import.
    let source: TemporaryFolder
    var file: URL { source.url.appending(path: "smartstore.db") }
    let options: SoupClient.Options

    init() throws {
        folder = try TemporaryFolder(["userstore.json": #"{"soups": []}"#])
        source = try TemporaryFolder()
        options = SoupClient.Options(clock: ManualClock(), environment: [:])
    }

    func importing(
        _ importing: SmartStoreImport.Options = .init(), from file: URL? = nil
    ) async throws -> SmartStoreImport {
        try await SoupClient.importSmartStore(
            file ?? self.file, at: folder.url, options: options, importing: importing)
    }

    func withStore<T>(_ body: (SmartStore) async throws -> T) async throws -> T {
        let store = try await SoupClient.openStore(at: folder.url, options: options)
        do {
            let result = try await body(store)
            try await store.close()
            return result
        } catch {
            try await store.close()
            throw error
        }
    }

    /// Returns the error of an import, and checks that the store has no soup after it.
    func refusal(_ options: SmartStoreImport.Options = .init(), from file: URL? = nil) async throws -> SoupError? {
        let error = await #expect(throws: SoupError.self) { try await importing(options, from: file) }
        #expect(try await withStore { try await $0.soupNames() } == [])
        #expect(error?.place?.file == (file ?? self.file).path || error?.place == nil)
        #expect(error?.hint != nil)
        return error
    }

    @Test(arguments: MobileSDKFixture.Platform.allCases) func `IDs, dates, texts and local changes are kept`(
        _ platform: MobileSDKFixture.Platform
    ) async throws {
        let empty = MobileSDKFixture.Soup("empty", [("k", "string")], entries: [], lastId: 4)
        try MobileSDKFixture(platform, [ImportFixtures.contacts(), empty]).write(to: file)
        let before = try contents(ofFolder: source.path)
        let result = try await importing()
        #expect(
            result
                == SmartStoreImport(
                    soups: [
                        .init(name: "contacts", entries: 4, unsent: 3, leftOut: 0),
                        .init(name: "empty", entries: 0, unsent: 0, leftOut: 0),
                    ], leftOut: []))
        #expect(try contents(ofFolder: source.path) == before)
        try await withStore { (store: SmartStore) async throws -> Void in
            #expect(try await store.importedState(of: "contacts") == ImportFixtures.contactsState)
            #expect(
                try await store.indexSpecs(of: "contacts").map(\.description) == [
                    "Id string", "age integer", "score floating", "notes full_text", "address.city json1",
                    "__local__ string", "__sync_id__ integer",
                ])
            #expect(try await store.read { try $0.dirtyIds(in: "contacts") } == [3, 7, 9])
            // Every index works.
            func ids(_ spec: QuerySpec) async throws -> [Int64] {
                try await store.read { try $0.query(spec).entries.map(\.id) }
            }
            #expect(try await ids(.exact("contacts", "Id", equals: "003B")) == [3])
            #expect(try await ids(QuerySpec(.range(path: "age", begin: 10, end: 50), soup: "contacts")) == [2])
            #expect(try await ids(.exact("contacts", "score", equals: 2000)) == [3])
            #expect(try await ids(.exact("contacts", "address.city", equals: "Ulm")) == [2])
            #expect(try await ids(QuerySpec(.match(path: "notes", key: "ümlaut"), soup: "contacts")) == [3])
            // New IDs follow the last one of the database, also that of a deleted entry.
            let next = try await store.write { writer in
                try ["contacts", "empty"].flatMap { soup in
                    try writer.upsert(RecordBatch([try JSONText("{}")]), into: soup).map(\.id)
                }
            }
            #expect(next == [13, 5])
        }
    }

    @Test func `A soup of the configuration gets its indexes`() async throws {
        let specs = #"[{"path": "Id", "type": "string"}, {"path": "age", "type": "floating"}]"#
        try folder.write(
            #"{"soups": [{"soupName": "contacts", "indexes": \#(specs)}, {"soupName": "more", "indexes": \#(specs)}]}"#,
            to: "userstore.json")
        try MobileSDKFixture(.iOS, [ImportFixtures.contacts()]).write(to: file)
        _ = try await importing()
        try await withStore { (store: SmartStore) async throws -> Void in
            #expect(try await store.indexSpecs(of: "contacts").map(\.description) == ["Id string", "age floating"])
            #expect(try await store.importedState(of: "contacts") == ImportFixtures.contactsState)
            #expect(try await store.importedState(of: "more") == [])
        }
    }

    @Test func `A second import changes nothing`() async throws {
        try MobileSDKFixture(.android, [ImportFixtures.contacts()]).write(to: file)
        _ = try await importing()
        let error = await #expect(throws: SoupError.self) { try await importing() }
        #expect(error?.code == .soupNotEmpty)
        #expect(error?.message == #"the store already has entries in soups to import: "contacts" with 4"#)
        try await withStore { (store: SmartStore) async throws -> Void in
            #expect(try await store.importedState(of: "contacts") == ImportFixtures.contactsState)
        }
        // Without the soup there is nothing to import.
        #expect(try await importing(.init(excluded: ["contacts"])).soups == [])
    }

    @Test func `A dry run writes nothing`() async throws {
        try MobileSDKFixture(.android, [ImportFixtures.contacts()]).write(to: file)
        let result = try await importing(.init(isDryRun: true))
        #expect(result.soups == [.init(name: "contacts", entries: 4, unsent: 3, leftOut: 0)])
        #expect(try folder.files == ["userstore.json"])
        _ = try await importing()
        let files = try folder.files
        let error = await #expect(throws: SoupError.self) { try await importing(.init(isDryRun: true)) }
        #expect(error?.code == .soupNotEmpty)
        #expect(try folder.files == files)
    }

    // MARK: Entries that cannot be read

    static let damaged: [MobileSDKFixture.Entry] = [
        .init(1, created: 1, lastModified: 2, members: #""k":1"#),
        .init(2, created: 1, lastModified: 2, text: nil),
        .init(3, created: 1, lastModified: 2, text: #"{"k":"#),
        .init(4, created: 1, lastModified: 2, text: "[1]"),
        .init(5, created: -1, lastModified: 2, members: #""k":5"#),
    ]

    @Test func `Unreadable entries are reported with soup and ID`() async throws {
        try MobileSDKFixture(.iOS, [.init("contacts", [("k", "integer")], entries: Self.damaged)]).write(to: file)
        let refused = try await refusal()
        #expect(refused?.code == .entryUnreadable)
        let first = "4 entries cannot be read: entry 2 of soup \"contacts\": it has no text"
        #expect(refused?.message.hasPrefix(first) == true)
        let listed = try await importing(.init(isDryRun: true))
        let result = try await importing(.init(skipsUnreadable: true))
        #expect(listed == result)
        #expect(result.soups == [.init(name: "contacts", entries: 1, unsent: 0, leftOut: 4)])
        #expect(result.leftOut.map(\.id) == [2, 3, 4, 5])
        #expect(result.leftOut.allSatisfy { $0.soup == "contacts" })
        #expect(
            result.leftOut.map(\.reason) == [
                "it has no text: the column soup is NULL",
                "its text is not a JSON object: \(JSONError(.unexpectedEnd, at: 5))",
                "its text is not a JSON object: \(JSONError(.notAnObject, at: 0))",
                "its dates are not valid: created -1, lastModified 2",
            ])
        try await withStore { (store: SmartStore) async throws -> Void in
            #expect(try await store.importedState(of: "contacts") == [#"1 created 1 modified 2 {"k":1}"#])
        }
    }

    // MARK: External storage

    @Test func `Texts in plain files are imported, encrypted ones not`() async throws {
        let soup = MobileSDKFixture.Soup(
            "files", [("k", "string")],
            entries: [
                .init(1, created: 1, lastModified: 2, text: nil), .init(2, created: 1, lastModified: 2, text: nil),
            ], storesTextsInFiles: true)
        try MobileSDKFixture(.iOS10, [soup]).write(to: file)
        let missing = try await refusal()
        #expect(missing?.code == .entryUnreadable)
        #expect(missing?.message.contains(#"entry 1 of soup "files": its text is in a file, and there is no "#) == true)

        let bodies = source.path + "/smartstore_external_soup_blobs/TABLE_1"
        try FileManager.default.createDirectory(atPath: bodies, withIntermediateDirectories: true)
        try Data(#"{"k":"one","__local__":true,"_soupEntryId":1}"#.utf8).write(to: URL(filePath: bodies + "/soupelt_1"))
        try Data([0x8F, 0x11, 0x00, 0x7B]).write(to: URL(filePath: bodies + "/soupelt_2"))
        let encrypted = try await refusal()
        #expect(encrypted?.message.contains("1 entries cannot be read: entry 2 of soup \"files\"") == true)
        #expect(encrypted?.message.contains("soupelt_2 is encrypted, or is not a JSON object") == true)

        try Data(#"{"k":"two"}"#.utf8).write(to: URL(filePath: bodies + "/soupelt_2"))
        #expect(
            try await importing().soups == [.init(name: "files", entries: 2, unsent: 1, leftOut: 0)])
        try await withStore { (store: SmartStore) async throws -> Void in
            #expect(
                try await store.importedState(of: "files") == [
                    #"1 created 1 modified 2 {"k":"one","__local__":true}"#, #"2 created 1 modified 2 {"k":"two"}"#,
                ])
        }
    }

    // MARK: Files with a log or a journal

    @Test func `A log beside the file is read, and both are unchanged`() async throws {
        let open = try DatabaseQueue(path: source.path + "/open.db")
        try await open.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
        }
        let sql = MobileSDKFixture(.android, [ImportFixtures.contacts()]).sql
        try await open.write { try $0.execute(sql: sql) }
        for ending in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: source.path + "/open.db\(ending)", toPath: file.path + ending)
        }
        try open.close()
        let before = try contents(ofFolder: source.path)
        #expect((before["smartstore.db-wal"]?.count ?? 0) > 0)
        let temporary = try FileManager.default.contentsOfDirectory(atPath: FileManager.default.temporaryDirectory.path)
        _ = try await importing()
        #expect(try contents(ofFolder: source.path) == before)
        let left = try FileManager.default.contentsOfDirectory(atPath: FileManager.default.temporaryDirectory.path)
        #expect(Set(left).subtracting(temporary).filter { $0.hasPrefix("soupkit-import-") } == [])
        try await withStore { (store: SmartStore) async throws -> Void in
            #expect(try await store.importedState(of: "contacts") == ImportFixtures.contactsState)
        }
    }

    @Test func `A log that cannot be read is refused`() async throws {
        try MobileSDKFixture(.iOS, [ImportFixtures.contacts()]).write(to: file)
        // A folder cannot be opened as a file, whatever the permissions are.
        try FileManager.default.createDirectory(atPath: file.path + "-wal", withIntermediateDirectories: false)
        let error = try await refusal()
        #expect(error?.code == .importUnusable)
        #expect(error?.message == "changes of the file are in \(file.path)-wal, which cannot be read")
    }

    @Test func `A transaction that was interrupted is not imported`() async throws {
        let path = source.path + "/open.db"
        try MobileSDKFixture(.iOS, [ImportFixtures.contacts()]).write(to: URL(filePath: path))
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let open = try DatabaseQueue(path: path, configuration: configuration)
        // The small cache makes SQLite write the pages of the transaction to the file before its end.
        try await open.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN IMMEDIATE")
            try db.execute(sql: "UPDATE TABLE_1 SET soup = json_set(soup, '$.k', hex(zeroblob(60000)))")
        }
        for ending in ["", "-journal"] {
            try FileManager.default.copyItem(atPath: path + ending, toPath: file.path + ending)
        }
        try await open.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try open.close()
        #expect(try Data(contentsOf: file) != Data(contentsOf: URL(filePath: path)))
        let before = try contents(ofFolder: source.path)
        _ = try await importing()
        #expect(try contents(ofFolder: source.path) == before)
        try await withStore { (store: SmartStore) async throws -> Void in
            #expect(try await store.importedState(of: "contacts") == ImportFixtures.contactsState)
        }
    }

    // MARK: Interrupted alterations

    /// The statements of an alteration of ``ImportFixtures/contacts(entries:)``, step by step.
    static let alteration = [
        "",
        "ALTER TABLE TABLE_1 RENAME TO TABLE_1_old; ALTER TABLE TABLE_1_fts RENAME TO TABLE_1_fts_old",
        "DROP INDEX TABLE_1_created_idx; DROP INDEX TABLE_1_0_idx; DELETE FROM soup_index_map",
        "CREATE TABLE TABLE_1 (id INTEGER PRIMARY KEY AUTOINCREMENT, soup TEXT, created INTEGER, lastModified INTEGER, "
            + "TABLE_1_0 TEXT); INSERT INTO soup_index_map VALUES ('contacts', 'Id', 'TABLE_1_0', 'string')",
        "INSERT INTO TABLE_1 (id, soup, created, lastModified) SELECT id, soup, created, lastModified FROM TABLE_1_old",
        "UPDATE TABLE_1 SET TABLE_1_0 = json_extract(soup, '$.Id')",
        "DROP TABLE TABLE_1_old; DROP TABLE TABLE_1_fts_old",
    ]

    @Test(arguments: alteration.indices) func `A soup is complete after every step of an alteration`(
        _ step: Int
    ) async throws {
        let operation = #"""
            INSERT INTO long_operations_status (type, details, status) VALUES ('AlterSoup', '{"soupName":"contacts",
                "soupTableName":"TABLE_1","newIndexSpecs":[{"path":"Id","type":"string"}]}', \#(step));

            """#
        let steps = Self.alteration[...step].joined(separator: ";")
        try MobileSDKFixture(.iOS, [ImportFixtures.contacts()], extra: operation + steps).write(to: file)
        _ = try await importing()
        try await withStore { (store: SmartStore) async throws -> Void in
            #expect(try await store.importedState(of: "contacts") == ImportFixtures.contactsState)
            #expect(try await store.indexSpecs(of: "contacts").map(\.description) == ["Id string"])
        }
    }

    // MARK: Other files

    @Test func `Files of other kinds are refused with a remedy`() async throws {
        func expect(
            _ code: SoupError.Code, _ message: String, writing write: () throws -> Void
        ) async throws {
            try? FileManager.default.removeItem(at: file)
            try write()
            let error = try await refusal()
            #expect(error?.code == code)
            #expect(error?.message == message)
        }
        try await expect(.importUnusable, "the file does not exist") {}
        try await expect(.importUnusable, "the file is empty") { try Data().write(to: file) }
        let encrypted = "the file is not a plain SQLite database: it is encrypted with SQLCipher, or has another format"
        try await expect(.importEncrypted, encrypted) {
            try Data((0..<8192).map { UInt8(truncatingIfNeeded: $0 &* 167 ^ $0 >> 3) }).write(to: file)
        }
        try await expect(.importEncrypted, "the file is encrypted with SQLCipher, except its header") {
            try MobileSDKFixture(.iOS, [ImportFixtures.contacts()]).write(to: file)
            var bytes = try Data(contentsOf: file)
            bytes[20] = 80
            for position in 32..<bytes.count { bytes[position] = UInt8(truncatingIfNeeded: position &* 167 ^ 0x5A) }
            try bytes.write(to: file)
        }
        try await expect(
            .importUnusable, "the file is a database of another program: it has no tables of SmartStore"
        ) {
            let other = try DatabaseQueue(path: file.path)
            try other.write { try $0.execute(sql: "CREATE TABLE t (x)") }
            try other.close()
        }
        try await expect(
            .importUnusable, "an operation of the mobile SDK is not complete, and it is not known: other"
        ) {
            try MobileSDKFixture(
                .iOS, [ImportFixtures.contacts()],
                extra: "INSERT INTO long_operations_status (type, details) VALUES ('other', '{}')"
            ).write(to: file)
        }
        try await expect(.importUnusable, #"the file is damaged: the table TABLE_1 of soup "contacts" is missing"#) {
            try MobileSDKFixture(.iOS, [ImportFixtures.contacts()], extra: "DROP TABLE TABLE_1").write(to: file)
        }
        try await expect(
            .badSoupName,
            #"soup "a:b" cannot be imported: its name is empty, or contains :, {, } or a control character"#
        ) {
            try MobileSDKFixture(.iOS, [.init("a:b", [("k", "string")], entries: [])]).write(to: file)
        }
        try await expect(
            .noIndexSpecs,
            #"soup "s" cannot have the indexes of the database: soup "s" needs at least one index spec"#
        ) {
            try MobileSDKFixture(.iOS, [.init("s", [], entries: [])]).write(to: file)
        }
    }

    @Test func `A store of SoupKit is refused`() async throws {
        let store = try await SQLiteStore.open(.init(path: file.path))
        try await store.write { try $0.registerSoup("s", [IndexSpec("k", .string)]) }
        // Open, and with its tables only in the log.
        #expect(try await refusal()?.message == "the file is a store of SoupKit, not a SmartStore database")
        try await store.write { _ = try $0.upsert(RecordBatch([try JSONText("{}")]), into: "s") }
        try await store.close()
        #expect(try await refusal()?.code == .importUnusable)
    }
}

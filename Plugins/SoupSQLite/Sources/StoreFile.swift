// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import GRDBSQLite
internal import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The file of a store, which is inspected before it is opened for use.
struct StoreFile {
    /// The path, and the file system of an encrypted store.
    private(set) var location: StoreLocation
    var path: String { location.path }
    let busyTimeout: Duration
    /// Whether only the owner can access the files.
    var isPrivate = true

    init(path: String, busyTimeout: Duration, isPrivate: Bool = true) {
        location = StoreLocation(path)
        self.busyTimeout = busyTimeout
        self.isPrivate = isPrivate
    }

    /// The SQLite application ID that identifies SoupKit's files for other tools: "Soup" as a number.
    private static var applicationId: Int64 { 0x536F_7570 }
    /// The layout of the meta tables; 1 had no `soup_attrs.specNumbers`, 2 no `synced_copies`, 3 no `store_identity`,
    /// and 4 no `soup_attrs.lastWrite`.
    private static var layout: Int64 { 5 }

    /// Finds the key of an encrypted store; without encryption, does nothing.
    ///
    /// - Throws: ``SoupError``: as ``SQLiteStore/open(_:in:)``.
    mutating func unlock(with encryption: SQLiteStore.Encryption?, in context: StoreContext) async throws {
        guard let encryption else { return }
        #if Encryption
            location.fileSystem = try await unlock(with: try encryption.provider(in: context))
        #else
            throw SQLiteStore.Encryption.notSupported
        #endif
    }

    /// Unlocks and opens the file.
    ///
    /// While it is opened, `soup encrypt` or `soup rekey` in another process can replace it. The key that was found in
    /// the earlier file would then report the later one as damaged, so both steps are done again.
    ///
    /// - Parameter didUnlock: called once between the two steps; a test replaces the file here.
    mutating func open(
        with encryption: SQLiteStore.Encryption?, in context: StoreContext, didUnlock: () async throws -> Void = {}
    ) async throws -> (pool: DatabasePool, isReadOnly: Bool) {
        try await unlock(with: encryption, in: context)
        try await didUnlock()
        do {
            return try open()
        } catch {
            #if Encryption
                guard wasReplaced else { throw error }
                try await unlock(with: encryption, in: context)
                return try open()
            #else
                throw error
            #endif
        }
    }

    /// Opens the file; read-only if it cannot be written.
    func open() throws -> (pool: DatabasePool, isReadOnly: Bool) {
        try requireFolder()
        let access = StoreAccess(try rights())
        guard access != .logIsUnreadable else {
            throw unusable(
                "the store cannot be read: its log \(path)-wal contains changes, and neither the folder nor the log can be written",
                hint:
                    "Copy the file and its -wal to a folder that you can write, or open the store once with write access."
            )
        }
        let file = access == .immutable ? location.immutableName : location.name
        let isReadOnly = access != .full
        guard !isReadOnly || FileManager.default.fileExists(atPath: path) else {
            throw unusable(
                "the store cannot be opened: it does not exist, and the folder cannot be written",
                hint: "Check the permissions of the folder, or use another path.")
        }
        try inspect(file)
        if !isReadOnly { makePrivate() }
        let pool = try makePool(file, configuration(isReadOnly: isReadOnly))
        // Checked with a read first: the file can be opened even while another process is writing.
        if try pool.read({ db in try Self.layout(of: db) }) < Self.layout {
            guard !isReadOnly else {
                throw unusable(
                    "the store has an earlier version, which cannot be upgraded without write access",
                    hint: "Open it once with write access to the file and its folder.")
            }
            try pool.write { db in
                try createMetaTables(db)
                try upgrade(db)
            }
        }
        return (pool, isReadOnly)
    }

    /// Opens the connections.
    ///
    /// The first change to write-ahead mode fails at once while another connection makes it, without a wait for
    /// `busyTimeout`, and so does a small write of GRDB at each opening of an encrypted file, because it does not find
    /// the log of a URI. Both are repeated here.
    private func makePool(_ name: String, _ configuration: Configuration) throws -> DatabasePool {
        let end = ContinuousClock.now + busyTimeout
        while true {
            do {
                return try DatabasePool(path: name, configuration: configuration)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                guard ContinuousClock.now < end else { throw error }
                sqlite3_sleep(5)
            }
        }
    }

    private func configuration(isReadOnly: Bool) -> Configuration {
        var configuration = Configuration()
        configuration.readonly = isReadOnly
        // iOS ends an app that is suspended while it holds a lock in a shared container.
        configuration.observesSuspensionNotifications = true
        configuration.label = "SoupKit.SQLiteStore"
        configuration.busyMode = .timeout(busyTimeout / .seconds(1))
        // Smart SQL treats "" as the empty text, as on the mobile platforms.
        configuration.acceptsDoubleQuotedStringLiterals = true
        let pageSize = location.pageSize
        configuration.prepareDatabase { db in
            try EntryFunction.register(in: db)
            try BlockedFunctions.block(in: db)
            if !db.configuration.readonly { try db.execute(sql: "PRAGMA page_size = \(pageSize)") }
        }
        location.prepare(&configuration)
        return configuration
    }

    /// Copies the log of a store that is not open into its file, and removes the log.
    ///
    /// The pool closes its writing connection before the reading ones, and only a connection that can write removes the
    /// log when it is the last one to be closed.
    static func removeLog(of location: StoreLocation) throws {
        let files = FileManager.default
        let path = location.path.withoutLinks
        guard files.fileExists(atPath: path + "-wal"), files.fileExists(atPath: path) else { return }
        var configuration = Configuration()
        location.prepare(&configuration)
        let last = try DatabaseQueue(
            path: location.isEncrypted ? location.name : path, configuration: configuration)
        _ = try last.read { db in try db.tableExists("soup_attrs") }
        try last.close()
    }

    private func createMetaTables(_ db: Database) throws {
        guard try !db.tableExists("soup_attrs") else { return }
        try db.execute(
            sql: """
                CREATE TABLE soup_attrs (
                    id INTEGER PRIMARY KEY AUTOINCREMENT, soupName TEXT,
                    lastEntryId INTEGER NOT NULL DEFAULT 0, indexesDeferred INTEGER NOT NULL DEFAULT 0,
                    specNumbers TEXT, lastWrite INTEGER);
                CREATE INDEX soup_attrs_0 ON soup_attrs ( soupName );
                CREATE TABLE soup_index_map (soupName TEXT, path TEXT, columnName TEXT, columnType TEXT);
                CREATE INDEX soup_index_map_0 ON soup_index_map ( soupName );
                CREATE TABLE long_operations_status (
                    id INTEGER PRIMARY KEY AUTOINCREMENT, type TEXT, details TEXT, status TEXT, created INTEGER,
                    lastModified INTEGER);
                \(SyncedCopies.definition)
                \(Self.identity)
                PRAGMA application_id = \(Self.applicationId);
                PRAGMA user_version = \(Self.layout);
                """)
    }

    /// The table with the identity of the file: a file that replaces it numbers its soups from 1 again.
    private static let identity = """
        CREATE TABLE store_identity (id TEXT NOT NULL);
        INSERT INTO store_identity VALUES (lower(hex(randomblob(8))));
        """

    private static func layout(of db: Database) throws -> Int64 {
        try Int64.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    }

    /// Upgrades a store of an earlier version to the current layout; the numbers of its specs are their positions.
    private func upgrade(_ db: Database) throws {
        let layout = try Self.layout(of: db)
        guard layout < Self.layout else { return }
        if layout < 2 { try db.execute(sql: "ALTER TABLE soup_attrs ADD COLUMN specNumbers TEXT") }
        if layout < 3 { try db.execute(sql: SyncedCopies.definition) }
        if layout < 4 { try db.execute(sql: Self.identity) }
        try db.execute(
            sql: "ALTER TABLE soup_attrs ADD COLUMN lastWrite INTEGER; PRAGMA user_version = \(Self.layout)")
    }

    // MARK: Inspecting before writing

    /// Checks that the existing file is a store of this or an earlier version, without a write.
    func inspectForCopy() throws {
        try requireFolder()
        try inspect(location.name)
    }

    /// Checks the existing file through a connection that cannot write.
    private func inspect(_ file: String) throws {
        guard let size = try size(of: path.withoutLinks) else { return }
        guard size > 0 else { return try requireNoLog(besideFileOf: size) }
        if !location.isEncrypted, isMarkedAsEncrypted {
            throw SoupError(
                .storeEncrypted, "the store is encrypted, and its configuration names no key",
                place: SoupError.Place(file: path),
                hint: "Add \"encryption\" with its \"key\" to the \"backend\" in the store's configuration.")
        }
        try requireWholeFile(size)
        do {
            try inspectTables(file, isReadOnly: true)
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_READONLY_ROLLBACK && isOwnFile {
            guard location.isEncrypted || !JournalFile.namesAnotherFile(path.withoutLinks + "-journal") else {
                throw unusable(
                    "the store has a journal that names another file", hint: "Restore the store from a backup.")
            }
            // The process was killed while it changed the encryption. SQLite restores the file before it reads it.
            try inspectTables(file, isReadOnly: false)
        }
    }

    /// Throws if there is a log with content beside a file without any, because SQLite would delete the log.
    ///
    /// A store has its first page before it has a log. If the file is missing, the log is the rest of a removal. If it
    /// has another size than before, another process has created the store since then.
    func requireNoLog(besideFileOf size: Int64) throws {
        let file = path.withoutLinks
        guard (try self.size(of: file + "-wal") ?? 0) > 0, try self.size(of: file) == size else { return }
        throw unusable(
            "the file was truncated, and its log \(path)-wal has content",
            hint: "Restore both files from a backup, or move both to start with an empty store.")
    }

    /// Whether the file is a store, according to its first page without the journal.
    ///
    /// The header of an encrypted file has shown this already.
    private var isOwnFile: Bool {
        let id = DatabaseFileBytes(path: location.name)?.bytes(4, at: 68)
        return location.isEncrypted || id?.reduce(0, { $0 << 8 | Int64($1) }) == Self.applicationId
    }

    /// Whether the file has the mark of encrypted files.
    var isMarkedAsEncrypted: Bool {
        let mark = EncryptedFileMark.bytes
        guard let file = DatabaseFileBytes(path: path) else { return false }
        if file.bytes(mark.count, at: 0) == mark { return true }
        // The first copy of the header can be damaged.
        return file.bytes(mark.count, at: 4096) == mark
            && file.bytes(16, at: 0) != Array("SQLite format 3\0".utf8)
    }

    private func inspectTables(_ file: String, isReadOnly: Bool) throws {
        var configuration = Configuration()
        location.prepare(&configuration)
        configuration.readonly = isReadOnly
        configuration.busyMode = .timeout(busyTimeout / .seconds(1))
        try DatabaseQueue(path: file, configuration: configuration).read { db in
            let application = try Int64.fetchOne(db, sql: "PRAGMA application_id") ?? 0
            let layout = try Self.layout(of: db)
            let isEmpty = try Int64.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") == 0
            if isEmpty && application == 0 { return }
            guard application == Self.applicationId else {
                throw unusable(
                    "the file is a database of another program",
                    hint: "Use the path of another file; this one has not been changed.")
            }
            guard layout <= Self.layout else {
                throw unusable(
                    "the store has a newer version (layout \(layout); this version supports \(Self.layout))",
                    hint: "Update the program.")
            }
            _ = try Int64.fetchOne(db, sql: "SELECT count(*) FROM soup_attrs")
        }
    }

    /// Returns the length of the database in a file of a length.
    private func contentLength(stored: Int64) -> Int64 {
        #if Encryption
            if let fileSystem = location.fileSystem { return fileSystem.contentLength(stored: stored) }
        #endif
        return stored
    }

    func requireFolder() throws {
        let folder = path.contains("/") ? String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) : "."
        var isFolder = false
        let exists = FileManager.default.fileExists(atPath: folder.isEmpty ? "/" : folder, isDirectory: &isFolder)
        guard exists, isFolder else {
            throw unusable("the folder \(folder) does not exist", hint: "Create it, or use another path.")
        }
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder {
            throw unusable("the path is a folder, not a file", hint: "Use the path of a file in it.")
        }
    }

    func size(of path: String) throws -> Int64? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.size] as? UInt64).map { Int64(clamping: $0) } ?? (attributes[.size] as? Int64) ?? 0
    }

    /// Throws if the file is shorter than the number of pages in its header, because it was truncated.
    ///
    /// SQLite itself detects this only when it needs a missing page. If there is a log, the pages may be in the
    /// log, and a journal changes the size.
    private func requireWholeFile(_ size: Int64) throws {
        // An encrypted store is created with its first page. Without a page, SQLite would remove the log.
        if contentLength(stored: size) == 0 { throw truncated() }
        for name in ["-wal", "-journal"] where try (self.size(of: path.withoutLinks + name) ?? 0) > 0 { return }
        guard let header = DatabaseFileBytes(path: location.name)?.bytes(100, at: 0) else {
            if location.isEncrypted {
                throw SoupError.sqlite(code: SQLITE_CORRUPT, message: "the first page is damaged", file: path)
            }
            throw unusable("the store cannot be read", hint: "Check the permissions of the file and of its folder.")
        }
        // The first page is damaged: SQLite reports it, unless it finds the page in the log.
        if location.isEncrypted, header.allSatisfy({ $0 == 0 }) { return }
        guard header.starts(with: Array("SQLite format 3\0".utf8)) else {
            throw unusable(
                "not a database",
                hint: "Use the path of another file, or move this one to start with an empty store.")
        }
        guard size >= 100 else { throw truncated() }
        let pageSize = Int64(header[16]) << 8 | Int64(header[17])
        let pages = header[28..<32].reduce(0 as Int64) { $0 << 8 | Int64($1) }
        if contentLength(stored: size) < pages * (pageSize == 1 ? 65536 : pageSize) { throw truncated() }
    }

    private func truncated() -> SoupError {
        unusable(
            "the file is truncated: pages are missing at its end",
            hint: "Restore it from a backup, or move it to start with an empty store.")
    }

    func unusable(_ message: String, hint: String) -> SoupError {
        SoupError(.storeUnusable, message, place: SoupError.Place(file: path), hint: hint)
    }
}

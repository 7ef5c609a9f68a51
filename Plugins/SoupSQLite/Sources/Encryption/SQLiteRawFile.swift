// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

internal import GRDBSQLite
internal import SoupEncryption

/// The stored bytes of a file that SQLite's standard file system has opened.
struct SQLiteRawFile: RawFile {
    let file: UnsafeMutablePointer<sqlite3_file>

    /// A result code of SQLite that is not `SQLITE_OK`.
    struct Failure: Error {
        var code: Int32
    }

    /// The code for less bytes than asked for, `SQLITE_IOERR_SHORT_READ`: a macro that Swift does not import.
    static let shortRead = SQLITE_IOERR | 2 << 8

    private var methods: sqlite3_io_methods {
        get throws {
            guard let methods = file.pointee.pMethods else { throw Failure(code: SQLITE_IOERR) }
            return methods.pointee
        }
    }

    func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        let code = try methods.xRead(file, buffer.baseAddress, Int32(buffer.count), offset)
        if code == SQLITE_OK { return buffer.count }
        guard code == Self.shortRead else { throw Failure(code: code) }
        // SQLite fills the rest with zeros; the size of the file shows its length.
        return Int(clamping: min(Int64(buffer.count), max(0, try size() - offset)))
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws {
        try check(try methods.xWrite(file, bytes.baseAddress, Int32(bytes.count), offset))
    }

    func size() throws -> Int64 {
        var size: sqlite3_int64 = 0
        try check(try methods.xFileSize(file, &size))
        return size
    }

    func truncate(to size: Int64) throws { try check(try methods.xTruncate(file, size)) }

    func sync() throws { try check(try methods.xSync(file, SQLITE_SYNC_FULL)) }

    /// Acquires a lock of SQLite, step by step: shared, reserved, exclusive.
    func lock(_ level: Int32) throws { try check(try methods.xLock(file, level)) }

    func unlock() throws { try check(try methods.xUnlock(file, SQLITE_LOCK_NONE)) }

    /// Whether the path of the file leads to another file now, or to none.
    var hasMoved: Bool {
        get throws {
            var moved: Int32 = 0
            try check(try methods.xFileControl(file, SQLITE_FCNTL_HAS_MOVED, &moved))
            return moved != 0
        }
    }

    private func check(_ code: Int32) throws {
        if code != SQLITE_OK { throw Failure(code: code) }
    }

    /// Opens a file with SQLite's standard file system.
    ///
    /// If this process closed a database file itself, the system would release the locks that SQLite holds on it.
    ///
    /// - Throws: ``Failure``, with `SQLITE_CANTOPEN` if the file does not exist and is not to be created.
    static func withFile<T>(_ path: String, flags: Int32, _ body: (SQLiteRawFile) throws -> T) throws -> T {
        guard let system = sqlite3_vfs_find(nil), let open = system.pointee.xOpen,
            let name = sqlite3_create_filename(path, "", "", 0, nil)
        else { throw Failure(code: SQLITE_CANTOPEN) }
        defer { sqlite3_free_filename(name) }
        let memory = UnsafeMutableRawPointer.allocate(byteCount: Int(system.pointee.szOsFile), alignment: 16)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: Int(system.pointee.szOsFile))
        let file = memory.assumingMemoryBound(to: sqlite3_file.self)
        var opened: Int32 = 0
        let code = open(system, name, file, SQLITE_OPEN_MAIN_DB | flags, &opened)
        defer { _ = file.pointee.pMethods?.pointee.xClose(file) }
        guard code == SQLITE_OK else { throw Failure(code: code) }
        return try body(SQLiteRawFile(file: file))
    }
}

#endif

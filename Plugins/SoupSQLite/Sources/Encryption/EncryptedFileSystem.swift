// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

internal import GRDBSQLite
internal import SoupEncryption
internal import Synchronization

/// The file system (VFS) of one encrypted store, under SQLite's standard one.
///
/// SQLite finds it by its name, which is unique in the process, as in `file:store.sqlite?vfs=NAME`. Connections must
/// not outlive it: the pool's configuration retains it. ``close()`` removes the key from memory.
final class EncryptedFileSystem: Sendable {
    /// The name in URIs.
    let name: String
    /// The length of the store's units, which is the page size of new databases.
    let unitLength: Int
    /// The identity of the file for which the key was found.
    let file: FileIdentity
    private let key: Mutex<DataKey?>
    private let registration: Mutex<Registration>

    /// The length of the units of new stores: the page size.
    ///
    /// Twice that of a store without encryption, because the cost of a unit hardly depends on its length.
    static let standardUnitLength = 16384

    /// The memory that SQLite refers to until the last connection is closed.
    private struct Registration {
        var system: UnsafeMutablePointer<sqlite3_vfs>
        var methods: UnsafeMutablePointer<sqlite3_io_methods>
        var name: UnsafeMutablePointer<CChar>
        var isRegistered = false
    }

    /// - Throws: ``SQLiteRawFile/Failure`` if SQLite does not accept the file system.
    init(_ key: DataKey, unitLength: Int) throws {
        guard let base = sqlite3_vfs_find(nil) else { throw SQLiteRawFile.Failure(code: SQLITE_ERROR) }
        let name = "soupkit-" + String(UInt64.random(in: .min ... .max), radix: 16)
        self.name = name
        self.unitLength = unitLength
        file = key.file
        self.key = Mutex(key)
        let text = name.utf8CString
        let registration = Registration(
            system: .allocate(capacity: 1), methods: .allocate(capacity: 1), name: .allocate(capacity: text.count))
        for (index, character) in text.enumerated() { (registration.name + index).initialize(to: character) }
        registration.methods.initialize(to: EncryptedFileMethods.files)
        registration.system.initialize(to: EncryptedFileMethods.system(over: base.pointee))
        registration.system.pointee.zName = UnsafePointer(registration.name)
        self.registration = Mutex(registration)
        let code = self.registration.withLock { registration in
            registration.system.pointee.pAppData = Unmanaged.passUnretained(self).toOpaque()
            let code = sqlite3_vfs_register(registration.system, 0)
            registration.isRegistered = code == SQLITE_OK
            return code
        }
        guard code == SQLITE_OK else { throw SQLiteRawFile.Failure(code: code) }
    }

    deinit {
        unregister()
        registration.withLock { registration in
            registration.system.deallocate()
            registration.methods.deallocate()
            registration.name.deallocate()
        }
    }

    /// Returns the length of the content of a database file.
    func contentLength(stored: Int64) -> Int64 {
        UnitLayout.uniform(unitLength).contentLength(stored: max(0, stored - Int64(FileHeader.length)))
    }

    /// Removes the key from memory; files can no longer be opened.
    func close() {
        unregister()
        key.withLock { $0 = nil }
    }

    private func unregister() {
        registration.withLock { registration in
            guard registration.isRegistered else { return }
            registration.isRegistered = false
            sqlite3_vfs_unregister(registration.system)
        }
    }

    /// Opens a file for SQLite into its memory.
    func open(
        _ path: UnsafePointer<CChar>?, into file: UnsafeMutablePointer<sqlite3_file>, flags: Int32,
        opened: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        guard let base = sqlite3_vfs_find(nil), let open = base.pointee.xOpen,
            let (key, kind) = keyAndKind(flags)
        else { return SQLITE_CANTOPEN }
        let size = Int(base.pointee.szOsFile)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        let inner = memory.assumingMemoryBound(to: sqlite3_file.self)
        let code = open(base, path, inner, flags, opened)
        guard code == SQLITE_OK else {
            _ = inner.pointee.pMethods?.pointee.xClose(inner)
            memory.deallocate()
            return code
        }
        let handle = EncryptedHandle(memory, key: key, kind: kind, unitLength: unitLength)
        if kind == .database {
            // The header was written before; a file without one is not this store.
            guard let length = try? SQLiteRawFile(file: inner).size(), length >= FileHeader.length else {
                _ = handle.close()
                return SQLITE_CANTOPEN
            }
        }
        EncryptedFileMethods.initialize(
            file, with: handle, methods: registration.withLock { UnsafePointer($0.methods) })
        return SQLITE_OK
    }

    /// Returns the key for a kind of file; nil after ``close()``, and for files that a store does not have.
    private func keyAndKind(_ flags: Int32) -> (DataKey, ContentKind)? {
        guard let key = key.withLock({ $0 }) else { return nil }
        if flags & SQLITE_OPEN_MAIN_DB != 0 { return (key, .database) }
        if flags & SQLITE_OPEN_WAL != 0 { return (key, .log) }
        if flags & SQLITE_OPEN_MAIN_JOURNAL != 0 { return (key, .journal) }
        // The journal over several databases: a store has one.
        if flags & SQLITE_OPEN_SUPER_JOURNAL != 0 { return nil }
        // Nothing reads a temporary file after the connection is closed, so its key is only in memory.
        return (DataKey(), .temporary)
    }
}

#endif

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

internal import GRDBSQLite

/// The functions of ``EncryptedFileSystem`` and its files in the form that SQLite calls.
///
/// SQLite allocates the memory of a file and calls the functions of one file from one thread at a time.
enum EncryptedFileMethods {
    static func initialize(
        _ file: UnsafeMutablePointer<sqlite3_file>, with handle: EncryptedHandle,
        methods: UnsafePointer<sqlite3_io_methods>
    ) {
        UnsafeMutableRawPointer(file).initializeMemory(
            as: Record.self, to: Record(file: sqlite3_file(pMethods: methods), handle: .passRetained(handle)))
    }

    /// The functions of files.
    ///
    /// Version 2 has shared memory for the log, and no memory-mapped reads, which would pass the encrypted bytes to
    /// SQLite.
    static var files: sqlite3_io_methods {
        sqlite3_io_methods(
            iVersion: 2,
            xClose: { file in
                guard let handle = handle(file) else { return SQLITE_OK }
                let code = handle.close()
                file?.pointee.pMethods = nil
                Unmanaged.passUnretained(handle).release()
                return code
            },
            xRead: { file, buffer, count, offset in
                handle(file)?.read(UnsafeMutableRawBufferPointer(start: buffer, count: Int(count)), at: offset)
                    ?? SQLITE_IOERR
            },
            xWrite: { file, bytes, count, offset in
                handle(file)?.write(UnsafeRawBufferPointer(start: bytes, count: Int(count)), at: offset)
                    ?? SQLITE_IOERR
            },
            xTruncate: { file, length in handle(file)?.truncate(to: length) ?? SQLITE_IOERR },
            xSync: { file, flags in inner(file) { $0.xSync($1, flags) } },
            xFileSize: { file, size in
                var length: Int64 = 0
                let code = handle(file)?.size(&length) ?? SQLITE_IOERR
                size?.pointee = length
                return code
            },
            xLock: { file, level in inner(file) { $0.xLock($1, level) } },
            xUnlock: { file, level in inner(file) { $0.xUnlock($1, level) } },
            xCheckReservedLock: { file, result in inner(file) { $0.xCheckReservedLock($1, result) } },
            xFileControl: { file, operation, argument in
                switch operation {
                // Sizes of the stored file, and memory-mapped reads.
                case SQLITE_FCNTL_SIZE_HINT, SQLITE_FCNTL_CHUNK_SIZE: SQLITE_OK
                case SQLITE_FCNTL_MMAP_SIZE: SQLITE_NOTFOUND
                default: inner(file) { $0.xFileControl($1, operation, argument) }
                }
            },
            xSectorSize: { file in inner(file) { $0.xSectorSize($1) } },
            // Of the promises of the system, only this one can be true for units: a write does not change other bytes.
            // SQLite writes a log by whole units, and a journal in parts: it must begin at a unit after each sync.
            xDeviceCharacteristics: { file in
                guard handle(file)?.isWrittenByUnits ?? false else { return 0 }
                return inner(file) { $0.xDeviceCharacteristics($1) & SQLITE_IOCAP_POWERSAFE_OVERWRITE }
            },
            xShmMap: { file, region, size, extends, memory in
                inner(file) { $0.xShmMap?($1, region, size, extends, memory) }
            },
            xShmLock: { file, offset, count, flags in inner(file) { $0.xShmLock?($1, offset, count, flags) } },
            xShmBarrier: { file in
                _ = inner(file) {
                    $0.xShmBarrier?($1)
                    return SQLITE_OK
                }
            },
            xShmUnmap: { file, deletes in inner(file) { $0.xShmUnmap?($1, deletes) } },
            xFetch: nil, xUnfetch: nil)
    }

    /// The functions of a file system that opens encrypted files, and does everything else as the standard one.
    static func system(over standard: sqlite3_vfs) -> sqlite3_vfs {
        var system = sqlite3_vfs()
        system.iVersion = 2
        system.szOsFile = Int32(MemoryLayout<Record>.stride)
        system.mxPathname = standard.mxPathname
        system.xOpen = { system, path, file, flags, opened in
            guard let file, let data = system?.pointee.pAppData else { return SQLITE_CANTOPEN }
            file.pointee.pMethods = nil
            return Unmanaged<EncryptedFileSystem>.fromOpaque(data).takeUnretainedValue()
                .open(path, into: file, flags: flags, opened: opened)
        }
        system.xDelete = { _, path, syncs in base { $0.pointee.xDelete?($0, path, syncs) } }
        system.xAccess = { _, path, flags, result in base { $0.pointee.xAccess?($0, path, flags, result) } }
        system.xFullPathname = { _, path, count, full in base { $0.pointee.xFullPathname?($0, path, count, full) } }
        system.xRandomness = { _, count, bytes in base { $0.pointee.xRandomness?($0, count, bytes) } }
        system.xSleep = { _, time in base { $0.pointee.xSleep?($0, time) } }
        system.xCurrentTime = { _, time in base { $0.pointee.xCurrentTime?($0, time) } }
        system.xGetLastError = { _, count, text in base { $0.pointee.xGetLastError?($0, count, text) } }
        system.xCurrentTimeInt64 = { _, time in base { $0.pointee.xCurrentTimeInt64?($0, time) } }
        return system
    }
}

/// The memory of a file: the part that SQLite reads, and the handle, which `xClose` releases.
private struct Record {
    var file: sqlite3_file
    var handle: Unmanaged<EncryptedHandle>
}

// File-level functions, because a function for C cannot refer to the type above.

private func handle(_ file: UnsafeMutablePointer<sqlite3_file>?) -> EncryptedHandle? {
    guard let file else { return nil }
    return UnsafeMutableRawPointer(file).assumingMemoryBound(to: Record.self).pointee.handle.takeUnretainedValue()
}

/// Calls a function of the system's file.
private func inner(
    _ file: UnsafeMutablePointer<sqlite3_file>?,
    _ call: (sqlite3_io_methods, UnsafeMutablePointer<sqlite3_file>) -> Int32?
) -> Int32 {
    guard let inner = handle(file)?.inner, let methods = inner.pointee.pMethods else { return SQLITE_IOERR }
    return call(methods.pointee, inner) ?? SQLITE_IOERR
}

private func base(_ call: (UnsafeMutablePointer<sqlite3_vfs>) -> Int32?) -> Int32 {
    guard let base = sqlite3_vfs_find(nil) else { return SQLITE_ERROR }
    return call(base) ?? SQLITE_ERROR
}

#endif

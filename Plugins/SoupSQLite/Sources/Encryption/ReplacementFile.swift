// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

internal import SoupCore
internal import SoupEncryption
internal import GRDBSQLite

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// A file that is written beside a store, and replaces it when it is complete.
///
/// The caller excludes other processes that write such a file, with a lock on the store or with the lease of its syncs.
struct ReplacementFile {
    private let file: String
    private let path: String

    /// - Parameter file: the path of the store, without links.
    init(of file: String) {
        self.file = file
        path = file + SQLiteStore.copySuffix
    }

    /// Creates the file without content; with a header if there is a secret.
    ///
    /// Replaces what an interrupted process has left.
    func create(with secret: StoreSecret?) throws -> StoreLocation {
        remove()
        var target = StoreLocation(path)
        let created = openFile(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC)
        guard created >= 0 else { throw failure("created") }
        close(created)
        guard let secret else { return target }
        let length = EncryptedFileSystem.standardUnitLength
        do {
            let key = try SQLiteRawFile.withFile(path, flags: SQLITE_OPEN_READWRITE) { raw in
                try EncryptedFile.create(raw, .database, unitLength: length, secret: secret)
            }
            target.fileSystem = try EncryptedFileSystem(key, unitLength: length)
        } catch let error as SQLiteRawFile.Failure {
            throw SoupError.sqlite(code: error.code, message: "the file cannot be written", file: path, cause: error)
        }
        return target
    }

    /// Replaces the store when the file is permanent; it gets the owner and the permissions of the store.
    func install() throws {
        let descriptor = openFile(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("read") }
        var (status, own) = (stat(), stat())
        var isReady = fstat(descriptor, &own) == 0
        if isReady, stat(file, &status) == 0 {
            let isOwned = (status.st_uid, status.st_gid) == (own.st_uid, own.st_gid)
            isReady =
                (isOwned || fchown(descriptor, status.st_uid, status.st_gid) == 0)
                && fchmod(descriptor, status.st_mode & 0o777) == 0
        }
        isReady = isReady && PermanentFile.flush(descriptor)
        let reason = errno
        // Closed before it has the name of the store: a later close would release the locks of an open store.
        close(descriptor)
        errno = reason
        guard isReady, rename(path, file) == 0 else { throw failure("moved") }
        PermanentFile.flushName(of: file)
    }

    /// Removes the file and its companions.
    func remove() {
        for suffix in SQLiteStore.copySuffixes { unlink(file + suffix) }
    }

    private func failure(_ action: String) -> SoupError {
        SoupError(
            .storeUnusable, "the new file of the store cannot be \(action): \(String(cString: strerror(errno)))",
            place: SoupError.Place(file: path),
            hint: "Check the permissions of its folder, the owner of the store, and the free space.")
    }
}

/// A file-level function, so that `open` is that of the system.
private func openFile(_ path: String, _ flags: Int32) -> Int32 { open(path, flags, 0o600) }

#endif

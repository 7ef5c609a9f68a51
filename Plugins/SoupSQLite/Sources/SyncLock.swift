// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

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

/// The lock of the lease for syncing one database: an exclusive lock on a file next to it.
///
/// The system releases the lock when the process ends, for any reason. The file contains the ID of the process that
/// acquired the lock last. Only a process that holds the lock deletes it, with everything else that belongs to the
/// store: a claim checks that its file still has the path, so that a process that opened it before and a process that
/// creates it again cannot both acquire a lock.
enum SyncLock {
    /// - Returns: nil while another process, or another open store, holds the lock.
    static func claim(database path: String) throws -> SyncLease? {
        let file = self.file(database: path)
        var descriptor = try openFile(file, database: path)
        while true {
            while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
                if errno == EINTR { continue }
                defer { close(descriptor) }
                if errno == EWOULDBLOCK { return nil }
                throw unusable("cannot be locked", file: file)
            }
            if isOpen(file, as: descriptor) { break }
            close(descriptor)
            descriptor = try openFile(file, database: path)
        }
        // Shows other processes which process holds the lock; the lock works without it.
        let name = Array("\(getpid())\n".utf8)
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, name, name.count, 0) }
        // Closing the only descriptor of the file releases the lock.
        let lock = descriptor
        return SyncLease { close(lock) }
    }

    /// Returns whether a path leads to an open file.
    private static func isOpen(_ path: String, as descriptor: Int32) -> Bool {
        var (named, opened) = (stat(), stat())
        return stat(path, &named) == 0 && fstat(descriptor, &opened) == 0 && named.st_ino == opened.st_ino
            && named.st_dev == opened.st_dev
    }

    /// Opens the lock file; a new one gets the permissions of the database, as SQLite gives them to its own files.
    private static func openFile(_ file: String, database path: String) throws -> Int32 {
        let existing = open(file, O_RDWR | O_CLOEXEC)
        if existing >= 0 { return existing }
        guard errno == ENOENT else { throw unusable("cannot be opened", file: file) }
        var status = stat()
        let mode = stat(path, &status) == 0 ? status.st_mode & 0o666 : 0o600
        let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw unusable("cannot be opened", file: file) }
        return descriptor
    }

    /// Returns the holder of the lease according to its lock file: `process 4711`.
    static func holder(database path: String) -> String {
        guard let text = FileManager.default.contents(atPath: file(database: path)),
            let number = Int32(String(decoding: text.prefix(20), as: UTF8.self).trimmingSuffix("\n"))
        else { return "another process" }
        return number == getpid() ? "this process" : "process \(number)"
    }

    /// The path of the lock file of a database.
    static func file(database path: String) -> String { path.withoutLinks + "-syncs" }

    private static func unusable(_ failure: String, file: String) -> SoupError {
        SoupError(
            .storeUnusable, "the lock file of the syncs \(failure): \(String(cString: strerror(errno)))",
            place: SoupError.Place(file: file), hint: "Check the permissions of the file and of its folder.")
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> Substring {
        hasSuffix(suffix) ? dropLast(suffix.count) : self[...]
    }

    /// The path of the file with all links resolved; for a missing file, with those of its folder.
    ///
    /// SQLite stores the companion files of a database next to the file itself, not next to a link to it. A store has
    /// the same path before and after its creation.
    var withoutLinks: String {
        func resolved(_ path: String) -> String? {
            guard let resolved = realpath(path, nil) else { return nil }
            defer { free(resolved) }
            return String(cString: resolved)
        }
        if let file = resolved(self) { return file }
        guard let slash = lastIndex(of: "/"), slash > startIndex, let folder = resolved(String(self[..<slash])) else {
            return self
        }
        return (folder == "/" ? "" : folder) + self[slash...]
    }
}

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

/// The changes that the removal of a user's files makes in the file system.
enum RemovalFolder {
    /// Returns whether a file, a folder or a link exists, regardless of the link's target.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Returns the files in a folder and its subfolders, relative to it, in ascending order; none if it does not exist.
    ///
    /// Links are not followed.
    static func files(in folder: String, prefix: String = "") -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().flatMap { name in
            var status = stat()
            guard lstat("\(folder)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
                return [prefix + name]
            }
            return files(in: "\(folder)/\(name)", prefix: "\(prefix)\(name)/")
        }
    }

    /// Returns the paths of the links in a folder and its subfolders, in ascending order.
    static func links(in folder: String) -> [String] {
        files(in: folder).map { "\(folder)/\($0)" }.filter { path in
            var status = stat()
            return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
        }
    }

    /// Locks a folder, also after it is renamed, until the lock is released or the process ends.
    ///
    /// - Returns: nil if the folder does not exist.
    /// - Throws: ``SoupError`` with `storeUnusable` while another process has the lock.
    static func lock(_ folder: String) throws -> SyncLease? {
        let descriptor = openFile(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("cannot be opened", folder)
        }
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            let isLocked = errno == EWOULDBLOCK
            let error = isLocked ? isBusy(folder) : failure("cannot be locked", folder)
            close(descriptor)
            throw error
        }
        return SyncLease { close(descriptor) }
    }

    /// The error while another process removes the stores.
    static func isBusy(_ folder: String) -> SoupError {
        SoupError(
            .storeUnusable, "the stores of the user are being removed", place: SoupError.Place(file: folder),
            hint: "Repeat when the removal has ended.")
    }

    /// Creates a folder that only its owner can read, and its missing parents; an existing folder is allowed.
    static func make(_ folder: String) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw SoupError(
                .storeUnusable, "the folder cannot be created", place: SoupError.Place(file: folder),
                hint: "Check the permissions of the folder that contains it.", cause: error)
        }
        sync(parent(of: folder))
    }

    /// Renames a folder in one step, which is permanent when this returns.
    static func rename(_ folder: String, to path: String) throws {
        guard renameFile(folder, path) == 0 else { throw failure("cannot be moved", folder) }
        sync(parent(of: folder))
    }

    /// Removes a file, or a folder with its contents; a missing one is allowed, and links are not followed.
    ///
    /// If something cannot be removed, the rest is removed nevertheless.
    ///
    /// - Parameter willRemove: called before each file and each folder.
    /// - Throws: the first error.
    static func remove(_ path: String, willRemove: (String) throws -> Void) throws {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        var first: (any Error)?
        if isFolder {
            for name in (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] {
                do {
                    try remove("\(path)/\(name)", willRemove: willRemove)
                } catch let error as SoupError where error.code == .storeUnusable {
                    first = first ?? error
                }
            }
        }
        if let first { throw first }
        try willRemove(path)
        guard (isFolder ? rmdir(path) : unlink(path)) == 0 || errno == ENOENT else {
            throw failure("cannot be removed", path)
        }
    }

    /// Removes the files with the key of a store, which the key provider `file` creates beside it.
    static func removeKeyFiles(of file: String) throws {
        let folder = parent(of: file)
        let key = URL(filePath: KeyFileName.file(ofStore: file), directoryHint: .notDirectory).lastPathComponent
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names where KeyFileName.matches(name, key: key) {
            guard unlink("\(folder)/\(name)") == 0 || errno == ENOENT else {
                throw failure("cannot be removed", "\(folder)/\(name)")
            }
        }
    }

    private static func parent(of path: String) -> String {
        URL(filePath: path).deletingLastPathComponent().filePath
    }

    /// Makes the names in a folder permanent.
    private static func sync(_ folder: String) {
        let descriptor = openFile(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        #if canImport(Darwin)
            // fsync leaves the names in the cache of the disk. Not every file system has the stronger request.
            if fcntl(descriptor, F_FULLFSYNC) != 0 { fsync(descriptor) }
        #else
            fsync(descriptor)
        #endif
        close(descriptor)
    }

    private static func failure(_ problem: String, _ path: String) -> SoupError {
        SoupError(
            .storeUnusable, "it \(problem): \(String(cString: strerror(errno)))", place: SoupError.Place(file: path),
            hint: "Check the permissions of the folder that contains it, and repeat.")
    }
}

/// File-level functions, so that `open` and `rename` are those of the system.
private func openFile(_ path: String, _ flags: Int32) -> Int32 { open(path, flags) }
private func renameFile(_ path: String, _ other: String) -> Int32 { rename(path, other) }

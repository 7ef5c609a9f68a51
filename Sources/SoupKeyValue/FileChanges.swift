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
#elseif canImport(Android)
    internal import Android
#endif

/// A change of the file system.
enum FileChange: Sendable, Hashable {
    case makeFolder, protect, create, write, sync, rename, remove, syncFolder
}

/// The changes that a store makes in the file system; no other code of the store writes there.
struct FileChanges: Sendable {
    /// Called before each change with its path.
    ///
    /// A test throws here: once like a full disk, or at every call like a process that was killed.
    var willMake: @Sendable (FileChange, String) throws -> Void = { _, _ in }

    /// Creates a folder and its missing parents; an existing folder is allowed.
    ///
    /// - Returns: the lowest folder that existed before.
    @discardableResult
    func makeFolder(_ path: String) throws -> String {
        if folderExists(path) { return path }
        let parent = parentFolder(of: path)
        let present = parent == path ? path : try makeFolder(parent)
        try willMake(.makeFolder, path)
        guard mkdir(path, 0o700) == 0 || (errno == EEXIST && folderExists(path)) else {
            if errno == EEXIST || errno == ENOTDIR {
                throw SoupError(
                    .storeUnusable, "a file has the path of the key-value store's folder",
                    place: SoupError.Place(file: path), hint: "Move the file, or use another folder.")
            }
            throw SoupError.file("the folder cannot be created", path)
        }
        return present
    }

    /// Removes the permissions of other users from a folder and its files.
    ///
    /// Does nothing if other users have no permissions for the folder, because they cannot reach its files then. Files
    /// of another user are not changed, and no file is changed on a file system that cannot change permissions.
    ///
    /// - Parameters:
    ///   - folder: the open folder.
    ///   - names: returns the names of its files.
    func makePrivate(_ folder: Int32, _ path: String, names: () throws -> [String]) throws {
        var status = stat()
        guard fstat(folder, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o077 != 0 else { return }
        try willMake(.protect, path)
        for name in try names() {
            let file = "\(path)/\(name)"
            var own = stat()
            guard lstat(file, &own) == 0, own.st_mode & S_IFMT == S_IFREG, own.st_uid == geteuid() else { continue }
            chmod(file, own.st_mode & 0o700)
        }
        // The folder is the last, so that the next opening repeats an interrupted change.
        fchmod(folder, status.st_mode & 0o700)
    }

    /// Sets the data protection of a folder, which its new files inherit; does nothing on a platform without it.
    ///
    /// It is the default of SQLite stores: the files are readable once the user has unlocked the device.
    func setDataProtection(_ path: String) {
        #if canImport(Darwin) && !os(macOS)
            let protection = FileProtectionType.completeUntilFirstUserAuthentication
            try? FileManager.default.setAttributes([.protectionKey: protection], ofItemAtPath: path)
        #endif
    }

    /// Creates a file that must not exist yet, and opens it for writing.
    func create(_ path: String) throws -> Int32 {
        try willMake(.create, path)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SoupError.file("the file cannot be created", path) }
        return descriptor
    }

    func write(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws {
        try willMake(.write, path)
        var position = 0
        while position < bytes.count {
            let count = bytes[position...].withUnsafeBytes {
                systemWrite($0.baseAddress, count: $0.count, to: descriptor)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw SoupError.file("the file cannot be written", path) }
            position += count
        }
    }

    /// Flushes the written data of a file to the disk.
    func sync(_ descriptor: Int32, _ path: String) throws {
        try willMake(.sync, path)
        guard putOnDisk(descriptor) == 0 else { throw SoupError.file("the file cannot be written", path) }
    }

    /// Flushes the names in a folder to the disk; ignores a folder that is writable but not readable.
    func syncFolder(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == EACCES { return }
            throw SoupError.file("the folder cannot be opened", path)
        }
        defer { close(descriptor) }
        try syncFolder(descriptor, path)
    }

    /// Flushes the names of a store's folder and of its new parents to the disk.
    ///
    /// These parents are the folder of all stores, which another process may have created just before it was killed,
    /// and every folder created below `present`. Folders above are not the store's: a sandbox may refuse even to open
    /// them.
    func syncName(of path: String, madeFrom present: String) throws {
        var folder = path
        var (level, isPresent) = (0, folder == present)
        while level < 2 || !isPresent {
            let parent = parentFolder(of: folder)
            if parent == folder { return }
            (folder, level) = (parent, level + 1)
            isPresent = isPresent || folder == present
            try syncAncestor(folder)
        }
    }

    /// Flushes the names in a folder that other code may own; ignores operations that the system does not permit.
    private func syncAncestor(_ path: String) throws {
        try willMake(.syncFolder, path)
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if Self.isRefusal(errno) { return }
            throw SoupError.file("the folder cannot be opened", path)
        }
        defer { close(descriptor) }
        guard putOnDisk(descriptor) == 0 || Self.isRefusal(errno) else {
            throw SoupError.file("the folder cannot be written", path)
        }
    }

    /// Returns whether a system error means that an operation is not permitted or not supported, rather than failed.
    static func isRefusal(_ error: Int32) -> Bool {
        [EACCES, EPERM, EROFS, ENOTSUP, EOPNOTSUPP, EINVAL, ENOSYS].contains(error)
    }

    /// Flushes the names in an open folder to the disk; a file system that cannot do so flushes them itself.
    func syncFolder(_ descriptor: Int32, _ path: String) throws {
        try willMake(.syncFolder, path)
        guard putOnDisk(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP else {
            throw SoupError.file("the folder cannot be written", path)
        }
    }

    /// Renames a file, and replaces an existing file with the new name.
    func rename(_ path: String, to newPath: String) throws {
        try willMake(.rename, newPath)
        guard systemRename(path, to: newPath) == 0 else { throw SoupError.file("the file cannot be written", newPath) }
    }

    /// Removes a file.
    ///
    /// - Returns: whether the file existed.
    @discardableResult
    func remove(_ path: String) throws -> Bool {
        try willMake(.remove, path)
        if unlink(path) == 0 { return true }
        guard errno == ENOENT else { throw SoupError.file("the file cannot be deleted", path) }
        return false
    }
}

func folderExists(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}

/// Returns the folder of a file or a folder: for a path of one part, the current folder or the root.
func parentFolder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
}

/// Waits until the written data is on the disk; returns 0, or -1 with the reason in `errno`.
private func putOnDisk(_ descriptor: Int32) -> Int32 {
    #if canImport(Darwin)
        // On Apple platforms fsync only passes the data to the drive's memory; some file systems support no more than
        // that.
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
    #endif
    return fsync(descriptor)
}

private func systemWrite(_ bytes: UnsafeRawPointer?, count: Int, to descriptor: Int32) -> Int {
    write(descriptor, bytes, count)
}

private func systemRename(_ path: String, to newPath: String) -> Int32 { rename(path, newPath) }

extension SoupError {
    /// Returns the error for `errno`, with the name of the file.
    static func file(_ failure: String, _ path: String) -> SoupError {
        SoupError(
            .storeUnusable, "\(failure): \(String(cString: strerror(errno)))", place: SoupError.Place(file: path),
            hint: "Check the permissions of the file and of its folder, and the free space on the disk.")
    }
}

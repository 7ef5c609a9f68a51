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

/// A folder with files that only its owner can read; all access to the file system is here.
struct SessionFolder: Sendable {
    /// A change of the file system, in the order in which a file is written.
    enum Change: Sendable, Hashable, CaseIterable {
        case makeFolder, create, write, sync, rename, syncFolder, remove
    }

    let path: String
    /// Called before each change; a test throws here, as a full disk or the end of the process would.
    private let willMake: @Sendable (Change) throws -> Void

    init(_ path: String, willMake: @escaping @Sendable (Change) throws -> Void = { _ in }) {
        self.path = path
        self.willMake = willMake
    }

    func path(of name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }

    // MARK: Reading

    /// Returns the content of a file; nil if there is none.
    func read(_ name: String) throws -> [UInt8]? {
        guard try isPresent() else { return nil }
        let file = path(of: name)
        let descriptor = open(file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw Self.failure("the saved session cannot be opened", file)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure("the saved session cannot be read", file) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SoupError(
                .credentialsUnusable, "the saved session is not a file", place: SoupError.Place(file: file),
                hint: "Remove it, and log in again.")
        }
        try Self.checkPrivate(status, of: "file with the saved session", file, mode: "600")
        return try Self.content(of: descriptor, file)
    }

    /// Returns the names of all files; none if there is no folder.
    func names() throws -> [String] {
        guard try isPresent() else { return [] }
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw SoupError(
                .credentialsUnusable, "the folder of the saved sessions cannot be read",
                place: SoupError.Place(file: path), hint: "Check its permissions.", cause: error)
        }
    }

    /// Whether the folder exists.
    ///
    /// - Throws: ``SoupError`` with `credentialsUnusable` if it is not a folder, or if other users can use it.
    private func isPresent() throws -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT { return false }
            throw Self.failure("the folder of the saved sessions cannot be used", path)
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw SoupError(
                .credentialsUnusable, "a file has the path of the folder of the saved sessions",
                place: SoupError.Place(file: path), hint: "Move the file, or set another \"path\" in \"credentials\".")
        }
        try Self.checkPrivate(status, of: "folder of the saved sessions", path, mode: "700")
        return true
    }

    private static func checkPrivate(_ status: stat, of kind: String, _ path: String, mode: String) throws {
        guard status.st_uid == geteuid() else {
            throw SoupError(
                .credentialsUnusable, "the \(kind) belongs to another user", place: SoupError.Place(file: path),
                hint: "Use a folder of your own: set \"path\" in \"credentials\".")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw SoupError(
                .credentialsUnusable, "other users of this computer can use the \(kind)",
                place: SoupError.Place(file: path),
                hint:
                    "Remove their permission with `chmod \(mode) \(path)`. If they may have read it, log out and log in "
                    + "again.")
        }
    }

    /// The maximum size of a file in bytes.
    private static let maximumSize = 1 << 20

    private static func content(of descriptor: Int32, _ file: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while bytes.count <= maximumSize {
            let count = systemRead(descriptor, &buffer)
            if count == 0 { return bytes }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw failure("the saved session cannot be read", file)
            }
            bytes += buffer[..<count]
        }
        throw SoupError(
            .credentialsUnusable, "the saved session is too large", place: SoupError.Place(file: file),
            hint: "Log in again, which replaces it.")
    }

    // MARK: Writing

    /// Writes a file completely or not at all, and flushes it to the drive.
    func write(_ bytes: [UInt8], to name: String) throws {
        try makeFolder()
        try locked { folder in
            let (file, temporary) = (path(of: name), path(of: name + ".new"))
            // A process that was killed may have left one.
            unlink(temporary)
            do {
                try create(temporary, bytes)
                try willMake(.rename)
                guard rename(temporary, file) == 0 else {
                    throw Self.failure("the session cannot be saved", file)
                }
            } catch {
                unlink(temporary)
                throw error
            }
            try sync(folder)
        }
    }

    /// Removes a file.
    ///
    /// - Returns: whether it existed.
    func remove(_ name: String) throws -> Bool {
        guard try isPresent() else { return false }
        return try locked { folder in
            try willMake(.remove)
            unlink(path(of: name + ".new"))
            guard unlink(path(of: name)) == 0 else {
                if errno == ENOENT { return false }
                throw Self.failure("the saved session cannot be removed", path(of: name))
            }
            try sync(folder)
            return true
        }
    }

    /// Locks an empty file, which is created if it is missing; nil while another process, or task, holds the lock.
    ///
    /// - Returns: the descriptor of the file.
    func tryLock(_ name: String) throws -> Int32? {
        try makeFolder()
        let file = path(of: name)
        let descriptor = open(file, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure("the session cannot be locked", file) }
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            let isHeld = errno == EWOULDBLOCK
            defer { close(descriptor) }
            if isHeld { return nil }
            throw Self.failure("the session cannot be locked", file)
        }
        return descriptor
    }

    private func makeFolder() throws {
        if try isPresent() { return }
        try willMake(.makeFolder)
        try Self.makeFolder(path)
        // Keeps the sessions out of a repository with the configuration. The store works without it.
        let ignored = open(path(of: ".gitignore"), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard ignored >= 0 else { return }
        defer { close(ignored) }
        try? Self.write([UInt8(ascii: "*"), UInt8(ascii: "\n")], to: ignored, path(of: ".gitignore"))
    }

    /// Creates a folder and its missing parents; another process can do the same at the same time.
    private static func makeFolder(_ path: String) throws {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
        guard errno == ENOENT, !parent.isEmpty else {
            throw failure("the folder of the saved sessions cannot be created", path)
        }
        try makeFolder(parent)
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw failure("the folder of the saved sessions cannot be created", path)
        }
    }

    /// Runs `body` while no other process or task changes a file of the folder.
    private func locked<T>(_ body: (_ folder: Int32) throws -> T) throws -> T {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw Self.failure("the folder of the saved sessions cannot be opened", path) }
        defer { close(folder) }
        while flock(folder, LOCK_EX) != 0 {
            guard errno == EINTR else { throw Self.failure("the folder of the saved sessions cannot be locked", path) }
        }
        return try body(folder)
    }

    private func create(_ file: String, _ bytes: [UInt8]) throws {
        try willMake(.create)
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure("the session cannot be saved", file) }
        defer { close(descriptor) }
        try willMake(.write)
        try Self.write(bytes, to: descriptor, file)
        try willMake(.sync)
        try Self.flush(descriptor, file)
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32, _ file: String) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure("the session cannot be saved", file) }
            rest = rest.dropFirst(count)
        }
    }

    private func sync(_ folder: Int32) throws {
        try willMake(.syncFolder)
        try Self.flush(folder, path)
    }

    private static func flush(_ descriptor: Int32, _ file: String) throws {
        #if canImport(Darwin)
            // fsync leaves the data in the memory of the drive; a file system without the other call has fsync.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        while fsync(descriptor) != 0 {
            if errno == EINTR { continue }
            // Some file systems cannot flush a folder.
            if errno == EINVAL { return }
            throw failure("the session cannot be flushed to the drive", file)
        }
    }

    private static func failure(_ message: String, _ file: String) -> SoupError {
        let reason = String(cString: strerror(errno))
        return SoupError(
            .credentialsUnusable, "\(message): \(reason)", place: SoupError.Place(file: file),
            hint: "Check the permissions of the folder and the free space, or set another \"path\" in \"credentials\".")
    }
}

private func systemRead(_ descriptor: Int32, _ buffer: inout [UInt8]) -> Int {
    read(descriptor, &buffer, buffer.count)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}

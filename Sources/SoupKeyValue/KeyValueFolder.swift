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

/// The layouts of a store's folder.
enum KeyValueLayout: Int, Sendable {
    /// One file for each entry, named by the hash of the key. The keys are not stored, and there is no version file.
    case valuesOnly = 1
    /// Two files for each entry, the hash with `_key` and with `_value`, and the file `version`.
    case keysAndValues = 2
    /// As version 2, but the contents and the names of the files are encrypted, and the file `header` has the key.
    case encrypted = 3
}

/// The folder of one store: the names of its files, and the locking of its changes.
struct KeyValueFolder: Sendable {
    let path: String
    let changes: FileChanges
    /// The identity of the opened folder; nil if any folder with the path is accepted.
    var identity: FolderIdentity?
    /// The encoding of the files; `version` and `header` are never encrypted.
    var encoding: any FolderEncoding = PlainFolder()

    static let versionFile = "version"
    static let headerFile = "header"
    static let keySuffix = "_key"
    static let valueSuffix = "_value"

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Returns all names except hidden ones, such as those of temporary files.
    func names() throws -> [String] { try allNames().filter { !$0.hasPrefix(".") } }

    func allNames() throws -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw SoupError(
                .storeUnusable, "the folder of the key-value store cannot be read", place: SoupError.Place(file: path),
                hint: "Check its permissions.", cause: error)
        }
    }

    // MARK: Files

    /// Returns the contents of a file; nil if it does not exist.
    func contents(of name: String) throws -> Data? {
        try FileContents(file(name), framing: framing(of: name))?.all()
    }

    /// Returns the framing of the file with a name.
    func framing(of name: String) -> any FileFraming {
        [Self.versionFile, Self.headerFile].contains(name) ? PlainFraming() : encoding.framing(of: name)
    }

    /// Creates a temporary file, which will have a name.
    func temporaryFile(_ bytes: some Collection<UInt8> = [], for name: String) throws -> TemporaryFile {
        let temporary = try TemporaryFile(in: path, changes: changes, framing: framing(of: name))
        try temporary.append(bytes)
        return temporary
    }

    /// Writes a small file completely or not at all.
    func write(_ bytes: some Collection<UInt8>, to name: String, syncing folder: Int32) throws {
        let temporary = try temporaryFile(bytes, for: name)
        try temporary.finish()
        try temporary.publish(as: file(name))
        try changes.syncFolder(folder, path)
    }

    // MARK: The lock

    /// The mode of a lock: shared with other readers, or exclusive.
    enum Lock {
        case shared
        case exclusive
    }

    /// Runs `body` while no other task or process changes the folder.
    ///
    /// - Parameter body: receives the open folder.
    /// - Throws: ``SoupError`` with `storeUnusable` if the folder no longer exists.
    func locked<T>(_ lock: Lock, _ body: (Int32) throws -> T) throws -> T {
        while true {
            let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else {
                if errno == ENOENT { throw missingFolder }
                throw SoupError.file("the folder of the key-value store cannot be opened", path)
            }
            defer { close(descriptor) }
            while flock(descriptor, lock == .shared ? LOCK_SH : LOCK_EX) != 0 {
                guard errno == EINTR else { throw SoupError.file("the folder cannot be locked", path) }
            }
            // While this call waited, the store may have been removed, and recreated.
            guard folderExists(path) else { throw missingFolder }
            guard FolderIdentity.isFolder(descriptor, at: path) else { continue }
            try requireSameFolder()
            return try body(descriptor)
        }
    }

    // MARK: Removed stores

    /// Checks that the path still leads to the opened folder.
    ///
    /// Results that were read from the path before this check then belong to that folder, because a removed folder
    /// never gets its path again.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable`.
    func requireSameFolder() throws {
        guard folderExists(path) else { throw missingFolder }
        guard let identity, !identity.hasPath(path) else { return }
        throw SoupError(
            .storeUnusable, "the key-value store was removed, and another one was created in its place",
            place: SoupError.Place(file: path), hint: "Open the store again.")
    }

    private var missingFolder: SoupError {
        SoupError(
            .storeUnusable, "the folder of the key-value store no longer exists", place: SoupError.Place(file: path),
            hint: "Open the store again.")
    }
}

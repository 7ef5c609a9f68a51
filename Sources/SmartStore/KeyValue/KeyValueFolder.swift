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
    /// One file an entry, named by the hash of the key: the keys themselves are not kept. No file tells the version.
    case valuesOnly = 1
    /// Two files an entry, the hash with `_key` and with `_value`, and the file `version`.
    case keysAndValues = 2
}

/// The folder of one store: what its files are called, and how several changes of it go together.
struct KeyValueFolder: Sendable {
    let path: String
    let changes: FileChanges
    /// The folder as it was opened; nil when whatever lies at the path will do.
    var original: FolderOriginal?
    let framing = FileFraming()

    static let versionFile = "version"
    static let keySuffix = "_key"
    static let valueSuffix = "_value"

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// All names but the hidden ones, drafts among them.
    func names() throws -> [String] { try allNames().filter { !$0.hasPrefix(".") } }

    func allNames() throws -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw SoupError(
                .storeUnusable, "the folder of the key-value store cannot be read", place: Place(file: path),
                hint: "Check its permissions", cause: error)
        }
    }

    // MARK: Files

    /// The contents of a file; nil when it is not there.
    func contents(of name: String) throws -> Data? { try FileContents(file(name), framing: framing)?.all() }

    func draft(_ bytes: some Collection<UInt8> = []) throws -> FileDraft {
        let draft = try FileDraft(in: path, changes: changes, framing: framing)
        try draft.append(bytes)
        return draft
    }

    /// Writes a small file: all of it, or nothing.
    func write(_ bytes: some Collection<UInt8>, to name: String, syncing folder: Int32) throws {
        let draft = try draft(bytes)
        try draft.finish()
        try draft.publish(as: file(name))
        try changes.syncFolder(folder, path)
    }

    // MARK: The lock

    /// How a lock is held: beside other readers, or alone.
    enum Lock {
        case shared
        case exclusive
    }

    /// Runs `body` while nobody else changes the folder, in this process or another.
    ///
    /// - Parameter body: gets the open folder.
    /// - Throws: ``SoupError`` with `storeUnusable` when the folder is gone.
    func locked<T>(_ lock: Lock, _ body: (Int32) throws -> T) throws -> T {
        while true {
            let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else {
                if errno == ENOENT { throw gone }
                throw SoupError.file("the folder of the key-value store cannot be opened", path)
            }
            defer { close(descriptor) }
            while flock(descriptor, lock == .shared ? LOCK_SH : LOCK_EX) != 0 {
                guard errno == EINTR else { throw SoupError.file("the folder cannot be locked", path) }
            }
            // While it waited, the store may have been removed, and made anew.
            guard folderExists(path) else { throw gone }
            guard FolderOriginal.of(descriptor, isAt: path) else { continue }
            try requireOriginal()
            return try body(descriptor)
        }
    }

    // MARK: Removed stores

    /// Makes sure that the path still leads to the folder that was opened.
    ///
    /// What was found at the path before is of that folder then, too: one that lost its name never gets it back.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable`.
    func requireOriginal() throws {
        guard folderExists(path) else { throw gone }
        guard let original, !original.isAt(path) else { return }
        throw SoupError(
            .storeUnusable, "the key-value store was removed, and another was made in its place",
            place: Place(file: path), hint: "Open the store anew")
    }

    private var gone: SoupError {
        SoupError(
            .storeUnusable, "the folder of the key-value store is gone", place: Place(file: path),
            hint: "Open the store anew")
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

internal import Crypto
public import SoupCore

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

/// The key provider `file`: a key in a file that only its owner can read, for servers and development.
///
/// The key is created with the first store. Do not keep the file in the same backups as the store: a backup with both
/// of them is not protected.
public struct FileKey: KeyProvider {
    /// The options of the provider.
    public struct Configuration: Decodable, Sendable {
        /// The path of the file, relative to the folder of the configuration; nil means the path of the store with
        /// `.key` after it.
        public var path: String?

        /// Creates the options.
        public init(path: String? = nil) { self.path = path }

        private enum CodingKeys: CodingKey {
            case path
        }

        /// Reads `path`, which is optional.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            path = try container.decodeIfPresent(String.self, forKey: .path).map(decoder.configurationPath)
        }
    }

    /// The name in configurations: `file`.
    public static var name: PluginName { "file" }

    private let path: String?

    /// Creates the provider; the file is read each time a store is opened.
    public init(configuration: Configuration) { path = configuration.path }

    /// Returns the key in the file; for a new store, creates the file with a random key if it does not exist.
    ///
    /// - Throws: ``SoupError`` with `keyUnavailable` if the file does not exist, cannot be read, or can be read by
    ///   other users, and for a path that SQLite uses for the store; with `badSecret` if it contains no key.
    public func secret(for request: KeyRequest) async throws -> StoreSecret {
        let path = path(for: request)
        guard !Self.usedBySQLite(request.file).contains(path) else {
            throw unavailable(
                path, "SQLite uses the path of the key for the store itself", hint: "Use another path for the key.")
        }
        if let secret = try read(path) { return secret }
        guard request.isNew else {
            throw unavailable(
                path, "the file with the key of \(request.file) does not exist",
                hint: "Restore the file; without it the store cannot be read.")
        }
        try create(path)
        if let secret = try read(path) { return secret }
        throw unavailable(path, "the file with the key was removed", hint: "Open the store again.")
    }

    /// Removes the file if it belongs to this one store; a configured path can be that of several stores.
    public func removeSecret(for request: KeyRequest) async throws {
        guard path == nil else { return }
        let path = path(for: request)
        for file in files(of: path) {
            guard unlink(file) == 0 || errno == ENOENT else {
                throw unavailable(
                    file, "the file with the key cannot be removed: \(Self.reason)",
                    hint: "Check the permissions of its folder.")
            }
        }
    }

    /// The files of a store that SQLite or SoupKit creates and deletes.
    private static func usedBySQLite(_ store: String) -> [String] {
        ["", "-wal", "-shm", "-journal", "-syncs"].map { store + $0 }
    }

    private func path(for request: KeyRequest) -> String { path ?? KeyFileName.file(ofStore: request.file) }

    /// Returns nil if the file does not exist.
    private func read(_ path: String) throws -> StoreSecret? {
        let file = openFile(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw unavailable(
                path, "the file with the key cannot be read: \(Self.reason)", hint: "Check its permissions.")
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw unavailable(path, "the path of the key is not a file", hint: "Use the path of a file.")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw unavailable(
                path, "the file with the key can be read by other users", hint: "Run `chmod 600` on it.")
        }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = bytes.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, 0) }
        defer { bytes.withUnsafeMutableBytes { buffer in for index in buffer.indices { buffer[index] = 0 } } }
        guard count >= 0 else {
            throw unavailable(path, "the file with the key cannot be read: \(Self.reason)", hint: "Check the disk.")
        }
        return try KeyText.secret(String(decoding: bytes.prefix(count), as: UTF8.self), from: path)
    }

    /// Creates the file at once with all of its content, unless another process has created it.
    private func create(_ path: String) throws {
        // A relative path of the configuration is in the folder of a user, which is new as well.
        try? FileManager.default.createDirectory(
            atPath: URL(filePath: path, directoryHint: .notDirectory).deletingLastPathComponent().filePath,
            withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let temporary = "\(path).\(KeyText.text(of: .random(count: KeyFileName.randomLength)))"
        let file = openFile(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC)
        guard file >= 0 else {
            throw unavailable(
                path, "the file with the key cannot be created: \(Self.reason)",
                hint: "Check that its folder exists and can be written.")
        }
        defer { unlink(temporary) }
        var text = Array((KeyText.text(of: .random(count: StoreSecret.keyLength)) + "\n").utf8)
        defer { text.withUnsafeMutableBytes { buffer in for index in buffer.indices { buffer[index] = 0 } } }
        let isWritten =
            text.withUnsafeBytes { write(file, $0.baseAddress, $0.count) } == text.count && PermanentFile.flush(file)
        let reason = Self.reason
        close(file)
        guard isWritten else {
            throw unavailable(path, "the file with the key cannot be written: \(reason)", hint: "Check the free space.")
        }
        guard link(temporary, path) == 0 || errno == EEXIST else {
            throw unavailable(
                path, "the file with the key cannot be created: \(Self.reason)",
                hint: "Check the permissions of its folder.")
        }
        // The name must be permanent before a store depends on the key.
        PermanentFile.flushName(of: path)
    }

    /// Returns the file with the key, and those that an interrupted ``create(_:)`` has left; one can contain the key.
    private func files(of path: String) -> [String] {
        let url = URL(filePath: path, directoryHint: .notDirectory)
        let folder = url.deletingLastPathComponent()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.filePath)) ?? []
        return names.filter { KeyFileName.matches($0, key: url.lastPathComponent) }
            .map { folder.appending(component: $0, directoryHint: .notDirectory).filePath }
    }

    private static var reason: String { String(cString: strerror(errno)) }

    private func unavailable(_ path: String, _ message: String, hint: String) -> SoupError {
        SoupError(.keyUnavailable, message, place: SoupError.Place(file: path), hint: hint)
    }
}

/// A file-level function, so that `open` is that of the system.
private func openFile(_ path: String, _ flags: Int32) -> Int32 { open(path, flags, 0o600) }

#endif

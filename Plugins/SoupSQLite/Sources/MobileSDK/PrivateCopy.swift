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

/// A copy of a database and its log or journal, in a temporary folder that only this user can read.
///
/// SQLite can apply the log to the copy, so that it need not write beside the original. The copy is removed with the
/// last reference.
final class PrivateCopy: Sendable {
    private let folder: String
    var path: String { folder + "/copy.db" }

    /// - Throws: ``SoupError`` with `importUnusable`.
    init(of file: MobileSDKFile) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "soupkit-import-\(UUID().uuidString)").filePath
        let original = file.path.withoutLinks
        guard !JournalFile.namesAnotherFile(original + "-journal") else {
            throw file.unusable(
                "the file has a journal that names another file",
                hint: "Open it once with the app that wrote it, and close it there.")
        }
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            for ending in MobileSDKFile.companions where FileManager.default.fileExists(atPath: original + ending) {
                try FileManager.default.copyItem(atPath: original + ending, toPath: path + ending)
            }
            try Self.copy(original, to: path)
        } catch {
            remove()
            throw file.unusable(
                "the file has a log, and cannot be copied to \(folder) to read it: \(error)",
                hint: "Check the free space, and the permissions of both folders.")
        }
    }

    deinit { remove() }

    /// Removes the copy; does nothing if it is already removed.
    func remove() { try? FileManager.default.removeItem(atPath: folder) }

    /// The failure of a call of the system.
    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Copies a file whose bytes SQLite reads.
    private static func copy(_ original: String, to path: String) throws {
        let target = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        guard target >= 0 else { throw Failure(description: String(cString: strerror(errno))) }
        defer { close(target) }
        guard let bytes = DatabaseFileBytes(path: original), let size = bytes.size else {
            throw Failure(description: "the file cannot be read")
        }
        var offset: Int64 = 0
        while offset < size {
            let count = Int(clamping: min(size - offset, 1 << 20))
            guard let block = bytes.bytes(count, at: offset) else {
                throw Failure(description: "the file cannot be read")
            }
            var rest = block[...]
            while !rest.isEmpty {
                let written = rest.withUnsafeBytes { write(target, $0.baseAddress, $0.count) }
                guard written > 0 else { throw Failure(description: String(cString: strerror(errno))) }
                rest = rest.dropFirst(written)
            }
            offset += Int64(count)
        }
    }
}

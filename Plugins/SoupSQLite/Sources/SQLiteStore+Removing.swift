// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

extension SQLiteStore {
    /// Removes a store that is not open, and all its content, also that of the additional stores of a composed store.
    ///
    /// The removal holds the lease for syncing from start to end. It removes the additional stores before the file, and
    /// the file before its log, so that an interrupted removal leaves no half of a store: a sync fetches soups without
    /// their entries again. Local changes in them are then lost although the store still exists. A store with a path of
    /// its own is not removed. A link to the file is removed as well. The lock file of the lease, which contains a
    /// process ID, is kept: a process that opens the path later must use the same lock as a process that waits for it
    /// now.
    ///
    /// - Returns: whether the store existed.
    /// - Throws: ``SoupError`` with `storeUnusable` if a process is syncing the store, in which case nothing is
    ///   removed, or if a file cannot be removed.
    @discardableResult
    public static func remove(at url: URL) throws -> Bool {
        guard exists(at: url) else { return false }
        let lease = try claimForRemoval(at: url)
        defer { lease.release() }
        return try removeFiles(at: url, withLock: false)
    }

    /// Returns whether a store, or a part of one, exists.
    package static func exists(at url: URL) -> Bool {
        let path = url.filePath
        return exists(StoreContext.innerFolder(ofFile: path)) || files(of: path).contains(where: exists)
    }

    /// Claims the lease of a store that is going to be removed.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable` if a process is syncing the store.
    package static func claimForRemoval(at url: URL) throws -> SyncLease {
        let path = url.filePath
        if let lease = try SyncLock.claim(database: path) { return lease }
        throw SoupError(
            .storeUnusable, "the store is in use by \(SyncLock.holder(database: path)), which syncs it",
            place: SoupError.Place(file: path),
            hint: "Wait until the process has ended, or end it, and then remove the store.")
    }

    /// Removes the files of a store whose lease the caller holds.
    ///
    /// - Parameter withLock: whether the lock file of the lease is removed, too, as the last one.
    /// - Returns: whether the store existed.
    /// - Throws: ``SoupError`` with `storeUnusable` if a file cannot be removed; a repetition removes the others.
    @discardableResult
    package static func removeFiles(at url: URL, withLock: Bool) throws -> Bool {
        let path = url.filePath
        let file = path.withoutLinks
        let inner = StoreContext.innerFolder(ofFile: path)
        let all = files(of: path) + (withLock ? [SyncLock.file(database: path)] : [])
        let existed = FileManager.default.fileExists(atPath: file) || exists(inner)
        if exists(inner) {
            do {
                try FileManager.default.removeItem(atPath: inner)
            } catch {
                throw SoupError(
                    .storeUnusable, "the folder of the additional stores cannot be removed",
                    place: SoupError.Place(file: inner), hint: "Check the permissions of its folder.", cause: error)
            }
        }
        for file in all where unlink(file) != 0 && errno != ENOENT {
            throw SoupError(
                .storeUnusable, "the file cannot be removed: \(String(cString: strerror(errno)))",
                place: SoupError.Place(file: file), hint: "Check the permissions of its folder.")
        }
        return existed
    }

    /// Returns the paths of a store's file, of its companions, and of a link to it, in the order of their removal.
    ///
    /// SQLite ignores a log or a journal whose file is missing or empty.
    private static func files(of path: String) -> [String] {
        let file = path.withoutLinks
        return (copySuffixes + ["", "-wal", "-shm", "-journal"]).map { file + $0 } + (file == path ? [] : [path])
    }

    /// The suffix of the copy that a change of the encryption writes.
    static var copySuffix: String { ".soupkit-change" }

    /// The suffixes of the copy and of its companion files.
    static var copySuffixes: [String] { ["", "-journal", "-wal", "-shm"].map { copySuffix + $0 } }

    /// Removes the copy that an interrupted change of the encryption has left: it can be the store without encryption.
    ///
    /// While a change is in progress, it holds the lease, and nothing is removed.
    static func removeInterruptedCopy(of file: String) {
        let copies = copySuffixes.map { file + $0 }.filter(exists)
        guard !copies.isEmpty, let lease = try? SyncLock.claim(database: file) else { return }
        defer { lease.release() }
        for copy in copies { _ = unlink(copy) }
    }

    /// Returns whether a file or a link exists, regardless of the link's target.
    private static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }
}

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

extension SQLiteStore {
    /// Removes a store that nobody has open, with everything in it.
    ///
    /// It takes the lease for syncing first and holds it to the end. The file goes before its log, so that a removal
    /// that is cut off in the middle leaves no store and not half of one. A link to the file goes with it. The lock
    /// file of the lease, which holds the number of a process, stays: whoever opens the path next must meet the same
    /// lock as one who waits for it now.
    ///
    /// - Parameter path: absolute, or from the current folder on.
    /// - Returns: whether there was a store.
    /// - Throws: ``SoupError`` with `storeUnusable`: the store is in use by somebody who syncs it, and nothing is
    ///   removed; or a file cannot be removed.
    @discardableResult
    public static func remove(at path: String) throws -> Bool {
        let file = path.withoutLinks
        let files = ["", "-wal", "-shm"].map { file + $0 } + (file == path ? [] : [path])
        guard files.contains(where: isThere) else { return false }
        guard let lease = try SyncLock.claim(database: file) else {
            throw SoupError(
                .storeUnusable, "the store is in use by \(SyncLock.holder(database: file)), which syncs it",
                place: Place(file: path), hint: "Wait until that has ended, or end it; then remove the store")
        }
        defer { lease.release() }
        let wasThere = FileManager.default.fileExists(atPath: file)
        for file in files where unlink(file) != 0 && errno != ENOENT {
            throw SoupError(
                .storeUnusable, "the file cannot be removed: \(String(cString: strerror(errno)))",
                place: Place(file: file), hint: "Check the permissions of its folder")
        }
        return wasThere
    }

    /// Whether a file is there, or a link, wherever that leads.
    private static func isThere(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The lease for syncing one database: an exclusive lock on a file beside it, held as long as this object lives.
///
/// The system takes the lock back when the process dies, however it dies. The file is empty and is never deleted: one
/// who opened it before and one who created it anew would both have their lock.
final class SyncLease: Sendable {
    private let descriptor: Int32

    /// - Returns: nil when another process, or another open store, has the lease.
    static func claim(database path: String) throws -> SyncLease? {
        let file = path.withoutLinks + "-syncs"
        let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw unusable("cannot be opened", file) }
        // Closes the file on every way out.
        let lease = SyncLease(descriptor)
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK: return nil
            default: throw unusable("cannot be locked", file)
            }
        }
        return lease
    }

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    private static func unusable(_ what: String, _ file: String) -> SoupError {
        SoupError(
            .storeUnusable, "the lock file of the syncs \(what): \(String(cString: strerror(errno)))",
            place: Place(file: file), hint: "Check the permissions of the file and of its folder")
    }
}

extension String {
    /// The one path of a file that may be reached through links; the path itself when there is no file.
    ///
    /// SQLite keeps what lies beside a database beside the file itself, not beside a link to it.
    var withoutLinks: String {
        guard let resolved = realpath(self, nil) else { return self }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}

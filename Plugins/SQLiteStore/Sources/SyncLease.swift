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

/// The lease for syncing one database: an exclusive lock on a file beside it, held as long as this object lives.
///
/// The system takes the lock back when the process dies, however it dies. The file holds the number of the process that
/// had the lock last, and is never deleted: one who opened it before and one who created it anew would both have their
/// lock.
final class SyncLease: Sendable {
    private let descriptor: Int32

    /// - Returns: nil when another process, or another open store, has the lease.
    static func claim(database path: String) throws -> SyncLease? {
        let file = lockFile(path)
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
        // For who wants to know whom to wait for; the lock is as good without it.
        let name = Array("\(getpid())\n".utf8)
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, name, name.count, 0) }
        return lease
    }

    /// Who has the lease, as far as its lock file tells: `process 4711`.
    static func holder(database path: String) -> String {
        guard let text = FileManager.default.contents(atPath: lockFile(path)),
            let number = Int32(String(decoding: text.prefix(20), as: UTF8.self).trimmingSuffix("\n"))
        else { return "another process" }
        return number == getpid() ? "this process" : "process \(number)"
    }

    private static func lockFile(_ path: String) -> String { path.withoutLinks + "-syncs" }

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    private static func unusable(_ what: String, _ file: String) -> SoupError {
        SoupError(
            .storeUnusable, "the lock file of the syncs \(what): \(String(cString: strerror(errno)))",
            place: Place(file: file), hint: "Check the permissions of the file and of its folder")
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> Substring {
        hasSuffix(suffix) ? dropLast(suffix.count) : self[...]
    }

    /// The one path of a file that may be reached through links; the path itself when there is no file.
    ///
    /// SQLite keeps what lies beside a database beside the file itself, not beside a link to it.
    var withoutLinks: String {
        guard let resolved = realpath(self, nil) else { return self }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}

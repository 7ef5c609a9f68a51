// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Flushes files and names to the disk.
package enum PermanentFile {
    /// Returns when the content of an open file is on the disk; false if the system reports an error, in `errno`.
    package static func flush(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
        // fsync only passes the content to the drive. Some file systems do not support the other call.
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
        #endif
        return fsync(descriptor) == 0
    }

    /// Returns when the name of a file is on the disk; a folder that the system does not allow to open is ignored.
    package static func flushName(of path: String) {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = flush(descriptor)
        close(descriptor)
    }
}

#endif

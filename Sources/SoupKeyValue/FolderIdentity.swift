// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#endif

/// The identity of a folder, which distinguishes it from a later folder with the same path.
///
/// The folder is kept open: the system reuses the number of a removed folder, but not while a process has it open.
final class FolderIdentity: Sendable {
    private let descriptor: Int32

    init(_ path: String) throws {
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SoupError.file("the folder of the key-value store cannot be opened", path) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Returns whether the folder still has the path.
    func hasPath(_ path: String) -> Bool { Self.isFolder(descriptor, at: path) }

    /// Returns whether an open folder has the path now.
    static func isFolder(_ descriptor: Int32, at path: String) -> Bool {
        var opened = stat()
        var named = stat()
        return fstat(descriptor, &opened) == 0 && stat(path, &named) == 0
            && opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
    }
}

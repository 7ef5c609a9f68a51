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

/// A folder that is held open, so that it can be distinguished from a later folder with the same path.
///
/// The system reuses the number of a removed folder, but not while a process has the folder open.
final class FolderOriginal: Sendable {
    private let descriptor: Int32

    init(_ path: String) throws {
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SoupError.file("the folder of the key-value store cannot be opened", path) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Returns whether the folder is the one that has the path now.
    func isAt(_ path: String) -> Bool { Self.of(descriptor, isAt: path) }

    /// Returns whether an open folder is the one that has the path now.
    static func of(_ descriptor: Int32, isAt path: String) -> Bool {
        var held = stat()
        var named = stat()
        return fstat(descriptor, &held) == 0 && stat(path, &named) == 0
            && held.st_ino == named.st_ino && held.st_dev == named.st_dev
    }
}

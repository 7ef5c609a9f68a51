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

/// A folder that is held open, so that it can be told from another that gets its path later.
///
/// The number of a folder is given anew when the folder is gone, but not as long as somebody has it open.
final class FolderOriginal: Sendable {
    private let descriptor: Int32

    init(_ path: String) throws {
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SoupError.file("the folder of the key-value store cannot be opened", path) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Whether the folder is the one that lies at the path now.
    func isAt(_ path: String) -> Bool { Self.of(descriptor, isAt: path) }

    /// Whether an open folder is the one that lies at the path now.
    static func of(_ descriptor: Int32, isAt path: String) -> Bool {
        var held = stat()
        var named = stat()
        return fstat(descriptor, &held) == 0 && stat(path, &named) == 0
            && held.st_ino == named.st_ino && held.st_dev == named.st_dev
    }
}

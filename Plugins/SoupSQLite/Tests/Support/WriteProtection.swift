// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Prevents writing to a file or a folder until it ends.
///
/// It removes the write permissions. Root does not need these, so for root it also sets the `immutable` attribute of
/// Linux.
final class WriteProtection {
    struct NotPossible: Error {}

    /// Whether writing can be prevented for this user on this file system.
    static let isPossible: Bool = {
        let path = FileManager.default.temporaryDirectory.appending(path: "soupkit-\(UUID().uuidString)").path
        guard FileManager.default.createFile(atPath: path, contents: nil) else { return false }
        let isPossible = (try? WriteProtection(path).end()) != nil
        try? FileManager.default.removeItem(atPath: path)
        return isPossible
    }()

    private let path: String
    private let mode: Int

    init(_ path: String) throws {
        self.path = path
        mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0o644
        try FileManager.default.setAttributes([.posixPermissions: mode & ~0o222], ofItemAtPath: path)
        guard access(path, W_OK) == 0 else { return }
        setImmutable(true)
        if access(path, W_OK) == 0 {
            end()
            throw NotPossible()
        }
    }

    func end() {
        setImmutable(false)
        try? FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    deinit { end() }

    /// Sets or removes the `immutable` attribute, if the system and the file system support it.
    private func setImmutable(_ isImmutable: Bool) {
        #if os(Linux)
            let descriptor = open(path, O_RDONLY)
            guard descriptor >= 0 else { return }
            defer { close(descriptor) }
            // FS_IOC_GETFLAGS, FS_IOC_SETFLAGS and FS_IMMUTABLE_FL of linux/fs.h, which are macros that Swift does not
            // import.
            var flags: Int = 0
            guard ioctl(descriptor, 0x8008_6601, &flags) == 0 else { return }
            let wanted = isImmutable ? flags | 0x10 : flags & ~0x10
            if wanted == flags { return }
            flags = wanted
            _ = ioctl(descriptor, 0x4008_6602, &flags)
        #endif
    }
}

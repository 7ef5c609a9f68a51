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

extension StoreFile {
    /// The suffixes of the files: the database, the log, its index, and the lock file of the syncs.
    private static var companions: [String] { ["", "-wal", "-shm", "-syncs"] }

    /// Creates a new store with 0600, and removes the rights of other users from the files of an existing one.
    ///
    /// SQLite gives its log and the index the rights of the database. Files of another user do not change.
    ///
    /// An existing database is not opened here: closing it would release the locks that SQLite holds on it in this
    /// process.
    func makePrivate() {
        guard isPrivate else { return }
        let file = path.withoutLinks
        let created = openNewFile(file)
        if created >= 0 { close(created) }
        for name in Self.companions.map({ file + $0 }) {
            var status = stat()
            guard stat(name, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o077 != 0 else { continue }
            chmod(name, status.st_mode & 0o700)
        }
    }

    /// Returns the rights of the process on the file, its folder and its log.
    func rights() throws -> StoreAccess.Rights {
        let file = path.withoutLinks
        let slash = file.lastIndex(of: "/")
        let folder = slash.map { $0 == file.startIndex ? "/" : String(file[..<$0]) } ?? "."
        func may(_ path: String, _ right: Int32) -> Bool { access(path, right) == 0 }
        let exists = may(file, F_OK)
        let log = try size(of: file + "-wal") ?? 0
        return StoreAccess.Rights(
            fileIsWritable: !exists || may(file, W_OK), folderIsWritable: may(folder, W_OK | X_OK), hasLog: log > 0,
            hasIndex: may(file + "-shm", R_OK) && may(file + "-wal", R_OK),
            logIsWritable: may(file + "-wal", W_OK) && may(file + "-shm", W_OK))
    }

    /// Sets the data protection and the exclusion from backups on Apple platforms; does nothing elsewhere.
    func protect(_ configuration: SQLiteStore.Configuration) throws {
        #if canImport(Darwin)
            let files = Self.companions.map { path.withoutLinks + $0 }
                .filter { FileManager.default.fileExists(atPath: $0) }
            #if !os(macOS)
                let protection: FileProtectionType? =
                    switch configuration.fileProtection {
                    case .complete: .complete
                    case .completeUnlessOpen: .completeUnlessOpen
                    case .completeUntilFirstUserAuthentication: .completeUntilFirstUserAuthentication
                    case .unchanged: nil
                    }
                if let protection {
                    for file in files {
                        try FileManager.default.setAttributes([.protectionKey: protection], ofItemAtPath: file)
                    }
                }
            #endif
            guard let isExcluded = configuration.excludedFromBackup else { return }
            for file in files {
                var url = URL(fileURLWithPath: file)
                var values = URLResourceValues()
                values.isExcludedFromBackup = isExcluded
                try url.setResourceValues(values)
            }
        #endif
    }
}

/// Creates a file that only its owner can read; returns -1 if it exists or cannot be created.
///
/// This is a file-level function, because `open` is a member of the type above.
private func openNewFile(_ file: String) -> Int32 { open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }

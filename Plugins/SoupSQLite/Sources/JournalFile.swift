// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A rollback journal beside a database.
enum JournalFile {
    /// The last bytes of a journal that names another file.
    private static let mark: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

    /// Returns whether a journal names the journal of a transaction over several databases, which SQLite deletes after
    /// a rollback.
    ///
    /// No store has such a journal. A prepared one could name any file of the user.
    static func namesAnotherFile(_ path: String) -> Bool {
        let file = try? Data(contentsOf: URL(filePath: path, directoryHint: .notDirectory), options: .mappedIfSafe)
        guard let file else { return false }
        return file.suffix(mark.count).elementsEqual(mark)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
public import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A SmartStore database of Salesforce Mobile SDK, opened for reading: its soups and their entries.
///
/// The file must be plain: SQLite cannot read a file that SQLCipher has encrypted. Neither the file nor its folder is
/// changed, and no lock is held, so no other program may write to the file meanwhile. If there is a log (`-wal`) or a
/// journal (`-journal`) beside the file, a private copy of the files is read, which contains the changes of the log and
/// is removed at the end.
///
/// Apps import a whole database with `SoupClient.importSmartStore`.
public final class MobileSDKDatabase: Sendable {
    /// The file.
    public let url: URL
    /// The soups, in the order of their registration.
    public let soups: [Soup]
    let queue: DatabaseQueue
    let bodies: EntryBodies
    private let copy: PrivateCopy?

    /// A soup of the database.
    public struct Soup: Sendable, Hashable {
        /// The name, which SoupKit need not accept.
        public let name: SoupName
        /// The index specs in the order of registration; a kind that SoupKit does not know is `string`, as on iOS.
        public let specs: [IndexSpec]
        /// The last ID that was assigned to an entry, which may be deleted; 0 before the first one.
        public let lastId: Int64
        /// Whether the texts of the entries are in files beside the database: the feature "external storage", which
        /// versions of the mobile SDKs before 11.0 had.
        public let storesTextsInFiles: Bool
        /// The number of the soup, which is in the names of its table and of the folder with its texts.
        let number: Int64
        /// The table with all entries.
        let table: String
    }

    /// An entry that can be imported.
    public struct Entry: Sendable, Hashable {
        /// The ID: the `_soupEntryId`.
        public let id: Int64
        /// The time of creation in milliseconds since 1970.
        public let created: Int64
        /// The time of the last write in milliseconds since 1970.
        public let lastModified: Int64
        /// The record as SoupKit stores it: without system fields, and with local flags as booleans.
        public let stored: JSONText
        /// Whether the entry has local changes, which were not sent yet: its `__local__`.
        public let hasLocalChanges: Bool
    }

    /// An entry that cannot be imported, and the reason.
    public struct UnreadableEntry: Error, Sendable, Hashable {
        /// The soup of the entry.
        public let soup: SoupName
        /// The ID: the `_soupEntryId`.
        public let id: Int64
        /// The reason, as the end of a sentence about the entry.
        public let reason: String
    }

    /// Opens a database, and checks the structure of its tables.
    ///
    /// If the alteration of a soup was interrupted, the soup has all of its entries, and the specs that it was to get.
    ///
    /// - Parameters:
    ///   - url: the file.
    ///   - bodies: the folder with the texts of soups with external storage; nil for the place where the mobile SDKs
    ///     store it, beside the file.
    /// - Throws: ``SoupError`` with the file and a hint: `importEncrypted` for an encrypted file; `importUnusable` for
    ///   a file that is missing, damaged, or not a SmartStore database.
    public static func open(at url: URL, bodies: URL? = nil) throws -> MobileSDKDatabase {
        try MobileSDKDatabase(at: url, bodies: bodies)
    }

    private init(at url: URL, bodies: URL?) throws {
        let path = url.filePath
        let file = MobileSDKFile(path: path)
        self.url = url
        self.bodies = EntryBodies(
            folders: bodies.map { [$0.filePath] } ?? EntryBodies.standardFolders(ofFile: path))
        try file.inspect()
        copy = try file.hasCompanions() ? PrivateCopy(of: file) : nil
        do {
            queue = try DatabaseQueue(path: copy?.path ?? file.immutablePath, configuration: Self.configuration)
            soups = try queue.read { db in try MobileSDKCatalog(db, file: file).soups() }
        } catch {
            throw file.error(for: error)
        }
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        // A copy has a log or a journal, which SQLite can only read with write access.
        configuration.label = "SoupKit.MobileSDKDatabase"
        configuration.acceptsDoubleQuotedStringLiterals = true
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA cell_size_check = ON; PRAGMA query_only = ON")
        }
        return configuration
    }

    /// Closes the file, and removes the private copy.
    public func close() throws {
        try queue.close()
        copy?.remove()
    }
}

extension SoupError.Code {
    /// The file to import cannot be read: it is missing, damaged, or not a SmartStore database.
    public static let importUnusable: Self = "importUnusable"
    /// The file to import is encrypted.
    public static let importEncrypted: Self = "importEncrypted"
}

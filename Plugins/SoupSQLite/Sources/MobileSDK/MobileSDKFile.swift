// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The file of a SmartStore database, which is inspected before SQLite reads its content.
struct MobileSDKFile {
    let path: String

    /// The name under which SQLite reads the file without locks, and without creating files beside it.
    var immutablePath: String { StoreLocation(path).immutableName }

    /// The endings of the files that contain changes of a database.
    static let companions = ["-wal", "-journal"]

    /// Returns whether changes of the file are in a log or a journal beside it.
    ///
    /// - Throws: ``SoupError`` with `importUnusable` for a log that cannot be read: its changes would be missing.
    func hasCompanions() throws -> Bool {
        try Self.companions.map { path.withoutLinks + $0 }.contains { companion in
            guard FileManager.default.fileExists(atPath: companion) else { return false }
            guard let size = DatabaseFileBytes(path: companion)?.size else {
                throw unusable(
                    "changes of the file are in \(companion), which cannot be read",
                    hint: "Check the permissions of both files.")
            }
            return size > 0
        }
    }

    /// Checks the header of the file.
    ///
    /// - Throws: ``SoupError`` with `importUnusable` or `importEncrypted`.
    func inspect() throws {
        var isFolder = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder else {
            throw unusable(
                isFolder ? "the path is a folder, not a file" : "the file does not exist",
                hint: "Give the path of a SmartStore database.")
        }
        guard let bytes = DatabaseFileBytes(path: path), let size = bytes.size, let header = bytes.bytes(100, at: 0)
        else { throw unusable("the file cannot be read", hint: "Check the permissions of the file and its folder.") }
        guard size > 0 else { throw unusable("the file is empty", hint: "Give the path of a SmartStore database.") }
        if header.starts(with: EncryptedFileMark.bytes) { throw ownStore }
        guard header.starts(with: Array("SQLite format 3\0".utf8)) else {
            throw Self.encrypted(
                "the file is not a plain SQLite database: it is encrypted with SQLCipher, or has another format", path)
        }
        if header[68..<72].elementsEqual(Self.ownApplication) { throw ownStore }
        guard size >= 512 else { throw damaged("it is truncated") }
    }

    /// The application ID of SoupKit's stores, as it is in the header.
    private static let ownApplication = Array("Soup".utf8)

    var ownStore: SoupError {
        unusable(
            "the file is a store of SoupKit, not a SmartStore database",
            hint: "Use it with --store, or with the option store of SoupClient; it needs no import.")
    }

    func unusable(_ message: String, hint: String) -> SoupError {
        SoupError(.importUnusable, message, place: SoupError.Place(file: path), hint: hint)
    }

    func damaged(_ fault: String, cause: (any Error)? = nil) -> SoupError {
        var error = unusable(
            "the file is damaged: \(fault)",
            hint: "Decrypt the database of the app again, or use another copy. Nothing was imported.")
        error.cause = cause
        return error
    }

    static func encrypted(_ message: String, _ path: String, cause: (any Error)? = nil) -> SoupError {
        SoupError(
            .importEncrypted, message, place: SoupError.Place(file: path),
            hint: "Decrypt it to a plain file with SQLCipher, as the article \"Importing a SmartStore database\" "
                + "shows, and import the plain file.",
            cause: cause)
    }

    /// Converts an error of reading to the error for the caller.
    func error(for error: any Error) -> any Error {
        let code: ResultCode
        let message: String
        switch error {
        case let error as DatabaseError:
            (code, message) = (error.resultCode, error.message ?? "\(error.resultCode)")
        case let error as SoupError where error.code == .storeUnusable || error.code == .sql:
            // An error of a raw statement, whose hint is for a store.
            (code, message) = (.SQLITE_CORRUPT, error.message)
        default: return error
        }
        // With app groups, the mobile SDK for iOS encrypts a file except its first 32 bytes.
        if hasPlainHeaderOnly {
            return Self.encrypted("the file is encrypted with SQLCipher, except its header", path, cause: error)
        }
        switch code {
        case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH:
            return unusable(
                "the file cannot be opened: \(message)", hint: "Check the permissions of the file and its folder.")
        case .SQLITE_IOERR, .SQLITE_FULL, .SQLITE_NOMEM:
            return unusable(
                "the file cannot be read: \(message)", hint: "Check the free space and the state of the disk.")
        default: return damaged(message, cause: error)
        }
    }

    /// Whether the first page has no valid content behind a valid header.
    ///
    /// A page of a plain database begins, behind the header, with its type: 5 or 13 for a table.
    private var hasPlainHeaderOnly: Bool {
        guard let header = DatabaseFileBytes(path: path)?.bytes(101, at: 0) else { return false }
        // SQLCipher reserves 80 bytes of each page for its own data; the mobile SDKs use this default.
        return header[20] >= 16 && header[100] != 5 && header[100] != 13
    }
}

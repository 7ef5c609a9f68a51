// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

internal import GRDB
internal import GRDBSQLite
internal import SoupCore
internal import SoupEncryption

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension StoreFile {
    /// Returns the file system that decrypts the store; creates the store if it does not exist.
    ///
    /// - Throws: ``SoupError``: `storeNotEncrypted`, `wrongKey`, `storeUnusable`; the errors of the provider.
    func unlock(with provider: any KeyProvider) async throws -> EncryptedFileSystem {
        try requireFolder()
        let file = path.withoutLinks
        let size = try size(of: file)
        if try header(of: file) != nil {
            let secret = try await provider.secret(for: KeyRequest(file: file))
            return try open(file, secret: secret)
        }
        if let size { try requireNoLog(besideFileOf: size) }
        let rights = try rights()
        guard rights.folderIsWritable, rights.fileIsWritable else {
            throw unusable(
                "the store cannot be created: neither the file nor its folder can be written",
                hint: "Check their permissions, or use another path.")
        }
        let secret = try await provider.secret(for: KeyRequest(file: file, isNew: true))
        makePrivate()
        return try create(file, secret: secret)
    }

    /// Whether another file than the one for which a key was found has the path, or an encrypted one without a key.
    var wasReplaced: Bool {
        guard let found = location.fileSystem?.file else { return isMarkedAsEncrypted }
        return (try? header(of: path.withoutLinks))?.file != found
    }

    /// Returns the current header; nil if the file is empty or does not exist.
    func header(of file: String) throws -> FileHeader? {
        guard try size(of: file) != nil else { return nil }
        let reading = try withSQLiteErrors(file) {
            try SQLiteRawFile.withFile(file, flags: SQLITE_OPEN_READONLY) { try EncryptedFile.reading(of: $0) }
        }
        switch reading {
        case .empty: return nil
        case .header(let header, _):
            guard header.kind == .database else { throw isNotAStore("the file is encrypted, but it is not a store") }
            return header
        case .notEncrypted:
            let isDatabase = DatabaseFileBytes(path: file)?.bytes(16, at: 0) == Array("SQLite format 3\0".utf8)
            throw isDatabase ? notEncrypted() : isNotAStore("the file is no database, encrypted or not")
        case .unsupported:
            throw unusable(
                "the store is encrypted in a newer format than this version supports", hint: "Update the program.")
        case .damaged:
            throw unusable(
                "the header of the encrypted store is damaged: the key in it cannot be read",
                hint: "Restore the store from a backup, or move it to start with an empty store.")
        }
    }

    /// Returns the header of which the secret opens the key, and the key.
    func unlocked(_ file: String, _ secret: StoreSecret) throws -> (header: FileHeader, key: DataKey) {
        let bytes = try withSQLiteErrors(file) {
            try SQLiteRawFile.withFile(file, flags: SQLITE_OPEN_READONLY) { try EncryptedFile.headerBytes(of: $0) }
        }
        for header in FileHeader.candidates(bytes) where header.kind == .database {
            if let key = try header.key(with: secret) { return (header, key) }
        }
        throw wrongKey()
    }

    private func open(_ file: String, secret: StoreSecret) throws -> EncryptedFileSystem {
        let (header, key) = try unlocked(file, secret)
        completeHeader(of: file, header)
        return try withSQLiteErrors(path) { try EncryptedFileSystem(key, unitLength: header.unitLength) }
    }

    /// Replaces a damaged or an older copy of the header by the one that was opened.
    ///
    /// Usually the second write of a new secret was interrupted: the old secret would still open the file. If another
    /// process uses the file, a later open does it.
    private func completeHeader(of file: String, _ opened: FileHeader) {
        try? SQLiteRawFile.withFile(file, flags: SQLITE_OPEN_READWRITE) { raw in
            guard case .header(_, isComplete: false) = try EncryptedFile.reading(of: raw) else { return }
            try Self.locked(raw) {
                guard try !raw.hasMoved, case .header(opened, isComplete: false) = try EncryptedFile.reading(of: raw),
                    FileHeader.candidates(try EncryptedFile.headerBytes(of: raw)).count == 1
                else { return }
                try EncryptedFile.completeHeader(of: raw, opened)
            }
        }
    }

    /// Creates the store with its header and its first page at once; if another process has created it, opens it.
    ///
    /// Therefore a header without a page is always the rest of a store.
    private func create(_ file: String, secret: StoreSecret) throws -> EncryptedFileSystem {
        let created = try withSQLiteErrors(file) {
            try SQLiteRawFile.withFile(file, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) { raw in
                try Self.locked(raw, waitingFor: busyTimeout) {
                    guard case .empty = try EncryptedFile.reading(of: raw), try !raw.hasMoved else {
                        return nil as EncryptedFileSystem?
                    }
                    return try createAtOnce(file, secret: secret)
                }
            }
        }
        return try created ?? open(file, secret: secret)
    }

    private func createAtOnce(_ file: String, secret: StoreSecret) throws -> EncryptedFileSystem? {
        let replacement = ReplacementFile(of: file)
        do {
            let target = try replacement.create(with: secret)
            var configuration = Configuration()
            target.prepare(&configuration)
            let queue = try DatabaseQueue(path: target.name, configuration: configuration)
            try queue.writeWithoutTransaction { db in
                try db.execute(
                    sql: "PRAGMA page_size = \(target.pageSize); PRAGMA user_version = 0")
            }
            try queue.close()
            try replacement.install()
            return target.fileSystem
        } catch {
            replacement.remove()
            throw error
        }
    }

    /// Runs work that writes the header, which one connection does at a time.
    ///
    /// Other connections can use the content meanwhile: the lock is the one of a writer with a rollback journal, and
    /// open stores have a log.
    static func locked<T>(
        _ raw: SQLiteRawFile, waitingFor timeout: Duration = .zero, _ work: () throws -> T
    ) throws -> T {
        let end = ContinuousClock.now + timeout
        defer { try? raw.unlock() }
        while true {
            do {
                for level in [SQLITE_LOCK_SHARED, SQLITE_LOCK_RESERVED] { try raw.lock(level) }
                return try work()
            } catch let error as SQLiteRawFile.Failure where error.code & 0xFF == SQLITE_BUSY {
                // A writer can be waiting until the shared lock is released.
                try raw.unlock()
                guard ContinuousClock.now < end else { throw error }
                sqlite3_sleep(5)
            }
        }
    }

    /// Converts result codes of SQLite to the errors of a store.
    func withSQLiteErrors<T>(_ file: String, _ work: () throws -> T) throws -> T {
        do {
            return try work()
        } catch let error as SQLiteRawFile.Failure {
            throw SoupError.sqlite(
                code: error.code, message: String(cString: sqlite3_errstr(error.code)), file: file, cause: error)
        } catch is UnitIsDamaged {
            throw SoupError.sqlite(code: SQLITE_CORRUPT, message: "a page is damaged", file: file, cause: nil)
        }
    }

    private func notEncrypted() -> SoupError {
        SoupError(
            .storeNotEncrypted, "the store is not encrypted, and its configuration asks for encryption",
            place: SoupError.Place(file: path),
            hint: "Encrypt it with `soup encrypt` or SQLiteStore.changeEncryption, or use another path.")
    }

    func wrongKey() -> SoupError {
        SoupError(
            .wrongKey, "the key is not that of the store; the store is not damaged",
            place: SoupError.Place(file: path), hint: "Use the key or the passphrase with which it was encrypted.")
    }

    private func isNotAStore(_ problem: String) -> SoupError {
        unusable(
            problem,
            hint: "Restore the store from a backup, or use the path of another file; this one has not been changed.")
    }
}

#endif

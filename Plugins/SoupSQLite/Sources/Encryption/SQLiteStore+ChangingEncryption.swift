// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

internal import GRDB
internal import GRDBSQLite
public import SoupCore
internal import SoupEncryption

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

extension SQLiteStore {
    /// Encrypts a store that is not open, decrypts it, or encrypts its content with another key.
    ///
    /// The content is copied to a second file, which then replaces the store: if the process is killed at any moment,
    /// the file of the store is either the old one or the new one, complete, and only the key of that one opens it.
    /// Call it again to repeat an interrupted change, from the beginning; if it had ended, a repetition of an
    /// encryption or a decryption does nothing. It needs as much free disk space as the store has content. The blocks
    /// of the old file are released and not overwritten: after the first encryption, the disk can still contain the old
    /// content.
    ///
    /// - Parameters:
    ///   - url: the file of the store.
    ///   - old: the present encryption; nil for none.
    ///   - new: the future encryption; nil for none. A provider may create its secret.
    ///   - context: the registry for key providers that are given by name. In code:
    ///     `StoreContext(folder: URL(filePath: "."))`.
    /// - Throws: ``SoupError``: `storeUnusable` if the store does not exist, is open or being synced, or if the disk
    ///   rejects the copy; `storeNotEncrypted`, `storeEncrypted`, `wrongKey`; the errors of the providers. The store is
    ///   then unchanged. `CancellationError`.
    public static func changeEncryption(
        at url: URL, from old: Encryption?, to new: Encryption?, in context: StoreContext
    ) async throws {
        let path = url.filePath
        do {
            let change = try EncryptionChange(file: path.withoutLinks)
            defer { change.lease.release() }
            var source = StoreFile(path: change.file, busyTimeout: .seconds(1))
            if old == nil, source.isMarkedAsEncrypted {
                if let new, try await source.isOpened(by: new, in: context) { return }
                throw SoupError(
                    .storeEncrypted, "the store is already encrypted", place: SoupError.Place(file: path),
                    hint: "Name its present key to replace it, as `soup rekey` does.")
            }
            do {
                try await source.unlock(with: old, in: context)
            } catch let error as SoupError where error.code == .storeNotEncrypted && new == nil {
                return try source.inspectForCopy()
            } catch let error as SoupError where error.code == .wrongKey {
                if let new, try await source.isOpened(by: new, in: context) { throw sameKey(path) }
                throw error
            }
            try source.inspectForCopy()
            let secret = try await new?.provider(in: context).secret(for: KeyRequest(file: change.file, isNew: true))
            if let secret, let old {
                let present = try await old.provider(in: context).secret(for: KeyRequest(file: change.file))
                guard !secret.isSame(as: present) else { throw sameKey(path) }
            }
            try await change.copy(source.location, with: secret)
        } catch {
            throw SoupError.fromStore(error, file: path)
        }
    }

    /// Protects the key of an encrypted store with another secret; the content is not written, and the store can be
    /// open.
    ///
    /// An attacker with an old copy of the file and the old secret can read this copy, and with the key in it every
    /// later one. If the old secret became known, use ``changeEncryption(at:from:to:in:)``, which also
    /// replaces that key. If the process is killed at any moment, one of the two secrets opens the store; the next open
    /// completes the change. If the new secret is the present one already, it does nothing.
    ///
    /// - Throws: as ``changeEncryption(at:from:to:in:)``; ``SoupError`` with `badSecret` if both secrets are the same.
    public static func changeKey(
        at url: URL, from old: Encryption, to new: Encryption, in context: StoreContext
    ) async throws {
        let path = url.filePath
        let file = StoreFile(path: path.withoutLinks, busyTimeout: .seconds(1))
        do {
            guard try file.header(of: file.path) != nil else {
                throw file.unusable("the store does not exist", hint: "Check the path.")
            }
            let secret = try await old.provider(in: context).secret(for: KeyRequest(file: file.path))
            let (header, key): (FileHeader, DataKey)
            do {
                (header, key) = try file.unlocked(file.path, secret)
            } catch let error as SoupError where error.code == .wrongKey {
                // A repetition of a change that had ended.
                guard try await file.isOpened(by: new, in: context) else { throw error }
                return
            }
            let newSecret = try await new.provider(in: context).secret(for: KeyRequest(file: file.path, isNew: true))
            guard !newSecret.isSame(as: secret) else { throw sameKey(path) }
            try file.withSQLiteErrors(path) {
                try SQLiteRawFile.withFile(file.path, flags: SQLITE_OPEN_READWRITE) { raw in
                    try StoreFile.locked(raw, waitingFor: file.busyTimeout) {
                        guard try !raw.hasMoved, case .header(header, _) = try EncryptedFile.reading(of: raw) else {
                            throw file.unusable("another process changes the key", hint: "Repeat the change.")
                        }
                        try EncryptedFile.replaceSecret(of: raw, header, key: key, with: newSecret)
                    }
                }
            }
        } catch {
            throw SoupError.fromStore(error, file: path)
        }
    }
}

extension SQLiteStore {
    fileprivate static func sameKey(_ path: String) -> SoupError {
        SoupError(
            .badSecret, "the new key is already that of the store", place: SoupError.Place(file: path),
            hint: "Write it into the configuration, or name another key, such as a file that does not exist yet.")
    }
}

extension StoreFile {
    /// Returns whether the secret of an encryption, which need not exist, opens the store.
    fileprivate func isOpened(by encryption: SQLiteStore.Encryption, in context: StoreContext) async throws -> Bool {
        let provider = try encryption.provider(in: context)
        do {
            let secret = try await provider.secret(for: KeyRequest(file: path))
            _ = try unlocked(path, secret)
            return true
        } catch is SoupError {
            return false
        }
    }
}

/// A change of the encryption of a store, whose syncs are excluded until it ends.
private struct EncryptionChange {
    let file: String
    let lease: SyncLease

    init(file: String) throws {
        self.file = file
        var status = stat()
        guard stat(file, &status) == 0 else {
            throw SoupError(
                .storeUnusable, "the store does not exist", place: SoupError.Place(file: file), hint: "Check the path.")
        }
        guard let lease = try SyncLock.claim(database: file) else {
            throw SoupError(
                .storeUnusable, "the store is in use by \(SyncLock.holder(database: file)), which syncs it",
                place: SoupError.Place(file: file), hint: "Wait until the process has ended, or end it.")
        }
        self.lease = lease
    }

    /// Copies the content into a new file, and replaces the store by it.
    func copy(_ source: StoreLocation, with secret: StoreSecret?) async throws {
        let replacement = ReplacementFile(of: file)
        let target = try replacement.create(with: secret)
        do {
            var configuration = Configuration()
            source.prepare(&configuration)
            target.prepare(&configuration)
            configuration.busyMode = .timeout(1)
            configuration.allowsUnsafeTransactions = true
            let holder = try DatabaseQueue(path: source.name, configuration: configuration)
            // Its transaction, which wrote nothing, ends here.
            defer { try? holder.close() }
            try await holder.writeWithoutTransaction(Self.excludeWriters)
            let reader = try DatabaseQueue(path: source.name, configuration: configuration)
            defer { try? reader.close() }
            try await reader.writeWithoutTransaction { db in
                // A unit of the copy is a page, whatever the pages of the store are.
                try db.execute(sql: "PRAGMA page_size = \(target.pageSize)")
                try db.execute(sql: "VACUUM INTO ?", arguments: [target.attachedName])
            }
            try check(target)
            try Task.checkCancellation()
            guard try StoreFile(path: file, busyTimeout: .zero).size(of: file + "-wal") ?? 0 == 0 else {
                throw DatabaseError(resultCode: .SQLITE_BUSY)
            }
            try replacement.install()
        } catch {
            replacement.remove()
            throw error
        }
    }

    /// Begins a transaction during which no other connection can write, because its changes would be lost.
    ///
    /// The file leaves write-ahead mode, which is possible only while no other connection has it open. Another
    /// connection needs to write before it can use the log again.
    private static func excludeWriters(_ db: Database) throws {
        for statement in ["PRAGMA journal_mode = DELETE", "BEGIN IMMEDIATE", "PRAGMA journal_mode"] {
            guard let mode = try String.fetchOne(db, sql: statement) else { continue }
            guard mode == "delete" else { throw DatabaseError(resultCode: .SQLITE_BUSY) }
        }
    }

    /// Reads the whole copy.
    private func check(_ target: StoreLocation) throws {
        var configuration = Configuration()
        configuration.readonly = true
        target.prepare(&configuration)
        let queue = try DatabaseQueue(path: target.name, configuration: configuration)
        let result = try queue.read { db in try String.fetchOne(db, sql: "PRAGMA quick_check(1)") }
        try queue.close()
        guard result == "ok" else {
            throw SoupError(
                .storeUnusable, "the copy of the store is damaged: \(result ?? "")",
                place: SoupError.Place(file: target.path), hint: "Check the disk, and repeat.")
        }
    }
}

#endif

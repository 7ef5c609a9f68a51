// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

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
#elseif canImport(Android)
    internal import Android
#endif

/// The key-value stores of a folder, each in `key_value_stores/<name>`.
///
/// A name has 1 to 96 characters of `a-z`, `A-Z`, `0-9` and `_`. Any other name is refused, so that no name leads
/// outside the folder.
public struct KeyValueStores: Sendable {
    /// The folder that contains the folders of the stores.
    public let folder: URL
    private let path: String
    /// The provider of the stores' keys; nil for stores that are not encrypted.
    private let provider: (any KeyProvider)?
    private let changes: FileChanges
    private let work = FileQueues()

    /// The prefix of the names of removed stores' folders.
    private static let removedPrefix = ".removed-"

    /// Creates the list of stores without access to the file system.
    ///
    /// - Parameter folder: the file URL of the folder around `key_value_stores`; it is created with the first store.
    #if !canImport(CryptoKit) && !KeyValue
        @available(*, unavailable, message: "Add traits: [\"KeyValue\"] to the package dependency on SoupKit")
    #endif
    public init(in folder: URL) { self.init(in: folder, changes: FileChanges()) }

    /// Creates the list of encrypted stores without access to the file system.
    ///
    /// Contents, keys and the names of files are encrypted and authenticated. Readable without a key are the number of
    /// the values, their sizes and the times of their changes. Existing stores that are not encrypted are refused.
    ///
    /// - Parameters:
    ///   - folder: as for ``init(in:)``.
    ///   - provider: returns the secret of each store, whose folder is the file of the request.
    #if !Encryption
        @available(*, unavailable, message: "Add traits: [\"Encryption\"] to the package dependency on SoupKit")
    #elseif !canImport(CryptoKit) && !KeyValue
        @available(*, unavailable, message: "Add traits: [\"KeyValue\"] to the package dependency on SoupKit")
    #endif
    public init(in folder: URL, key provider: any KeyProvider) {
        self.init(in: folder, changes: FileChanges(), provider: provider)
    }

    init(in folder: URL, changes: FileChanges, provider: (any KeyProvider)? = nil) {
        self.provider = provider
        self.folder = folder.appending(component: "key_value_stores", directoryHint: .isDirectory)
        path = self.folder.filePath
        self.changes = changes
    }

    /// Opens a store, creates it if it does not exist, and removes files that a killed process left.
    ///
    /// A folder with only value files is a store of version 1; a new one has version 2, or 3 if it is encrypted.
    ///
    /// - Throws: ``SoupError``: `badStoreName`; `storeUnusable` for a file in the place of the folder, an unknown
    ///   version, and a folder of another user; `storeEncrypted` for an encrypted store without a key provider, and
    ///   `storeNotEncrypted` for another one with it; `wrongKey`; the errors of the provider. No file is changed then.
    public func open(_ name: String) async throws -> FileKeyValueStore {
        try Self.check(name)
        let folder = KeyValueFolder(path: "\(path)/\(name)", changes: changes)
        let secret = try await secret(of: folder)
        let opened = try await work.change {
            let opened = try folder.prepare(with: secret)
            try checkCase(of: name)
            deleteRemovedStores()
            return opened
        }
        if opened.isNew, let secret { try await confirm(secret, of: folder) }
        return FileKeyValueStore(name: name, entries: opened.entries, work: FileQueues())
    }

    /// Returns the names of the stores, sorted; none if the folder does not exist.
    ///
    /// - Throws: ``SoupError`` with `storeUnusable` if the folder cannot be read.
    public func names() async throws -> [String] { try await work.read { try listed() } }

    /// Removes a store with all its values, in one atomic step.
    ///
    /// The secret of an encrypted store is removed first. If the process is killed between the two, the values are
    /// still there, but no longer readable, and a repetition removes them.
    ///
    /// Other instances of the open store throw `storeUnusable` from then on, even if a store with that name is created
    /// again.
    ///
    /// - Returns: whether the store existed.
    /// - Throws: ``SoupError``: `badStoreName`; `storeUnusable` if it cannot be removed; the errors of the provider.
    @discardableResult
    public func remove(_ name: String) async throws -> Bool {
        try Self.check(name)
        if provider != nil, try await work.read({ try listed().contains(name) }) {
            // Before the folder: see confirm(_:of:).
            try await removeSecret(of: name)
        }
        return try await work.change { try removeNow(name) }
    }

    /// Removes all stores of the folder, one after the other.
    ///
    /// - Throws: the errors of ``remove(_:)``.
    public func removeAll() async throws {
        for name in try await names() { try await remove(name) }
    }

    private func secret(of folder: KeyValueFolder) async throws -> StoreSecret? {
        guard let provider else { return nil }
        // A provider can store its key beside the folder.
        try await work.change { [path, changes] in _ = try changes.makeFolder(path) }
        return try await provider.secret(for: request(folder))
    }

    /// Protects a new store with the secret that the provider has now.
    ///
    /// While this call had the first one, another process can have removed a store with this name, and its secret. That
    /// process removed the secret before the folder, so the provider's present secret is that of the new folder. A
    /// passphrase is not confirmed: a person would be asked twice.
    private func confirm(_ secret: StoreSecret, of folder: KeyValueFolder) async throws {
        #if Encryption
            guard let provider, secret.kind == .key else { return }
            let present = try await provider.secret(for: KeyRequest(file: folder.path, isNew: true))
            guard !present.isSame(as: secret) else { return }
            try await work.change { try folder.replaceSecret(secret, with: present) }
        #endif
    }

    private func request(_ folder: KeyValueFolder) -> KeyRequest {
        let header = folder.file(KeyValueFolder.headerFile)
        return KeyRequest(file: folder.path, isNew: !FileManager.default.fileExists(atPath: header))
    }

    private func removeSecret(of name: String) async throws {
        try await provider?.removeSecret(for: KeyRequest(file: "\(path)/\(name)"))
    }

    #if Encryption
        /// Protects the key of an encrypted store with the secret of another provider; the values are not written.
        ///
        /// If the process is killed, the store has the old or the new secret. Open instances of the store can be used.
        ///
        /// - Throws: ``SoupError``: `badStoreName`; `storeUnusable` if the store does not exist, is not encrypted or
        ///   cannot be written; `wrongKey`; the errors of the providers.
        public func changeKey(of name: String, to newProvider: any KeyProvider) async throws {
            try Self.check(name)
            let folder = KeyValueFolder(path: "\(path)/\(name)", changes: changes)
            let request = request(folder)
            guard let provider, !request.isNew else {
                throw SoupError(
                    .storeUnusable, "there is no encrypted key-value store with this name",
                    place: SoupError.Place(file: folder.path), hint: "Open the store first, to create it.")
            }
            let old = try await provider.secret(for: request)
            let new = try await newProvider.secret(for: KeyRequest(file: folder.path, isNew: true))
            try await work.change { try folder.replaceSecret(old, with: new) }
        }
    #endif

    private func listed() throws -> [String] {
        guard folderExists(path) else { return [] }
        return try KeyValueFolder(path: path, changes: changes).names()
            .filter { Self.isValid($0) && folderExists("\(path)/\($0)") }.sorted()
    }

    private func removeNow(_ name: String) throws -> Bool {
        guard try listed().contains(name) else { return false }
        let folder = KeyValueFolder(path: "\(path)/\(name)", changes: changes)
        try folder.locked(.exclusive) { _ in
            let random = String(UInt64.random(in: .min ... .max), radix: 16)
            try changes.rename(folder.path, to: "\(path)/\(Self.removedPrefix)\(random)")
        }
        try changes.syncFolder(path)
        deleteRemovedStores()
        return true
    }

    /// Deletes the files of removed stores; files that cannot be deleted now are deleted by a later call.
    private func deleteRemovedStores() {
        let names = (try? KeyValueFolder(path: path, changes: changes).allNames()) ?? []
        for name in names where name.hasPrefix(Self.removedPrefix) {
            guard (try? changes.willMake(.remove, path)) != nil else { return }
            try? FileManager.default.removeItem(atPath: "\(path)/\(name)")
        }
    }

    /// Checks the case of a name: on some file systems `Cache` and `cache` are one name, so only one can be a store.
    private func checkCase(of name: String) throws {
        let names = try KeyValueFolder(path: path, changes: changes).names()
        guard !names.contains(name) else { return }
        throw SoupError(
            .badStoreName, "the name \"\(name)\" differs only by case from the name of another key-value store",
            place: SoupError.Place(file: path), hint: "Use another name.")
    }

    private static func isValid(_ name: String) -> Bool {
        (1...96).contains(name.utf8.count)
            && name.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    private static func check(_ name: String) throws {
        guard !isValid(name) else { return }
        throw SoupError(
            .badStoreName, "\(JSONEscapes.quoted(String(name.prefix(100)))) cannot be the name of a key-value store",
            hint: "Use 1 to 96 characters of a-z, A-Z, 0-9 and _.")
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore
internal import SoupSQLite

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A change of the encryption of the store that a configuration folder names.
///
/// A key that is nil is the one in the configuration: `"encryption": {"key": ...}` in the `backend`.
public enum EncryptionChange: Sendable, Hashable {
    /// Encrypts a store.
    case encrypt(key: KeyReference?)
    /// Removes the encryption of a store.
    case decrypt(key: KeyReference?)
    /// Replaces the secret that protects the key of the content, or this key as well.
    ///
    /// - Parameter encryptsContentAgain: whether the content gets a new key, which takes as long as ``encrypt(key:)``.
    case replaceKey(KeyReference?, with: KeyReference, encryptsContentAgain: Bool)
}

extension SoupClient {
    /// Encrypts the store of a configuration folder, which is not open, decrypts it, or replaces its key.
    ///
    /// The configuration is not changed: add `encryption` to its `backend`, change it, or remove it, before the store
    /// is opened again.
    ///
    /// - Parameters:
    ///   - folder: the file URL of the folder with the files.
    ///   - options: `scope`, `store`, `user`, `storeFolder` and `registry` are used.
    /// - Returns: the file of the store.
    /// - Throws: as `SQLiteStore.changeEncryption` and `SQLiteStore.changeKey`; ``ConfigurationError``; ``SoupError``
    ///   with `keyUnavailable` if neither the change nor the configuration names a key, and with `notSupported` for
    ///   a backend other than `sqlite`.
    @discardableResult
    public static func changeEncryption(
        _ change: EncryptionChange, at folder: URL, options: Options = Options()
    ) async throws -> URL {
        #if Encryption
            let configuration = ConfigurationFolder(reading: folder, registry: options.registry, environment: [:])
            let scope = options.scope
            try configuration.check(
                configuration[scope].storeProblems, in: scope, allowingNone: options.store != nil)
            let backend = configuration[scope].store?.backend ?? .standard
            guard backend.type == SQLiteStore.name else {
                throw SoupError(
                    .notSupported, "the store has the backend \(backend.type)",
                    place: SoupError.Place(file: scope.storeFile, path: "backend.type"),
                    hint: "Encrypt each of its files in code, with SQLiteStore.changeEncryption.")
            }
            var context = try configuration.storeContext(options)
            context.registry = options.registry
            try await StoreRemoval.completeInterrupted(configuration, options)
            let path = context.path(configured: backend.configuration["path"]?.stringValue)
            let url = URL(filePath: path, directoryHint: .notDirectory)
            let configured = backend.configuration["encryption"]?["key"].map { KeyReference($0) }
            func encryption(_ key: KeyReference?) throws -> SQLiteStore.Encryption {
                guard let key = key ?? configured else {
                    throw SoupError(
                        .keyUnavailable, "neither the configuration nor the command names a key",
                        place: SoupError.Place(file: scope.storeFile, path: "backend.encryption"),
                        hint: "Name a key provider. Known: "
                            + options.registry.keyProviders.map(\.name.rawValue).joined(separator: ", ") + ".")
                }
                // Both keys are checked before one of them is created.
                _ = try context.keyProvider(key)
                return SQLiteStore.Encryption(key: key)
            }
            switch change {
            case .encrypt(let key):
                try await SQLiteStore.changeEncryption(at: url, from: nil, to: encryption(key), in: context)
            case .decrypt(let key):
                try await SQLiteStore.changeEncryption(at: url, from: encryption(key), to: nil, in: context)
            case .replaceKey(let old, let new, true):
                try await SQLiteStore.changeEncryption(
                    at: url, from: encryption(old), to: encryption(new), in: context)
            case .replaceKey(let old, let new, false):
                try await SQLiteStore.changeKey(at: url, from: encryption(old), to: encryption(new), in: context)
            }
            return url
        #else
            throw SQLiteStore.Encryption.notSupported
        #endif
    }
}

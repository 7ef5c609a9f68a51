// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupSQLite
internal import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SoupClient {
    /// Removes a store of a folder, and the secrets that the key providers of the configuration have for it.
    ///
    /// Close the store first. The secrets are removed before the files, so that an encrypted file is unreadable from
    /// then on; after an interruption, a repetition removes the rest. The additional stores of a composed store are
    /// removed, too. A key that several stores can share, because the configuration gives it a path or an account, is
    /// not removed. See ``StoreFolder/remove(_:in:)``, which leaves all secrets.
    ///
    /// ```swift
    /// try await SoupClient.removeStore("archive", at: folder)
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name of the store in the scope.
    ///   - folder: the file URL of the folder with the files, as for ``open(at:options:)``.
    ///   - options: the values for opening; ``Options/store`` is ignored.
    /// - Returns: whether the store existed.
    /// - Throws: as ``StoreFolder/remove(_:in:)``; the error of a key provider, after which the files still exist;
    ///   ``ConfigurationError`` with the problems of `userstore.json` or `globalstore.json`, whose keys are then
    ///   unknown.
    @discardableResult
    public static func removeStore(
        _ name: String = StoreFolder.defaultName, at folder: URL, options: Options = Options()
    ) async throws -> Bool {
        let configuration = ConfigurationFolder(
            reading: folder, registry: options.registry, environment: options.environment)
        let file = try configuration.stores(options).file(of: name, in: options.scope)
        return try await configuration.removeStore(at: file, options)
    }
}

extension ConfigurationFolder {
    /// Removes the store in a file, and the secrets that the key providers of a scope have for it.
    ///
    /// - Throws: as ``SoupClient/removeStore(_:at:options:)``.
    package func removeStore(at file: URL, _ options: SoupClient.Options) async throws -> Bool {
        let scope = options.scope
        try check(self[scope].storeProblems, in: scope, allowingNone: true)
        var options = options
        options.store = file
        let keys = Set(configuredStores(scope).compactMap(\.key))
        let secrets = try StoreSecrets(of: Array(keys), self, options)
        guard SQLiteStore.exists(at: file) else { return false }
        let lease = try SQLiteStore.claimForRemoval(at: file)
        defer { lease.release() }
        for file in StoreSecrets.files(ofStore: file.filePath) { try await secrets.remove(of: file) }
        // The file with an earlier key, which the configuration does not name any more.
        try RemovalFolder.removeKeyFiles(of: file.filePath)
        return try SQLiteStore.removeFiles(at: file, withLock: false)
    }
}

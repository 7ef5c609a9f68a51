// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import ComposedStores
internal import SoupSQLite
internal import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension ConfigurationFolder {
    /// Returns the file of the scope's store, whether it exists or not; for a composed store, that of its main store.
    ///
    /// - Parameter store: a file that overrides the configuration's, as for opening.
    /// - Returns: nil if that store is not `sqlite`: other backends need not use a file.
    public func storeFile(in scope: StoreScope, at store: URL? = nil) -> URL? {
        storeFile(SoupClient.Options(scope: scope, store: store))
    }

    /// Returns the file of the store that options choose, whether it exists or not; for a composed store, that of its
    /// main store.
    ///
    /// - Parameter options: `scope`, `store`, `user` and `storeFolder` are used.
    /// - Returns: nil if that store is not `sqlite`: other backends need not use a file.
    public func storeFile(_ options: SoupClient.Options) -> URL? {
        let backend = self[options.scope].store?.backend ?? .standard
        let main = Self.mainStore(of: StoreReference(type: backend.type, configuration: backend.configuration))
        guard main.type == SQLiteStore.name else { return nil }
        if let store = options.store { return store }
        let file = main.json["path"]?.stringValue ?? options.scope.databaseFile
        return file.hasPrefix("/")
            ? URL(filePath: file, directoryHint: .notDirectory)
            : stores(options).root(of: options.scope).appending(path: file, directoryHint: .notDirectory)
    }

    /// Returns the folder of the stores that options choose.
    func stores(_ options: SoupClient.Options) -> StoreFolder {
        StoreFolder(at: options.storeFolder ?? folder, of: options.user)
    }

    /// Whether the file of the store that options choose does not exist yet; false for a store without a file.
    func lacksStoreFile(_ options: SoupClient.Options) -> Bool {
        storeFile(options).map { !FileManager.default.fileExists(atPath: $0.filePath) } ?? false
    }

    /// Returns the store that contains the syncs: the store itself, or the innermost main store of a composed one.
    private static func mainStore(of store: StoreReference) -> StoreReference {
        let key: String? =
            switch store.type {
            case RoutedStore.name?: "default"
            case LayeredStore.name?: "back"
            case MeteredStore.name?: "store"
            default: nil
            }
        guard let inner = key.flatMap({ store.json[$0] }), inner.objectValue != nil else { return store }
        return mainStore(of: StoreReference(inner))
    }

    /// Creates the missing folders of a store's file.
    ///
    /// - Parameter permissions: those of the new folders; nil for those of the process.
    /// - Throws: ``SoupError`` with `storeUnusable`.
    func makeFolders(for file: String, permissions: Int? = nil) throws {
        let folder = URL(filePath: file).deletingLastPathComponent().path
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true,
                attributes: permissions.map { [.posixPermissions: $0] })
        } catch {
            throw SoupError(
                .storeUnusable, "the folder \(folder) does not exist and cannot be created",
                place: SoupError.Place(file: file),
                hint: "Create it, or choose another path.", cause: error)
        }
    }
}

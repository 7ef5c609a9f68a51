// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import ComposedStores
internal import SoupMemory
internal import SoupSQLite
internal import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The places of everything that SoupKit stores for the user of some options; finding them changes nothing.
///
/// | with | places |
/// |---|---|
/// | a user | the folder of the user, and the file that the options name |
/// | a file in the options, but no user | only that file |
/// | neither | the stores of the configuration and the named stores of the folder, with the folder `user` |
struct UserPlaces {
    /// The folder that belongs to the user alone; nil without a user.
    let ownFolder: String?
    /// The file of the store that the options choose for a user; nil for a store without a file.
    let main: String?
    /// The files of stores that are not in ``ownFolder``, in ascending order; they need not exist.
    let files: [String]
    /// The folder with the key-value stores if there is no ``ownFolder``.
    let filesFolder: String?
    /// The folder that exists while a removal is not complete.
    let marker: String
    /// The stores that cannot be removed, or must not.
    let kept: [UserRemoval.KeptStore]
    /// The configured keys of encrypted stores.
    let keys: [KeyReference]

    /// - Throws: ``ConfigurationError`` if the configuration names a file outside the folder of the user; the file
    ///   system's error for a folder that cannot be read.
    init(_ configuration: ConfigurationFolder, _ options: SoupClient.Options) throws {
        let context = try configuration.storeContext(options)
        let stores = configuration.stores(options)
        let root = context.folder.filePath.withoutSlash
        let configured = configuration.configuredStores(.user)
        ownFolder = options.user == nil ? nil : StoreContext.absolute(root)
        let file = configuration.storeFile(options).map { StoreContext.absolute($0.filePath) }
        main = options.user == nil ? nil : file
        marker = try Self.marker(configuration, options)
        keys = Array(Set(configured.compactMap(\.key)))

        var files: [String] = []
        var kept = configured.filter { !Self.isKnown($0.type) }.map { store in
            UserRemoval.KeptStore(
                place: Self.place(of: store),
                reason:
                    "the content of the backend \(store.type?.rawValue ?? "without a type") is not in a file of SoupKit"
            )
        }
        if let store = context.file {
            files = [store.filePath]
        } else if ownFolder == nil {
            // Additional stores are in a folder beside this file, even if the main store has another path.
            files.append(context.path(configured: nil))
            if let main = configuration.storeFile(options) { files.append(main.filePath) }
            files += try stores.names(in: .user).map { try stores.file(of: $0, in: .user).filePath }
            let shared = configuration.sharedFiles(options)
            for store in configured where store.type == SQLiteStore.name {
                guard let path = store.path.map({ context.path(configured: $0) }) else { continue }
                guard !shared.contains(StoreContext.resolved(path)) else {
                    kept.append(
                        UserRemoval.KeptStore(
                            place: Self.place(of: store),
                            reason: "\(path) is also the file of a global store, which all users share"))
                    continue
                }
                files.append(path)
            }
            files.removeAll { shared.contains(StoreContext.resolved($0)) }
        }
        let own = ownFolder.map { $0 + "/" }
        self.files = Set(files.map { StoreContext.absolute($0) }).filter { file in
            own.map { !file.hasPrefix($0) } ?? true
        }
        .sorted()
        for link in ownFolder.map(RemovalFolder.links) ?? [] {
            kept.append(
                UserRemoval.KeptStore(
                    place: SoupError.Place(file: link),
                    reason: "it is a link, which is removed without the file or folder that it leads to"))
        }
        filesFolder =
            ownFolder == nil && context.file == nil ? stores.folder(of: .user).absoluteURL.filePath.withoutSlash : nil
        self.kept = kept
    }

    /// Returns the path of the folder that exists while a removal is not complete; it is no name of a user.
    ///
    /// - Throws: as ``init(_:_:)``, except the file system's error.
    static func marker(_ configuration: ConfigurationFolder, _ options: SoupClient.Options) throws -> String {
        let context = try configuration.storeContext(options)
        let path =
            options.user == nil
            ? StoreContext.absolute((configuration.storeFile(options)?.filePath ?? context.path(configured: nil)))
            : StoreContext.absolute(context.folder.filePath.withoutSlash)
        let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        return "\(path[..<slash])\(markerPrefix)\(path[slash...])"
    }

    /// The beginning of a marker's name; the rest is the name of the folder or the file.
    static let markerPrefix = ".removing-"

    private static func isKnown(_ type: PluginName?) -> Bool {
        [SQLiteStore.name, MemoryStore.name, RoutedStore.name, LayeredStore.name, MeteredStore.name].contains(type)
    }

    private static func place(of store: ConfiguredStore) -> SoupError.Place {
        SoupError.Place(
            file: StoreScope.user.storeFile, path: (["backend"] + store.place).joined(separator: "."))
    }
}

extension ConfigurationFolder {
    /// Returns the stores that the configuration of a scope names, the main store first.
    func configuredStores(_ scope: StoreScope) -> [ConfiguredStore] {
        let backend = self[scope].store?.backend ?? .standard
        return StoreReference(type: backend.type, configuration: backend.configuration).json.stores
    }

    /// Returns the files of the global stores, without links.
    fileprivate func sharedFiles(_ options: SoupClient.Options) -> Set<String> {
        var shared = options
        (shared.scope, shared.store, shared.user) = (.global, nil, nil)
        guard let context = try? storeContext(shared) else { return [] }
        let paths = configuredStores(.global).filter { $0.type == SQLiteStore.name }.map { $0.path }
        let stores = stores(shared)
        let named = ((try? stores.names(in: .global)) ?? []).compactMap {
            try? stores.file(of: $0, in: .global).filePath
        }
        return Set((paths.map { context.path(configured: $0) } + named).map(StoreContext.resolved))
    }
}

extension StoreContext {
    /// Returns an absolute path, without links if it exists.
    static func absolute(_ path: String) -> String {
        let url = URL(filePath: path, directoryHint: .notDirectory).absoluteURL
        // The last part can be a link to another folder, and the file can be missing.
        return url.deletingLastPathComponent().resolvingSymlinksInPath().appending(
            component: url.lastPathComponent, directoryHint: .notDirectory
        ).filePath
    }
}

extension StoreContext {
    /// Returns an absolute path without links, also if the last part is one.
    static func resolved(_ path: String) -> String {
        URL(filePath: path, directoryHint: .notDirectory).absoluteURL.resolvingSymlinksInPath().filePath
    }
}

extension String {
    var withoutSlash: String { count > 1 && hasSuffix("/") ? String(dropLast()) : self }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupKit
internal import SoupStore
internal import SoupSync
internal import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Stores in the files of a folder, opened when a call names them, with a shared session.
///
/// The store `defaultStore` of a scope has the soups and syncs of the configuration folder, if it has files for the
/// scope. Any other store is created empty, with the backend of the scope's configuration: if that encrypts the
/// content, it is encrypted, too.
///
/// ```swift
/// let stores = try StoreFolderStores(configuration: folder)
/// let bridge = JavaScriptBridge(stores, server: stores.server)
/// ```
public actor StoreFolderStores: BridgeStores {
    /// The server of the configuration, for the network service; nil if none is configured.
    public nonisolated let server: BridgeServer?

    private let configuration: ConfigurationFolder
    private let options: SoupClient.Options
    private let connection: SyncConnection
    private let folder: StoreFolder
    private var stores: [BridgeStoreName: BridgeStore] = [:]
    private var locks: [BridgeStoreName: AsyncSemaphore] = [:]

    /// Reads a configuration folder; no store is opened.
    ///
    /// - Parameters:
    ///   - configuration: the file URL of the folder with the configuration files.
    ///   - stores: the file URL of the folder of the stores; nil for that of the options, or the configuration folder.
    ///   - options: `scope` and `store` are not used. With a user, the stores that are not global are those of the
    ///     user.
    /// - Throws: `ConfigurationError` if `org.json` names a transport that cannot be created.
    public init(
        configuration: URL, stores: URL? = nil, options: SoupClient.Options = SoupClient.Options()
    ) throws {
        let files = ConfigurationFolder(
            reading: configuration, registry: options.registry, environment: options.environment)
        self.configuration = files
        // The paths of stores are relative to the folder, which must not be part of them again.
        folder = StoreFolder(
            at: URL(
                filePath: (stores ?? options.storeFolder ?? configuration).absoluteURL.path,
                directoryHint: .isDirectory),
            of: options.user)
        connection = try files.standardConnection(options)
        let hasServer = files.credentials != nil || options.transport != nil
        server =
            hasServer
            ? BridgeServer(
                transport: connection.transport, instanceURL: files.credentials.flatMap { URL(string: $0.instanceURL) })
            : nil
        var options = options
        options.transport = connection.transport
        // Without a user, relative paths of keys start at the configuration folder.
        if options.user != nil { options.storeFolder = folder.folder }
        self.options = options
    }

    /// Returns an open store, and opens or creates it first if necessary.
    ///
    /// - Throws: ``SoupError``: `badStoreName`; the errors of opening a store. `ConfigurationError`.
    public func open(_ name: BridgeStoreName) async throws -> BridgeStore {
        if let store = stores[name] { return store }
        return try await exclusively(name) {
            if let store = stores[name] { return store }
            let store = try await openFile(of: name)
            stores[name] = store
            return store
        }
    }

    private func openFile(of name: BridgeStoreName) async throws -> BridgeStore {
        let (scope, file) = (name.scope, try file(of: name))
        var options = options
        (options.scope, options.store) = (scope, file)
        if name.name == BridgeStoreName.standard, !configuration[scope].files.isEmpty {
            let kit = try await SoupClient.open(at: configuration.folder, options: options)
            return BridgeStore(store: kit.store, syncs: kit.syncs)
        }
        let store = SmartStore(try await configuration.openEmptyStore(options), clock: options.clock)
        return BridgeStore(
            store: store,
            syncs: try await SyncManager(
                store: store, registry: options.registry, connection: connection, clock: options.clock,
                settings: options.settings, logger: options.logger))
    }

    /// Returns the names of the stores of a scope that have a file, sorted.
    public func names(isGlobal: Bool) async throws -> [String] {
        try folder.names(in: isGlobal ? .global : .user)
    }

    /// Closes a store and removes its file and its key; the next call that names it creates it again.
    ///
    /// - Throws: ``SoupError``: `badStoreName`; `storeUnusable` if another process syncs the store; the errors of a key
    ///   provider. `ConfigurationError`.
    public func remove(_ name: BridgeStoreName) async throws {
        try await exclusively(name) {
            if let store = stores.removeValue(forKey: name) { try await store.close() }
            var options = options
            options.scope = name.scope
            _ = try await configuration.removeStore(at: try file(of: name), options)
        }
    }

    /// Stops all syncs and closes all stores.
    public func close() async throws {
        for name in Array(stores.keys) {
            try await exclusively(name) { try await stores.removeValue(forKey: name)?.close() }
        }
    }

    private func file(of name: BridgeStoreName) throws -> URL { try folder.file(of: name.name, in: name.scope) }

    /// Runs `body` while no other call opens or removes the same store.
    private func exclusively<T: Sendable>(_ name: BridgeStoreName, _ body: () async throws -> T) async throws -> T {
        let lock = locks[name] ?? AsyncSemaphore(permits: 1)
        locks[name] = lock
        try await lock.wait()
        defer { lock.signal() }
        return try await body()
    }
}

extension BridgeStoreName {
    var scope: StoreScope { isGlobal ? .global : .user }
}

extension BridgeStore {
    /// Stops the syncs and closes the store.
    func close() async throws {
        await syncs?.close()
        try await store.close()
    }
}

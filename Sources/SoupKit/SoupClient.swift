// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Logging
public import SoupSync
internal import SoupSalesforce
public import SoupStore
public import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A store and its syncs, set up from the files of a configuration folder.
///
/// ```swift
/// let kit = try await SoupClient.open(at: URL(filePath: "Config"))
/// let result = try await kit.syncs.reSync(named: "syncDownContacts").result
/// ```
///
/// A scope of a folder can be open several times, in one or more processes. Only one of them runs the syncs at a time;
/// for the others a run throws `syncAlreadyRunning`.
public struct SoupClient: Sendable {
    /// The store with the soups of the scope.
    public let store: SmartStore
    /// The sync manager that runs the syncs of the scope over ``store``; ``close()`` stops the syncs and closes both.
    public let syncs: SyncManager
    /// The configuration that was read from the files.
    public let configuration: ConfigurationFolder
    /// The registry that creates the targets of the syncs.
    public let registry: PluginRegistry
    /// Warnings about existing soups and syncs that differ from the files and were not changed, and about soups that
    /// the files do not name; each with its place and a hint.
    public let drift: [ConfigurationProblem]
    /// The options with which the client was opened.
    let options: Options

    /// Opens everything: reads and checks the files, opens the store, registers its soups and creates its syncs.
    ///
    /// Existing soups and syncs are not changed, even if the files differ; ``drift`` lists the differences. If the
    /// files contain an error, nothing is created. A missing index is the exception: the sync that needs it fails when
    /// it runs, with `indexNotDefined`, and the others work.
    ///
    /// - Parameters:
    ///   - folder: the file URL of the folder with the files; see ``ConfigurationFolder``. If it has no files,
    ///     ``Options/store`` is required.
    ///   - options: the scope, the connection to the server, and everything else that an app can choose.
    /// - Throws: ``ConfigurationError`` with all problems of the files; ``SoupError`` of the store.
    public static func open(at folder: URL, options: Options = Options()) async throws -> SoupClient {
        try await open(try configuration(at: folder, options), options: options)
    }

    /// Opens a configuration that was read and checked before; otherwise the same as ``open(at:options:)``.
    package static func open(_ configuration: ConfigurationFolder, options: Options) async throws -> SoupClient {
        let (scope, registry, clock) = (options.scope, options.registry, options.clock)
        let files = configuration[scope]
        let backend = try await configuration.openBackend(options)
        let store = try await configuration.openStore(scope, on: backend, clock: clock)
        let connections = try configuration.connections(options)
        let manager = try await SyncManager(
            backend: backend, registry: registry, connection: connections.standard, connections: connections.named,
            clock: clock, settings: configuration.settings(options.settings), logger: options.logger,
            observer: options.observer)
        let states = try await manager.setUp(files.syncs?.syncs ?? [])
        let drift = ConfigurationDrift(configuration: files)
        return SoupClient(
            store: store, syncs: manager, configuration: configuration, registry: registry,
            drift: try await drift.problems(of: store) + drift.surplus(of: store) + drift.problems(of: states),
            options: options)
    }

    /// Reads the files of a folder.
    ///
    /// - Throws: ``ConfigurationError`` with their problems, if one of them is an error.
    static func configuration(at folder: URL, _ options: Options) throws -> ConfigurationFolder {
        let configuration = ConfigurationFolder(
            reading: folder, registry: options.registry, environment: options.environment)
        try configuration.check(
            configuration[options.scope].problems + configuration.orgProblems, in: options.scope,
            allowingNone: options.store != nil, logger: options.logger)
        return configuration
    }

    /// Stops the syncs, waits until they have ended, and closes the store.
    ///
    /// The data stays; ``destroy(discardingUnsentChanges:)`` removes it.
    public func close() async throws {
        await syncs.close()
        try await store.close()
    }

    /// Opens only the store and registers its soups.
    ///
    /// It opens the store as ``open(at:options:)`` does. The files for syncs and the server are not read, and the
    /// options for them are not used. Sync runs in other processes are not affected.
    ///
    /// - Parameters:
    ///   - folder: the file URL of the folder with the files. If it has no files, ``Options/store`` is required.
    ///   - options: `scope`, `store`, `user`, `storeFolder`, `registry` and `clock` are used.
    ///   - registersSoups: whether missing soups of the configuration are registered; if false, the store is opened
    ///     without changes, to inspect or migrate it.
    /// - Throws: ``ConfigurationError`` with the problems of the store's file; ``SoupError`` of the store.
    public static func openStore(
        at folder: URL, options: Options = Options(), registersSoups: Bool = true
    ) async throws -> SmartStore {
        let (scope, registry, clock) = (options.scope, options.registry, options.clock)
        let configuration = ConfigurationFolder(reading: folder, registry: registry, environment: [:])
        try configuration.check(
            configuration[scope].storeProblems, in: scope, allowingNone: options.store != nil)
        let backend = try await configuration.openBackend(options)
        guard registersSoups else { return SmartStore(backend, clock: clock) }
        return try await configuration.openStore(scope, on: backend, clock: clock)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import Logging
public import MobileSync
public import SalesforceAPI
public import SmartStore
public import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A store and its syncs, set up from the files of a configuration folder.
///
/// ```swift
/// let kit = try await SoupKit.open(configuration: "Config")
/// let result = try await kit.syncs.reSync(named: "syncDownContacts").result()
/// ```
///
/// A scope of a folder can be open several times, in one process or more. One of them at a time runs the syncs; for the
/// others a run throws `syncAlreadyRunning`.
public struct SoupKit: Sendable {
    /// The soups of the scope, to read and to edit.
    public let store: SmartStore
    /// Runs the syncs of the scope over ``store``; ``close()`` stops them and closes both.
    public let syncs: SyncManager
    /// What was read from the files.
    public let configuration: ConfigurationFolder
    /// What the targets of the syncs are made by.
    public let registry: PluginRegistry
    /// Where the files say something else than soups and syncs that were there already and were left as they are, and
    /// which soups of the store they do not name: warnings, each with its place and its remedy.
    public let drift: [ConfigurationProblem]

    /// Opens everything: reads and checks the files, opens the store, registers its soups and creates its syncs.
    ///
    /// Soups and syncs that are there already are left as they are, even when the files say something else by now:
    /// ``drift`` tells where. Nothing is created when the files have an error, but for an index that is missing: then
    /// the sync that needs it fails when it runs, with `indexNotDefined`, and the others work.
    ///
    /// - Parameters:
    ///   - folder: holds the files; see ``ConfigurationFolder``. Without files a `path` must be given.
    ///   - scope: which pair of files.
    ///   - path: the store's file, whose folder is made when it is not there; nil for the one that the configuration
    ///     names, or one in the folder.
    ///   - registry: knows the targets and backends that the files name.
    ///   - transport: sends requests to the server, authorised; nil for a session with the credentials of the folder.
    ///     Without either every sync fails with a hint; the store works. A ``SessionTransport`` brings the version of
    ///     the API with its credentials; for any other transport `org.json` says it.
    ///   - network: sends the requests of a session with the credentials of the folder; nil for the transport that
    ///     `org.json` names under `"transport"`, or ``StandardTransport``. Not used with a `transport`.
    ///   - clock: the time for the store and the syncs.
    ///   - settings: how many syncs run at once, and how they wait.
    ///   - logger: hears of missing indexes, and what the syncs have to tell.
    ///   - environment: variables that win over `org.json`.
    ///   - renewed: gets the credentials when a session of the folder's was renewed, before anybody uses them, to keep
    ///     them: a server may have replaced the refresh token, and the old one is of no use then. A `transport` tells
    ///     in its own way.
    /// - Throws: ``ConfigurationError`` with all problems of the files; ``SoupError`` of the store.
    public static func open(
        configuration folder: String, scope: StoreScope = .user, store path: String? = nil,
        registry: PluginRegistry = .standard, transport: (any HTTPTransport)? = nil,
        network: (any HTTPTransport)? = nil, clock: any SoupClock = SystemClock(),
        settings: SyncSettings = SyncSettings(),
        logger: Logger = Logger(label: "soupkit.sync"),
        environment: [String: String] = ProcessInfo.processInfo.environment,
        renewed: @escaping @Sendable (SalesforceCredentials) async -> Void = { _ in }
    ) async throws -> SoupKit {
        let configuration = ConfigurationFolder(reading: folder, registry: registry, environment: environment)
        let files = configuration[scope]
        try configuration.check(
            files.problems + configuration.orgProblems, in: scope, allowingNone: path != nil, logger: logger)
        let backend = try await configuration.openBackend(scope, at: path, registry: registry, clock: clock)
        let store = try await configuration.openStore(scope, on: backend, clock: clock)
        let manager = try await SyncManager(
            backend: backend, registry: registry,
            connection: try configuration.connection(
                over: transport, network: network, registry: registry, clock: clock, renewed: renewed),
            clock: clock, settings: settings, logger: logger)
        let states = try await manager.setUp(files.syncs?.syncs ?? [])
        let drift = ConfigurationDrift(configuration: files)
        return SoupKit(
            store: store, syncs: manager, configuration: configuration, registry: registry,
            drift: try await drift.problems(of: store) + drift.surplus(of: store) + drift.problems(of: states))
    }

    /// Stops the syncs, waits until they have ended, and closes the store.
    public func close() async throws {
        await syncs.close()
        try await store.close()
    }

    /// Opens the store alone and registers its soups; as
    /// ``open(configuration:scope:store:registry:transport:network:clock:settings:logger:environment:renewed:)``.
    ///
    /// The files that name syncs and the server are not looked at, and runs that another process has under way are
    /// not touched.
    ///
    /// - Parameter registersSoups: whether soups of the configuration that are missing are registered; without it the
    ///   store is opened as it is, to look at it or to migrate it.
    public static func openStore(
        configuration folder: String, scope: StoreScope = .user, store path: String? = nil,
        registry: PluginRegistry = .standard, clock: any SoupClock = SystemClock(), registersSoups: Bool = true
    ) async throws -> SmartStore {
        let configuration = ConfigurationFolder(reading: folder, registry: registry, environment: [:])
        try configuration.check(configuration[scope].storeProblems, in: scope, allowingNone: path != nil)
        let backend = try await configuration.openBackend(scope, at: path, registry: registry, clock: clock)
        guard registersSoups else { return SmartStore(backend, clock: clock) }
        return try await configuration.openStore(scope, on: backend, clock: clock)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import Logging
public import SoupSync
public import SoupSalesforce
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
/// let kit = try await SoupClient.open(configuration: "Config")
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

    /// Opens everything: reads and checks the files, opens the store, registers its soups and creates its syncs.
    ///
    /// Existing soups and syncs are not changed, even if the files differ; ``drift`` lists the differences. If the
    /// files contain an error, nothing is created. A missing index is the exception: the sync that needs it fails when
    /// it runs, with `indexNotDefined`, and the others work.
    ///
    /// - Parameters:
    ///   - folder: contains the files; see ``ConfigurationFolder``. If it has no files, a `path` is required.
    ///   - scope: the scope, which selects the pair of files.
    ///   - path: the store's file, whose folder is created if it is missing; nil for the path that the configuration
    ///     names, or a file in the folder.
    ///   - registry: contains the targets and backends that the files name.
    ///   - transport: sends requests to the server, authorised; nil for a session with the credentials of the folder.
    ///     Without either every sync fails with a hint; the store works. A ``SessionTransport`` has the API version in
    ///     its credentials; for any other transport `org.json` defines the version.
    ///   - network: sends the requests of a session with the credentials of the folder; nil for the transport that
    ///     `org.json` names under `"transport"`, or ``StandardTransport``. Not used with a `transport`.
    ///   - clock: the time for the store and the syncs.
    ///   - settings: how many syncs run at once, and how they wait.
    ///   - logger: receives warnings about missing indexes, and the messages of the syncs.
    ///   - environment: variables that override `org.json`.
    ///   - renewed: receives the credentials after the folder's session was renewed and before they are used, so that
    ///     the app can save them: the server may have replaced the refresh token, and the old one is then invalid. A
    ///     `transport` reports renewals in its own way.
    /// - Throws: ``ConfigurationError`` with all problems of the files; ``SoupError`` of the store.
    public static func open(
        configuration folder: String, scope: StoreScope = .user, store path: String? = nil,
        registry: PluginRegistry = .standard, transport: (any HTTPTransport)? = nil,
        network: (any HTTPTransport)? = nil, clock: any SoupClock = SystemClock(),
        settings: SyncSettings = SyncSettings(),
        logger: Logger = Logger(label: "soupkit.sync"),
        environment: [String: String] = ProcessInfo.processInfo.environment,
        renewed: @escaping @Sendable (SalesforceCredentials) async -> Void = { _ in }
    ) async throws -> SoupClient {
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
        return SoupClient(
            store: store, syncs: manager, configuration: configuration, registry: registry,
            drift: try await drift.problems(of: store) + drift.surplus(of: store) + drift.problems(of: states))
    }

    /// Stops the syncs, waits until they have ended, and closes the store.
    public func close() async throws {
        await syncs.close()
        try await store.close()
    }

    /// Opens only the store and registers its soups.
    ///
    /// It opens the store as
    /// ``open(configuration:scope:store:registry:transport:network:clock:settings:logger:environment:renewed:)`` does.
    /// The files for syncs and the server are not read. Sync runs in other processes are not affected.
    ///
    /// - Parameter registersSoups: whether missing soups of the configuration are registered; if false, the store is
    ///   opened without changes, to inspect or migrate it.
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

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import Logging
public import SoupSync
public import SoupHTTP
public import SoupSalesforce
public import SoupCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SoupClient {
    /// The options for opening a configuration folder; every member has a default.
    ///
    /// ```swift
    /// let options = SoupClient.Options(scope: .global, logger: logger)
    /// let kit = try await SoupClient.open(at: URL(filePath: "Config"), options: options)
    /// ```
    public struct Options: Sendable {
        /// The scope, which selects the pair of files.
        public var scope: StoreScope
        /// The store's file, whose folder is created if it is missing; nil for the path that the configuration names,
        /// or a file in the configuration folder.
        ///
        /// If the configuration folder has no files, a file is required.
        public var store: URL?
        /// The user whose stores are opened; nil for the stores that belong to no user in particular.
        ///
        /// With a user, the store of the scope `user` and everything beside it is in the folder `users/<name>` of the
        /// ``storeFolder``, where no other user's data is: see ``StoreFolder``. The global store does not depend on it.
        /// It is never taken from a session, so that the paths of an app change only when the app sets it.
        public var user: StoreUser?
        /// The file URL of the folder with the stores, whose missing folders are created; nil for the configuration
        /// folder.
        ///
        /// An app whose configuration is part of its bundle names a folder that it can write.
        public var storeFolder: URL?
        /// The registry with the targets and backends that the files name.
        public var registry: PluginRegistry
        /// The transport that sends authorised requests to the server; nil for a session with the credentials of the
        /// folder.
        ///
        /// Without either every sync fails with a hint; the store works. A ``SessionTransport`` has the API version in
        /// its credentials; for any other transport `org.json` defines the version.
        public var transport: (any HTTPTransport)?
        /// The transport of a session with the credentials of the folder; nil for the transport that `org.json` names
        /// under `"transport"`, or ``StandardTransport``.
        ///
        /// Not used with a ``transport``.
        public var network: (any HTTPTransport)?
        /// A function that returns the store of the sessions if `org.json` names none under `"credentials"`; nil for no
        /// store.
        ///
        /// With a store, requests use the session of a logged-in user if `org.json` contains no token, and refresh
        /// tokens that a server replaces are saved.
        public var credentialStore: (@Sendable (ConfigurationFolder) -> any CredentialStore)?
        /// The clock of the store and of the syncs.
        public var clock: any SoupClock
        /// The number of concurrent syncs, their pauses, and other settings of the engine.
        public var settings: SyncSettings
        /// The logger for warnings about missing indexes, and for the messages of the syncs.
        public var logger: Logger
        /// The observer that measures the work of the syncs, for metrics and traces; nil for none.
        public var observer: (any SyncObserver)?
        /// The environment variables that override `org.json`.
        public var environment: [String: String]
        /// A function that receives the credentials after the folder's session was renewed and before they are used.
        ///
        /// The app can save them: the server may have replaced the refresh token, and the old one is then invalid.
        ///
        /// A ``transport`` reports renewals in its own way.
        public var renewed: @Sendable (SalesforceCredentials) async -> Void
        /// A function that receives the name of a connection, and its grant after the server has replaced the refresh
        /// token.
        ///
        /// The app can save the token: the old one is then invalid.
        public var connectionRenewed: @Sendable (_ name: String, _ grant: OAuthGrant) async -> Void

        /// Creates options; omitted ones have their defaults.
        public init(
            scope: StoreScope = .user, store: URL? = nil, user: StoreUser? = nil, storeFolder: URL? = nil,
            registry: PluginRegistry = .standard,
            transport: (any HTTPTransport)? = nil, network: (any HTTPTransport)? = nil,
            credentialStore: (@Sendable (ConfigurationFolder) -> any CredentialStore)? = nil,
            clock: any SoupClock = SystemClock(), settings: SyncSettings = SyncSettings(),
            logger: Logger = Logger(label: "soupkit.sync"), observer: (any SyncObserver)? = nil,
            environment: [String: String] = ProcessInfo.processInfo.environment,
            renewed: @escaping @Sendable (SalesforceCredentials) async -> Void = { _ in },
            connectionRenewed: @escaping @Sendable (_ name: String, _ grant: OAuthGrant) async -> Void = { _, _ in }
        ) {
            self.scope = scope
            self.store = store
            self.user = user
            self.storeFolder = storeFolder
            self.registry = registry
            self.transport = transport
            self.network = network
            self.credentialStore = credentialStore
            self.clock = clock
            self.settings = settings
            self.logger = logger
            self.observer = observer
            self.environment = environment
            self.renewed = renewed
            self.connectionRenewed = connectionRenewed
        }
    }
}

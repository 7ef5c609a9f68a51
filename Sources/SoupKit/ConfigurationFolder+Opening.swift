// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialStores
internal import HTTPTypes
internal import Logging
package import SoupSync
internal import SoupHTTP
package import SoupSalesforce
internal import SoupStore
internal import ComposedStores
package import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension ConfigurationFolder {
    /// Throws if a problem prevents the use of the configuration.
    ///
    /// A missing index does not. The sync that needs it reports the error when it runs, unless the store has the index
    /// from another version of the file.
    ///
    /// - Parameter allowingNone: whether a folder without files of the scope is accepted.
    /// - Throws: ``ConfigurationError`` if the problems contain any other error.
    func check(
        _ problems: [ConfigurationProblem], in scope: StoreScope, allowingNone: Bool, logger: Logger? = nil
    ) throws {
        var missing = folderProblems
        if missing.isEmpty && self[scope].files.isEmpty {
            missing = [
                ConfigurationProblem(
                    at: SoupError.Place(file: path),
                    "the folder contains neither \(scope.storeFile) nor \(scope.syncsFile)",
                    hint: "Add one of them; the folder contains \(files.joined(separator: ", ")).")
            ]
        }
        let all = (allowingNone ? [] : missing) + problems
        let errors = all.filter { $0.severity == .error }
        guard errors.allSatisfy({ $0.code == .indexNotDefined }) else { throw ConfigurationError(errors) }
        for error in errors { logger?.warning("\(error)") }
    }

    /// Throws if the files of a scope cannot be used; `org.json` is not checked, and need not exist.
    ///
    /// - Throws: ``ConfigurationError``.
    package func checkForTesting(_ scope: StoreScope) throws {
        let problems = self[scope].problems.filter { $0.code != .connectionNotDefined }
        try check(problems, in: scope, allowingNone: false)
    }

    /// Opens the backend that the store configuration of a scope chooses, and completes an interrupted removal of the
    /// user's stores first.
    ///
    /// - Parameter options: `scope`, `store`, `user`, `storeFolder`, `registry` and `clock` are used. If they choose
    ///   the file or its folder, missing folders are created.
    func openBackend(_ options: SoupClient.Options) async throws -> any StoreBackend {
        let registry = options.registry
        let chosen = self[options.scope].store?.backend ?? .standard
        var context = try storeContext(options)
        try await StoreRemoval.completeInterrupted(self, options)
        try makeStoreFolders(options, in: context)
        var problems: [ConfigurationProblem] = []
        let open = registry.backend(
            chosen.type, configuration: chosen.configuration, at: [.key("backend")], context: context,
            problems: &problems)
        guard let open else { throw ConfigurationError(problems) }
        let backend = try await open()
        do {
            context.registry = registry
            if chosen.configuration.hasOneStore { try await FormerStores(in: context).check() }
        } catch {
            try? await backend.close()
            throw error
        }
        return backend
    }

    /// Registers the missing soups of a scope, all or none.
    func openStore(_ scope: StoreScope, on backend: any StoreBackend, clock: any SoupClock) async throws -> SmartStore {
        let store = SmartStore(backend, clock: clock)
        let soups = self[scope].store?.soups ?? []
        // A read-only store is opened without changes.
        if !soups.isEmpty, !backend.capabilities.contains(.readOnly) {
            try await store.setUp(soups: soups.map { ($0.name, $0.indexes) })
        }
        return store
    }

    /// Returns the connection to the server: the given transport, or a session with the folder's credentials.
    ///
    /// - Parameter network: sends the requests of the session; nil for the transport that `org.json` names, or the
    ///   standard transport.
    /// - Parameter sessions: the saved sessions; nil for none.
    /// - Throws: ``ConfigurationError`` if the transport of `org.json` cannot be created.
    package func connection(
        over transport: (any HTTPTransport)?, network: (any HTTPTransport)? = nil,
        sessions: OrgSessions? = nil, registry: PluginRegistry, clock: any SoupClock,
        renewed: @escaping @Sendable (SalesforceCredentials) async -> Void
    ) throws -> SyncConnection {
        let apiPath = credentials?.apiPath ?? SalesforceCredentials.defaultAPIPath
        if let session = transport as? SessionTransport {
            return SyncConnection(transport: session, basePath: session.apiPath)
        }
        if let transport {
            return SyncConnection(transport: transport, basePath: apiPath, transportName: transport.pluginName)
        }
        let network = try network ?? makeTransport(registry)
        guard let credentials else {
            return SyncConnection(
                transport: NoServer(network: network), basePath: apiPath, transportName: network.pluginName)
        }
        let session = SessionTransport(
            over: network, credentials: credentials, keepingIn: sessions, clock: clock, renewed: renewed)
        // The errors of a transport can contain the URL of its proxy.
        session.secretMask?.add(self.transport?.proxySecrets ?? [])
        return SyncConnection(transport: session, basePath: apiPath, transportName: network.pluginName)
    }

    /// Returns the connection to the org and those of `org.json`.
    ///
    /// - Throws: ``ConfigurationError`` if the transport of `org.json` cannot be created.
    func connections(
        _ options: SoupClient.Options
    ) throws -> (standard: SyncConnection, named: [String: SyncConnection]) {
        (try standardConnection(options), try namedConnections(options))
    }

    /// Returns the connection to the org: the transport of the options, or a session with the credentials of the folder
    /// or of a login.
    ///
    /// With a user, only the session of a login of this user is used; the tokens and the password of the folder and of
    /// the environment are not.
    ///
    /// - Throws: ``ConfigurationError`` if the transport or the credential store of `org.json` cannot be created.
    package func standardConnection(_ options: SoupClient.Options) throws -> SyncConnection {
        var store = try options.transport == nil ? sessionStore(options) : nil
        // Without a store no user is logged in. The tokens of the configuration can be those of another user.
        if store == nil, options.user != nil { store = MemoryCredentialStore() }
        let sessions = store.map { OrgSessions(in: $0, of: options.user?.account, report: storeReport(options.logger)) }
        return try connection(
            over: options.transport, network: options.network, sessions: sessions, registry: options.registry,
            clock: options.clock, renewed: options.renewed)
    }

    /// Returns the connections of `org.json`, by name, over the transport of the options or of the file.
    ///
    /// - Throws: ``ConfigurationError`` if the transport of `org.json` cannot be created.
    func namedConnections(_ options: SoupClient.Options) throws -> [String: SyncConnection] {
        guard !connections.isEmpty else { return [:] }
        let network = try options.network ?? makeTransport(options.registry)
        let store = try sessionStore(options)
        return try connections.reduce(into: [:]) { all, connection in
            let (name, server) = connection
            let transport = try ConnectionTransport(
                over: network, to: server,
                keeping: store.map {
                    ConnectionSessions(
                        of: name, owner: server.needsLogin ? options.user?.folderName : nil, in: $0,
                        report: storeReport(options.logger))
                },
                clock: options.clock,
                renewed: { await options.connectionRenewed(name, $0) })
            // The errors of a transport can contain the URL of its proxy.
            transport.secretMask?.add(self.transport?.proxySecrets ?? [])
            all[name] = SyncConnection(
                transport: transport, basePath: server.basePath, transportName: network.pluginName)
        }
    }

    /// Creates the transport that `org.json` names, or the standard transport.
    ///
    /// - Throws: ``ConfigurationError`` if the registry cannot create it.
    package func makeTransport(_ registry: PluginRegistry) throws -> any HTTPTransport {
        guard let transport else { return StandardTransport.make() }
        var problems: [ConfigurationProblem] = []
        guard let made = registry.transport(transport, at: [.key("transport")], in: path, problems: &problems) else {
            throw ConfigurationError(problems)
        }
        return made
    }
}

extension JSONValue {
    /// Whether the `backend` of a store configuration has no additional stores in files of their own.
    fileprivate var hasOneStore: Bool {
        if let elements = arrayValue { return elements.allSatisfy(\.hasOneStore) }
        return (objectValue?.members ?? []).allSatisfy { member in
            guard member.key == "type", let type = member.value.stringValue else { return member.value.hasOneStore }
            return ["sqlite", "memory", "layered", "metered"].contains(type)
        }
    }
}

extension HTTPTransport {
    /// The name that configurations use for the transport; nil if it is no plug-in.
    fileprivate var pluginName: PluginName? { (self as? any SyncPlugin).map { type(of: $0).name } }
}

/// The transport that is used if no server is configured: it sends only requests that name their server.
struct NoServer: HTTPTransport {
    let network: any HTTPTransport

    func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
        guard request.authority == nil else { return try await network.send(request, body: body) }
        throw Self.error
    }

    /// The error of a request to the server of a configuration without one.
    static var error: SoupError {
        SoupError(
            .badConfiguration, "no server is configured",
            hint: "Create \(ConfigurationFolder.orgFile) with \"instanceUrl\" and \"accessToken\", or set "
                + "\(ConfigurationFolder.instanceVariable) and \(ConfigurationFolder.tokenVariable).")
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The plug-ins of a program, by the names that configuration files use.
///
/// It is a value: create it once, from modules or type by type, and pass it on.
///
/// ```swift
/// var registry = try PluginRegistry(PluginRegistry.standardModules)
/// try registry.register(down: WeatherTarget.self)
/// ```
public struct PluginRegistry: Sendable {
    var downTargets = PluginTable<any SyncDownTarget>(kind: "sync-down target")
    var upTargets = PluginTable<any SyncUpTarget>(kind: "sync-up target")
    var resolvers = PluginTable<any ConflictResolver>(kind: "conflict resolver")
    var transformTypes = PluginTable<any RecordTransform>(kind: "record transform")
    var transportTypes = PluginTable<any HTTPTransport>(kind: "transport")
    var keyProviderTypes = PluginTable<any KeyProvider>(kind: "key provider")
    /// The provider whose secret all files get, whatever provider a configuration names; nil in an app.
    package var commonKeyProvider: (any KeyProvider)?
    var credentialStoreTypes = PluginTable<any CredentialStore>(kind: "credential store")
    var backends: [PluginName: BackendEntry] = [:]

    /// The name of the sync-up target for a target object without `type` and class; nil if no target was registered as
    /// the default, which makes such an object a problem.
    public private(set) var defaultUpTarget: PluginName?

    /// Names of existing plug-ins, registered here or not: an error about one of them suggests no similar name.
    ///
    /// The case of letters is ignored; a registered name that differs only in case is still suggested. Example: the
    /// name of a sync-down target in a sync up is not a misspelling of a sync-up target.
    public var knownNames: Set<PluginName> = []

    struct BackendEntry: Sendable {
        /// Nil for a backend that was registered with a function.
        var type: ObjectIdentifier?
        var typeName: String
        /// The type that the options are decoded to; nil for a backend that was registered with a function.
        var configuration: (any (Decodable & Sendable).Type)?
        var open: @Sendable (JSONValue, [ConfigurationStep], StoreContext, inout [ConfigurationProblem]) -> OpenBackend?
    }

    /// A function that opens the store of a decoded configuration.
    ///
    /// It throws the errors of ``StoreBackend/open(_:in:)``.
    public typealias OpenBackend = @Sendable () async throws -> any StoreBackend

    /// Creates an empty registry; `PluginRegistry.standard` contains the plug-ins of SoupKit.
    public init() {}

    /// Creates a registry with the plug-ins of modules.
    ///
    /// - Throws: as ``register(module:)``.
    public init(_ modules: [any PluginModule]) throws {
        for module in modules { try register(module: module) }
    }

    /// Registers the plug-ins of a module, all or none.
    ///
    /// - Throws: ``SoupError`` with `registry` if two types have the same name, which names both, or if the module was
    ///   written for a version of the interface that SoupKit does not support; the errors of the module.
    public mutating func register(module: any PluginModule) throws {
        let supported = PluginInterface.supportedVersions
        guard supported.contains(module.interfaceVersion) else {
            let isOlder = module.interfaceVersion < supported.lowerBound
            throw SoupError(
                .registry,
                "the module \(type(of: module)) was written for version \(module.interfaceVersion) of the plug-in "
                    + "interface; this SoupKit supports \(Self.text(of: supported))",
                hint: isOlder
                    ? "Use a newer version of the module." : "Use a newer version of SoupKit, or an older module.")
        }
        var registry = self
        try module.register(in: &registry)
        self = registry
    }

    private static func text(of versions: ClosedRange<Int>) -> String {
        versions.count == 1
            ? "version \(versions.lowerBound)" : "versions \(versions.lowerBound) to \(versions.upperBound)"
    }

    /// Registers a sync-down target under its name and aliases.
    ///
    /// - Throws: ``SoupError`` with `registry` if another type has one of the names. Registering a type twice is not an
    ///   error.
    public mutating func register<Target: SyncDownTarget>(down type: Target.Type) throws {
        try downTargets.register(type) { configuration, path, folder, problems in
            Self.make(Target.self, from: configuration, at: path, in: folder, problems: &problems)
        }
    }

    /// Registers a sync-up target under its name and aliases; as ``register(down:)``.
    ///
    /// - Parameter isDefault: whether it becomes the ``defaultUpTarget``. If another target is the default already,
    ///   that is an error, too.
    public mutating func register<Target: SyncUpTarget>(up type: Target.Type, isDefault: Bool = false) throws {
        if isDefault, let defaultUpTarget, defaultUpTarget != Target.name {
            throw SoupError(
                .registry, "\(defaultUpTarget) and \(Target.name) both claim to be the default sync-up target",
                hint: "Register only one of them with isDefault.")
        }
        try upTargets.register(type) { configuration, path, folder, problems in
            Self.make(Target.self, from: configuration, at: path, in: folder, problems: &problems)
        }
        if isDefault { defaultUpTarget = Target.name }
    }

    /// Registers a conflict resolver under its name and aliases; as ``register(down:)``.
    public mutating func register<Resolver: ConflictResolver>(resolver type: Resolver.Type) throws {
        try resolvers.register(type) { configuration, path, folder, problems in
            Self.make(Resolver.self, from: configuration, at: path, in: folder, problems: &problems)
        }
    }

    /// Registers a record transform under its name and aliases; as ``register(down:)``.
    public mutating func register<Transform: RecordTransform>(transform type: Transform.Type) throws {
        try transformTypes.register(type) { configuration, path, folder, problems in
            Self.make(Transform.self, from: configuration, at: path, in: folder, problems: &problems)
        }
    }

    /// Registers a transport under its name and aliases, so that `org.json` can name it; as ``register(down:)``.
    ///
    /// Its configuration is the value of `"transport"`.
    public mutating func register<Transport: HTTPTransport & SyncPlugin>(transport type: Transport.Type) throws {
        try transportTypes.register(type) { configuration, path, folder, problems in
            Self.make(Transport.self, from: configuration, at: path, in: folder, problems: &problems)
        }
    }

    /// Registers a provider of keys under its name and aliases; as ``register(down:)``.
    public mutating func register<Provider: KeyProvider>(keyProvider type: Provider.Type) throws {
        try keyProviderTypes.register(type) { configuration, path, folder, problems in
            Self.make(Provider.self, from: configuration, at: path, in: folder, problems: &problems)
        }
    }

    /// Registers a store backend under its name; as ``register(down:)``.
    public mutating func register<Backend: StoreBackend>(store type: Backend.Type) throws {
        let typeName = String(reflecting: type)
        if let taken = backends[Backend.name], taken.type != ObjectIdentifier(type) {
            throw SoupError(
                .registry, "\(taken.typeName) and \(typeName) both claim the store backend name \"\(Backend.name)\"",
                hint: "Rename one of them, or register only one.")
        }
        backends[Backend.name] = BackendEntry(
            type: ObjectIdentifier(type), typeName: typeName, configuration: Backend.Configuration.self
        ) { json, path, context, problems in
            guard
                let configuration = ConfigurationDecoder.attempt(
                    Backend.Configuration.self, from: json, at: path, warnsOfAllUnread: true,
                    registry: context.registry, soups: context.soups, readElsewhere: DecodingReport.pluginKeys,
                    problems: &problems
                ).value
            else { return nil }
            return { try await Backend.open(configuration, in: context) }
        }
    }

    /// Registers a store backend that `open` opens, such as a store that the program has already constructed.
    ///
    /// ```swift
    /// let store = MemoryStore()
    /// try registry.register(store: "drafts") { _, _ in store }
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name in store configurations.
    ///   - open: opens or returns the store. It gets the `backend` object, which is not checked before, and the
    ///     context. If it returns the same store twice, closing one closes the other.
    /// - Throws: ``SoupError`` with `registry` if another backend has the name.
    public mutating func register(
        store name: PluginName,
        opening open: @escaping @Sendable (JSONValue, StoreContext) async throws -> any StoreBackend
    ) throws {
        let typeName = "the function registered as \"\(name)\""
        if let taken = backends[name] {
            throw SoupError(
                .registry, "\(taken.typeName) and \(typeName) both claim the store backend name \"\(name)\"",
                hint: "Rename one of them, or register only one.")
        }
        backends[name] = BackendEntry(typeName: typeName) { json, _, context, _ in
            { try await open(json, context) }
        }
    }

    static func make<Plugin: SyncPlugin>(
        _ type: Plugin.Type, from json: JSONValue, at path: [ConfigurationStep], in folder: String?,
        problems: inout [ConfigurationProblem]
    ) -> Plugin? {
        let known = problems.count
        let read = ConfigurationDecoder.attempt(
            Plugin.Configuration.self, from: json, at: path, warnsOfAllUnread: true, in: folder,
            readElsewhere: DecodingReport.pluginKeys, problems: &problems)
        guard let configuration = read.value ?? read.draft else { return nil }
        do {
            let plugin = try Plugin(configuration: configuration)
            return read.value == nil ? nil : plugin
        } catch {
            // For a draft, the plug-in also reports faults that a placeholder causes; these are dropped if the place
            // has a problem.
            let decoding = problems[known...].filter { $0.severity == .error }
            problems += ConfigurationProblem.all(in: error, at: path).filter { problem in
                !decoding.contains { $0.overlaps(problem) }
            }
            return nil
        }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The description of a registered plug-in.
public struct PluginDescription: Sendable, Hashable {
    /// The kind of a plug-in; `soup targets` prints the raw value.
    public enum Kind: String, Sendable, Hashable {
        /// A ``SyncDownTarget``.
        case down
        /// A ``SyncUpTarget``.
        case up
        /// A ``StoreBackend``.
        case store
        /// A ``ConflictResolver``.
        case resolver
        /// A ``RecordTransform``.
        case transform
        /// An ``HTTPTransport``.
        case transport
        /// A ``KeyProvider``.
        case keyProvider
        /// A ``CredentialStore``.
        case credentialStore
    }

    /// The kind of its registration; a type registered for both directions has two descriptions.
    public var kind: Kind
    /// The name to write as `type`.
    public var name: PluginName
    /// Other names of the plug-in, in the order of the type; none for store backends.
    public var aliases: [PluginName]
    /// The Swift type, with its module.
    public var typeName: String
    /// A working target object.
    public var sample: JSONText?
}

extension PluginRegistry {
    /// All sync targets, sync downs first, sorted by name.
    public var targets: [PluginDescription] { Self.list(downTargets, .down) + Self.list(upTargets, .up) }

    /// All conflict resolvers, sorted by name.
    public var conflictResolvers: [PluginDescription] { Self.list(resolvers, .resolver) }

    /// All record transforms, sorted by name.
    public var recordTransforms: [PluginDescription] { Self.list(transformTypes, .transform) }

    /// All transports, sorted by name.
    public var transports: [PluginDescription] { Self.list(transportTypes, .transport) }

    /// All key providers, sorted by name.
    public var keyProviders: [PluginDescription] { Self.list(keyProviderTypes, .keyProvider) }

    static func list<Plugin>(
        _ table: PluginTable<Plugin>, _ kind: PluginDescription.Kind
    ) -> [PluginDescription] {
        table.entries.map {
            PluginDescription(kind: kind, name: $0.name, aliases: $0.aliases, typeName: $0.typeName, sample: $0.sample)
        }.sorted { $0.name < $1.name }
    }

    /// All store backends, sorted by name.
    public var storeBackends: [PluginDescription] {
        backends.sorted { $0.key < $1.key }.map {
            PluginDescription(kind: .store, name: $0.key, aliases: [], typeName: $0.value.typeName)
        }
    }
}

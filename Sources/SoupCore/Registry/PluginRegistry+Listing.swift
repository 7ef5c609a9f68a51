// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// What is known of a registered plug-in.
public struct PluginDescription: Sendable, Hashable {
    /// What a plug-in can be; the raw value is what `soup targets` prints.
    public enum Kind: String, Sendable, Hashable {
        /// A ``SyncDownTarget``.
        case down
        /// A ``SyncUpTarget``.
        case up
        /// A ``StoreBackend``.
        case store
        /// A ``ConflictResolver``.
        case resolver
        /// An ``HTTPTransport``.
        case transport
    }

    /// What it was registered as; a type registered for both directions is described twice.
    public var kind: Kind
    /// The name to write as `type`.
    public var name: PluginName
    /// Other names for the same, in the order of the type; none for store backends.
    public var aliases: [PluginName]
    /// The Swift type, with its module.
    public var typeName: String
    /// A target object that works.
    public var sample: JSONText?
}

extension PluginRegistry {
    /// All sync targets, sync downs first, sorted by name.
    public var targets: [PluginDescription] { Self.list(downTargets, .down) + Self.list(upTargets, .up) }

    /// All conflict resolvers, sorted by name.
    public var conflictResolvers: [PluginDescription] { Self.list(resolvers, .resolver) }

    /// All transports, sorted by name.
    public var transports: [PluginDescription] { Self.list(transportTypes, .transport) }

    private static func list<Plugin>(
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

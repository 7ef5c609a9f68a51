// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// What is known of a registered plug-in.
public struct PluginDescription: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable {
        case down
        case up
        case store
    }

    public var kind: Kind
    public var name: PluginName
    public var aliases: [PluginName]
    /// The Swift type, with its module.
    public var typeName: String
    /// A target object that works.
    public var sample: JSONText?
}

extension PluginRegistry {
    /// All sync targets, sync downs first, sorted by name.
    public var targets: [PluginDescription] {
        func list<Plugin>(_ table: PluginTable<Plugin>, _ kind: PluginDescription.Kind) -> [PluginDescription] {
            table.entries.map {
                PluginDescription(
                    kind: kind, name: $0.name, aliases: $0.aliases, typeName: $0.typeName, sample: $0.sample)
            }.sorted { $0.name < $1.name }
        }
        return list(downTargets, .down) + list(upTargets, .up)
    }

    /// All store backends, sorted by name.
    public var storeBackends: [PluginDescription] {
        backends.sorted { $0.key < $1.key }.map {
            PluginDescription(kind: .store, name: $0.key, aliases: [], typeName: $0.value.typeName)
        }
    }
}

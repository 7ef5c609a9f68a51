// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit

/// The parts of a configuration that test files name.
struct TestedConfiguration: Sendable {
    /// The syncs by their names.
    var syncs: [String: SyncDefinition] = [:]
    /// The soups, with the requirements for their records.
    var soups: [SoupName: RecordConventions] = [:]

    init() {}

    init(_ configuration: ScopeConfiguration, registry: PluginRegistry) {
        let definitions = configuration.syncs ?? SyncsConfig()
        for sync in definitions.syncs {
            if let name = sync.name { syncs[name] = sync }
        }
        for soup in configuration.store?.soups ?? [] {
            soups[soup.name] = RecordConventions(of: soup.name, in: definitions, registry: registry)
        }
    }
}

#endif

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import MRUTargets
internal import ParentChildrenTargets
internal import SOQLTargets
internal import SObjectTargets
internal import SQLiteStore
public import SoupCore

extension PluginRegistry {
    /// The plug-ins that come with SoupKit, to build a registry of them and your own.
    public static let standardModules: [any PluginModule] = [
        SOQLTargetsModule(), MRUTargetsModule(), ParentChildrenTargetsModule(), SObjectTargetsModule(), SQLiteModule(),
    ]

    /// The plug-ins that come with SoupKit.
    ///
    /// A module that claims a taken name would be left out; that none does is tested.
    public static let standard: PluginRegistry = standardModules.reduce(into: PluginRegistry()) { registry, module in
        try? module.register(in: &registry)
    }
}

/// The store backend that is used when a configuration does not choose one.
private struct SQLiteModule: PluginModule {
    func register(in registry: inout PluginRegistry) throws { try registry.register(store: SQLiteStore.self) }
}

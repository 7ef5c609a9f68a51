// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The module of the targets that push records of any object: in collections (the default), in composite batches, or
/// one by one.
public struct SObjectTargetsModule: PluginModule {
    /// The version of the plug-in interface that the module was written for.
    public let interfaceVersion = 1

    /// Creates the module, which is part of `PluginRegistry.standard`.
    public init() {}

    /// Registers the sync-up targets `rest`, the default, `batch` and `single`.
    ///
    /// - Throws: ``SoupError`` with `registry`, which names both types, if a name is already registered.
    public func register(in registry: inout PluginRegistry) throws {
        try registry.register(up: CollectionSyncUpTarget.self, isDefault: true)
        try registry.register(up: BatchSyncUpTarget.self)
        try registry.register(up: SingleSyncUpTarget.self)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The targets that push records of any object: in collections (the default), in composite batches, or one by one.
public struct SObjectTargetsModule: PluginModule {
    /// Makes the module, which is part of `PluginRegistry.standard`.
    public init() {}

    /// Adds the sync-up targets `rest`, `batch` and `single`.
    ///
    /// - Throws: ``SoupError`` with `registry`, naming both types that claim a name.
    public func register(in registry: inout PluginRegistry) throws {
        try registry.register(up: CollectionSyncUpTarget.self)
        try registry.register(up: BatchSyncUpTarget.self)
        try registry.register(up: SingleSyncUpTarget.self)
    }
}

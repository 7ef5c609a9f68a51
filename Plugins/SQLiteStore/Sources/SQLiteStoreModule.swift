// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// Registers the store backend `sqlite`.
public struct SQLiteStoreModule: PluginModule {
    public init() {}

    public func register(in registry: inout PluginRegistry) throws { try registry.register(store: SQLiteStore.self) }
}

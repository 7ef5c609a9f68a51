// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// Registers the store backend `sqlite`.
public struct SQLiteStoreModule: PluginModule {
    /// Nothing is opened by making the module: a store opens when a configuration names it.
    public init() {}

    /// Adds the store backend `sqlite`.
    ///
    /// - Throws: ``SoupError`` with `registry` when another backend has that name.
    public func register(in registry: inout PluginRegistry) throws { try registry.register(store: SQLiteStore.self) }
}

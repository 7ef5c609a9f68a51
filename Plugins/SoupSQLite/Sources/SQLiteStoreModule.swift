// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The module that registers the store backend `sqlite`.
public struct SQLiteStoreModule: PluginModule {
    /// The version of the plug-in interface that the module was written for.
    public let interfaceVersion = 1

    /// Creates the module; a store is opened only when a configuration names it.
    public init() {}

    /// Registers the store backend `sqlite`.
    ///
    /// - Throws: ``SoupError`` with `registry` if another backend has that name.
    public func register(in registry: inout PluginRegistry) throws { try registry.register(store: SQLiteStore.self) }
}

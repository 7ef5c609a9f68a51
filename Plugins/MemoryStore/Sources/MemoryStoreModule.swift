// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// Registers the store backend `memory`.
public struct MemoryStoreModule: PluginModule {
    /// Makes no store: one comes to be when a configuration that names it is opened.
    public init() {}

    /// Adds the store backend `memory`.
    ///
    /// - Throws: ``SoupError`` with `registry` when another backend has that name.
    public func register(in registry: inout PluginRegistry) throws { try registry.register(store: MemoryStore.self) }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// Registers the conflict resolvers `local`, `remote` and `newest`.
public struct ConflictResolversModule: PluginModule {
    /// Makes the module, which is part of `PluginRegistry.standard`.
    public init() {}

    /// Adds the three resolvers.
    ///
    /// - Throws: ``SoupError`` with `registry` when another resolver has one of the names.
    public func register(in registry: inout PluginRegistry) throws {
        try registry.register(resolver: LocalResolver.self)
        try registry.register(resolver: RemoteResolver.self)
        try registry.register(resolver: NewestResolver.self)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The module that registers the conflict resolvers `local`, `remote` and `newest`.
public struct ConflictResolversModule: PluginModule {
    /// The version of the plug-in interface that the module was written for.
    public let interfaceVersion = 1

    /// Creates the module, which is part of `PluginRegistry.standard`.
    public init() {}

    /// Registers the three resolvers.
    ///
    /// - Throws: ``SoupError`` with `registry` if another resolver has one of the names.
    public func register(in registry: inout PluginRegistry) throws {
        try registry.register(resolver: LocalResolver.self)
        try registry.register(resolver: RemoteResolver.self)
        try registry.register(resolver: NewestResolver.self)
    }
}

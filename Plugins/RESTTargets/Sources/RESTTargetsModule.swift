// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The module of the targets for services with JSON over HTTP.
public struct RESTTargetsModule: PluginModule {
    /// The version of the plug-in interface that the module was written for.
    public let interfaceVersion = 1

    /// A module without options, for `PluginRegistry([RESTTargetsModule()])`.
    public init() {}

    /// Registers the sync-down target and the sync-up target `http`.
    ///
    /// - Throws: ``SoupError`` with `registry` if another type has the name.
    public func register(in registry: inout PluginRegistry) throws {
        try registry.register(down: HTTPSyncDownTarget.self)
        try registry.register(up: HTTPSyncUpTarget.self)
    }
}

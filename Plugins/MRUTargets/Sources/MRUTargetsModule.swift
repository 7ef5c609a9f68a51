// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The module of the sync-down target that fetches the records that the user viewed most recently.
public struct MRUTargetsModule: PluginModule {
    /// The version of the plug-in interface that the module was written for.
    public let interfaceVersion = 1

    /// A module without options, for `PluginRegistry([MRUTargetsModule()])`.
    public init() {}

    /// Registers the sync-down target `mru`.
    ///
    /// - Throws: ``SoupError`` with `registry` if another type has the name or one of its aliases.
    public func register(in registry: inout PluginRegistry) throws {
        try registry.register(down: MRUSyncDownTarget.self)
    }
}

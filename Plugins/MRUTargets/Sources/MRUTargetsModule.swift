// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The sync-down target that brings the records that the user looked at last.
public struct MRUTargetsModule: PluginModule {
    /// A module without options, for `PluginRegistry([MRUTargetsModule()])`.
    public init() {}

    /// Adds the sync-down target `mru`.
    ///
    /// - Throws: ``SoupError`` with `registry` when another type has the name or one of its aliases.
    public func register(in registry: inout PluginRegistry) throws {
        try registry.register(down: MRUSyncDownTarget.self)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The sync-down target that brings the records of the user's briefcase.
public struct BriefcaseTargetsModule: PluginModule {
    /// A module without options, for `PluginRegistry([BriefcaseTargetsModule()])`.
    public init() {}

    /// Adds the sync-down target `briefcase`.
    ///
    /// - Throws: ``SoupError`` with `registry` when another type has the name or one of its aliases.
    public func register(in registry: inout PluginRegistry) throws {
        try registry.register(down: BriefcaseSyncDownTarget.self)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The targets that sync parents together with their children, each in a soup of its own.
public struct ParentChildrenTargetsModule: PluginModule {
    /// A module that takes its settings from each sync's target object alone.
    public init() {}

    /// Adds `parent_children` twice: as a sync-down and as a sync-up target, which have names of their own.
    ///
    /// - Throws: ``SoupError`` with `registry` when another type claims a name; what was added before stays.
    public func register(in registry: inout PluginRegistry) throws {
        try registry.register(down: ParentChildrenSyncDownTarget.self)
        try registry.register(up: ParentChildrenSyncUpTarget.self)
    }
}

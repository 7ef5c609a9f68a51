// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The module of the targets that sync record trees: parents with their children, each level in its own soup.
public struct ParentChildrenTargetsModule: PluginModule {
    /// The version of the plug-in interface that the module was written for.
    public let interfaceVersion = 1

    /// Creates the module; all settings are in each sync's target object.
    public init() {}

    /// Registers `parent_children` twice, as a sync-down and as a sync-up target; the two have separate names.
    ///
    /// - Throws: ``SoupError`` with `registry` if another type has one of the names; targets registered before stay
    ///   registered.
    public func register(in registry: inout PluginRegistry) throws {
        try registry.register(down: ParentChildrenSyncDownTarget.self)
        try registry.register(up: ParentChildrenSyncUpTarget.self)
    }
}

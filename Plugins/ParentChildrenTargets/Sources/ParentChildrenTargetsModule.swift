// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The targets that sync parents together with their children, each in a soup of its own.
public struct ParentChildrenTargetsModule: PluginModule {
    public init() {}

    public func register(in registry: inout PluginRegistry) throws {
        try registry.register(down: ParentChildrenSyncDownTarget.self)
        try registry.register(up: ParentChildrenSyncUpTarget.self)
    }
}

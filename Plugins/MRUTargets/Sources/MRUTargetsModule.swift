// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The sync-down target that brings the records that the user looked at last.
public struct MRUTargetsModule: PluginModule {
    public init() {}

    public func register(in registry: inout PluginRegistry) throws {
        try registry.register(down: MRUSyncDownTarget.self)
    }
}

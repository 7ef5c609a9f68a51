// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The sync-down target that brings the records of a SOQL query.
public struct SOQLTargetsModule: PluginModule {
    public init() {}

    public func register(in registry: inout PluginRegistry) throws {
        try registry.register(down: SOQLSyncDownTarget.self)
    }
}

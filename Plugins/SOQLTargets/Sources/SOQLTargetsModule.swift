// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The sync-down target that brings the records of a SOQL query.
public struct SOQLTargetsModule: PluginModule {
    /// A module to list when a registry is made; listing it twice is no error.
    public init() {}

    /// Adds the sync-down target `soql` under all of its names.
    ///
    /// - Throws: ``SoupError`` with `registry` when one of them belongs to another type.
    public func register(in registry: inout PluginRegistry) throws {
        try registry.register(down: SOQLSyncDownTarget.self)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The sync-down targets over queries: by SOQL, by search, and for the records that a soup holds already.
public struct SOQLTargetsModule: PluginModule {
    /// A module to list when a registry is made; listing it twice is no error.
    public init() {}

    /// Adds the sync-down targets `soql`, `sosl` and `refresh` under all of their names.
    ///
    /// - Throws: ``SoupError`` with `registry` when one of them belongs to another type.
    public func register(in registry: inout PluginRegistry) throws {
        try registry.register(down: SOQLSyncDownTarget.self)
        try registry.register(down: SOSLSyncDownTarget.self)
        try registry.register(down: RefreshSyncDownTarget.self)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The module of the sync-down targets over queries: by SOQL, by SOSL search, and for records that are already in a
/// soup.
public struct SOQLTargetsModule: PluginModule {
    /// The version of the plug-in interface that the module was written for.
    public let interfaceVersion = 1

    /// Creates the module; it may be registered twice.
    public init() {}

    /// Registers the sync-down targets `soql`, `sosl` and `refresh` under all of their names.
    ///
    /// - Throws: ``SoupError`` with `registry` if another type has one of the names.
    public func register(in registry: inout PluginRegistry) throws {
        try registry.register(down: SOQLSyncDownTarget.self)
        try registry.register(down: SOSLSyncDownTarget.self)
        try registry.register(down: RefreshSyncDownTarget.self)
    }
}

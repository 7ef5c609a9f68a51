// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The module of the sync-down targets that fetch descriptions instead of records: page layouts and object metadata.
public struct UIAPITargetsModule: PluginModule {
    /// The version of the plug-in interface that the module was written for.
    public let interfaceVersion = 1

    /// A module without options, for `PluginRegistry([UIAPITargetsModule()])`.
    public init() {}

    /// Registers the sync-down targets `layout` and `metadata` under all of their names.
    ///
    /// - Throws: ``SoupError`` with `registry` if another type has one of the names.
    public func register(in registry: inout PluginRegistry) throws {
        try registry.register(down: LayoutSyncDownTarget.self)
        try registry.register(down: MetadataSyncDownTarget.self)
    }
}

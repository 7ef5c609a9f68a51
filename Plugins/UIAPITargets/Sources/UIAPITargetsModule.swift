// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The sync-down targets that bring descriptions and not records: page layouts and the metadata of objects.
public struct UIAPITargetsModule: PluginModule {
    /// A module without options, for `PluginRegistry([UIAPITargetsModule()])`.
    public init() {}

    /// Adds the sync-down targets `layout` and `metadata` under all of their names.
    ///
    /// - Throws: ``SoupError`` with `registry` when another type has one of them.
    public func register(in registry: inout PluginRegistry) throws {
        try registry.register(down: LayoutSyncDownTarget.self)
        try registry.register(down: MetadataSyncDownTarget.self)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The module with both targets of this package.
public struct TodoModule: PluginModule {
    /// The version of the plug-in interface that the module was written for.
    public let interfaceVersion = 1

    /// Creates the module, which has no settings; the configuration of a target is in each sync.
    public init() {}

    /// Registers `todo` as a sync-down target and as a sync-up target.
    public func register(in registry: inout PluginRegistry) throws {
        try registry.register(down: TodoDownTarget.self)
        try registry.register(up: TodoUpTarget.self)
    }
}

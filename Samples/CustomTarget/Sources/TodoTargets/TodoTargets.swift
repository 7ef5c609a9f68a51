// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// Everything in this package, for one line of registration.
public struct TodoTargets: PluginModule {
    /// Has no settings: each sync brings its own.
    public init() {}

    /// Adds `todo` as a sync-down and as a sync-up target.
    public func register(in registry: inout PluginRegistry) throws {
        try registry.register(down: TodoDownTarget.self)
        try registry.register(up: TodoUpTarget.self)
    }
}

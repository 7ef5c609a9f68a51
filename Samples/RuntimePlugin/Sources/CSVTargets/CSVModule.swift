// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore

/// Registers the target.
public struct CSVModule: PluginModule {
    /// The version of the plug-in interface that the module was written for.
    public let interfaceVersion = 1

    /// Creates the module.
    public init() {}

    /// - Throws: ``SoupError`` with `registry` if the name is taken.
    public func register(in registry: inout PluginRegistry) throws {
        try registry.register(down: CSVTarget.self)
    }
}

/// Returns the module to the command that loads the library.
@_cdecl("soupkit_plugin")
public func soupkitPlugin() -> UnsafeMutableRawPointer { PluginEntry.pointer(to: CSVModule()) }

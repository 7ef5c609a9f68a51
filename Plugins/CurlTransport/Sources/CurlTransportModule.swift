// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The module that registers the transport `curl`.
public struct CurlTransportModule: PluginModule {
    /// The version of the plug-in interface that the module was written for.
    public let interfaceVersion = 1

    /// Creates the module; a transport is created only when a configuration that names it is opened.
    public init() {}

    /// Registers the transport `curl`.
    ///
    /// - Throws: ``SoupError`` with `registry` if another transport has that name.
    public func register(in registry: inout PluginRegistry) throws {
        try registry.register(transport: LibcurlTransport.self)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// Registers the transport `curl`.
public struct CurlTransportModule: PluginModule {
    /// Makes no transport: one is made when a configuration that names it is opened.
    public init() {}

    /// Adds the transport `curl`.
    ///
    /// - Throws: ``SoupError`` with `registry` if another transport has that name.
    public func register(in registry: inout PluginRegistry) throws {
        try registry.register(transport: LibcurlTransport.self)
    }
}

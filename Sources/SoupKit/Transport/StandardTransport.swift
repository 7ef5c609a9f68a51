// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

#if os(Linux)
    internal import CurlTransport
#endif

/// The transport that SoupKit uses if neither `org.json` nor the app chooses one: `curl` on Linux, `urlsession` on
/// Apple platforms.
public enum StandardTransport {
    /// Creates the transport with its standard options.
    public static func make() -> any HTTPTransport {
        #if os(Linux)
            LibcurlTransport()
        #else
            URLSessionTransport()
        #endif
    }

    /// Returns a warning if `org.json` names a transport that is not recommended on this platform.
    static func warning(of reference: TransportReference) -> ConfigurationProblem? {
        #if os(Linux)
            guard reference.name == URLSessionTransport.name else { return nil }
            let key = reference.json.objectValue == nil ? "transport" : "transport.type"
            return ConfigurationProblem(
                .warning, at: SoupError.Place(path: key),
                "on Linux \"urlsession\" does not follow all rules for transports: an HTTP trailer ends the process, a "
                    + "compressed body that ends too early counts as complete, and a whole exchange has no time limit",
                hint: "Use \"curl\", or remove \"transport\": curl is the default on Linux.")
        #else
            return nil
        #endif
    }
}

/// The module that registers the transports of SoupKit: `urlsession`, and on Linux `curl`.
public struct StandardTransportsModule: PluginModule {
    /// The version of the plug-in interface that the module was written for.
    public let interfaceVersion = 1

    /// Creates the module; a transport is created only when a configuration that names it is opened.
    public init() {}

    /// Registers the transports of the platform.
    ///
    /// - Throws: ``SoupError`` with `registry` if another transport has one of the names.
    public func register(in registry: inout PluginRegistry) throws {
        try registry.register(transport: URLSessionTransport.self)
        #if os(Linux)
            try CurlTransportModule().register(in: &registry)
        #endif
    }
}

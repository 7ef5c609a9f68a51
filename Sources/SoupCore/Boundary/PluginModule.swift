// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A type that registers a package of plug-ins with one call.
///
/// ```swift
/// public struct WeatherModule: PluginModule {
///     public let interfaceVersion = 1
///     public init() {}
///
///     public func register(in registry: inout PluginRegistry) throws {
///         try registry.register(down: WeatherTarget.self)
///     }
/// }
/// ```
///
/// The same type is compiled into an app or a command, or into a library that `soup --plugin` loads: ``PluginEntry``.
public protocol PluginModule: Sendable {
    /// The version of the interface that the module was written for: a number, as in `let interfaceVersion = 1`.
    ///
    /// ``PluginInterface`` describes what a version promises. A registry refuses a module of a version that it does not
    /// support, so do not return ``PluginInterface/version`` here: the module would claim to know every later version.
    var interfaceVersion: Int { get }

    /// Registers every plug-in of the module.
    ///
    /// - Throws: ``SoupError`` with `registry` if a name is already registered.
    func register(in registry: inout PluginRegistry) throws
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The module that registers the store backends `routed`, `layered` and `metered`.
public struct ComposedStoresModule: PluginModule {
    /// The version of the plug-in interface that the module was written for.
    public let interfaceVersion = 1

    /// Creates the module; a store is opened only when a configuration names it.
    public init() {}

    /// Registers the store backends.
    ///
    /// - Throws: ``SoupError`` with `registry` if another backend has one of their names.
    public func register(in registry: inout PluginRegistry) throws {
        try registry.register(store: RoutedStore.self)
        try registry.register(store: LayeredStore.self)
        try registry.register(store: MeteredStore.self)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

public import SoupCore

/// The key providers of this module: `file`, `environment`, `passphrase`, and `keychain` on Apple platforms.
public struct KeyProvidersModule: PluginModule {
    /// The version of the plug-in interface.
    public let interfaceVersion = 1

    /// Creates the module; `PluginRegistry.standard` contains it if the package trait `Encryption` is enabled.
    public init() {}

    /// Registers the providers.
    public func register(in registry: inout PluginRegistry) throws {
        try registry.register(keyProvider: FileKey.self)
        try registry.register(keyProvider: EnvironmentKey.self)
        try registry.register(keyProvider: PassphraseKey.self)
        try registry.register(keyProvider: KeychainKey.self)
    }
}

#endif

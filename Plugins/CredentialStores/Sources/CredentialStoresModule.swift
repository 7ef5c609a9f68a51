// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The module that registers the credential stores `file`, `keychain` and `memory`.
public struct CredentialStoresModule: PluginModule {
    /// The version of the plug-in interface that the module was written for.
    public let interfaceVersion = 1

    /// Creates the module, which is part of `PluginRegistry.standard`.
    public init() {}

    /// Registers the three stores.
    ///
    /// - Throws: ``SoupError`` with `registry` if another store has one of the names.
    public func register(in registry: inout PluginRegistry) throws {
        try registry.register(credentialStore: FileCredentialStore.self)
        try registry.register(credentialStore: KeychainCredentialStore.self)
        try registry.register(credentialStore: MemoryCredentialStore.self)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The interface between SoupKit and plug-ins: the protocols that a plug-in conforms to, and the types they use.
///
/// All boundaries have one version. Each ``PluginModule`` states the version it was written for, and a registry refuses
/// the module if SoupKit does not support this version any longer, or not yet.
///
/// | boundary | version |
/// |---|---|
/// | ``SyncDownTarget``, ``SyncUpTarget``, ``SyncPlugin`` | 1 |
/// | ``StoreBackend``, ``StoreReader``, ``StoreWriter``, ``ForwardingStore`` | 1 |
/// | ``ConflictResolver``, ``RecordTransform`` | 1 |
/// | ``HTTPTransport`` | 1 |
/// | ``KeyProvider`` | 1 |
/// | ``CredentialStore`` | 1 |
/// | `SyncObserver` (SoupSync) | 1 |
///
/// Within a version, SoupKit may add a requirement that has a default, a member with a default to a type that it
/// creates, a ``StoreCapability``, an error code, and a case of a suite that finds a fault which was always one. The
/// meaning of a requirement and of an existing value does not change, and no requirement is added without a default,
/// renamed or removed; any of these makes a new version.
///
/// Plug-ins that are compiled with SoupKit need only this version. A plug-in that is compiled alone and loaded by
/// `soup` must also be built from the same source code, with the same version of the ``compiler``: modules of Swift
/// packages have no stable binary interface.
public enum PluginInterface {
    /// The current version.
    public static let version = 1
    /// The versions whose modules can be registered.
    public static let supportedVersions: ClosedRange<Int> = 1...1

    /// The version, and a hash of the source code that plug-ins are compiled with.
    ///
    /// `make format` writes the hash here and into ``PluginEntry``, and `make lint` checks it.
    package static var mark: StaticString { "soupkit-plugin-interface=1/8ff0756738df4243;" }

    /// The version of the compiler, in the same form.
    @_alwaysEmitIntoClient
    public static var compiler: StaticString {
        #if compiler(>=6.6)
            "soupkit-plugin-compiler=6.6 or later;"
        #elseif compiler(>=6.5)
            "soupkit-plugin-compiler=6.5;"
        #elseif compiler(>=6.4)
            "soupkit-plugin-compiler=6.4;"
        #elseif compiler(>=6.3)
            "soupkit-plugin-compiler=6.3;"
        #else
            "soupkit-plugin-compiler=6.2;"
        #endif
    }
}

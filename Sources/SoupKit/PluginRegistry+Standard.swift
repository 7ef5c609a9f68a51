// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import BriefcaseTargets
internal import ComposedStores
internal import ConflictResolvers
internal import CredentialStores
internal import RecordTransforms
internal import MRUTargets
internal import SoupMemory
internal import ParentChildrenTargets
internal import RESTTargets
internal import SOQLTargets
internal import SObjectTargets
#if Encryption
    internal import SoupEncryption
#endif
internal import SoupSQLite
public import SoupCore
internal import UIAPITargets

extension PluginRegistry {
    /// The plug-ins that are part of SoupKit.
    ///
    /// Use them to build a registry together with your own.
    public static let standardModules: [any PluginModule] = [
        SOQLTargetsModule(), MRUTargetsModule(), ParentChildrenTargetsModule(), UIAPITargetsModule(),
        BriefcaseTargetsModule(), SObjectTargetsModule(), RESTTargetsModule(), SQLiteStoreModule(), MemoryStoreModule(),
        ComposedStoresModule(), ConflictResolversModule(), RecordTransformsModule(), StandardTransportsModule(),
        CredentialStoresModule(), KeyProviders(),
    ]

    /// The providers of keys, in a build with the trait `Encryption`.
    private struct KeyProviders: PluginModule {
        let interfaceVersion = 1

        func register(in registry: inout PluginRegistry) throws {
            #if Encryption
                try registry.register(module: KeyProvidersModule())
            #endif
        }
    }

    /// The registry of the plug-ins that are part of SoupKit.
    ///
    /// Two plug-ins with one name would be a fault of SoupKit. A debug build stops; a release build ignores the second
    /// one. Its ``PluginRegistry/knownNames`` are the names of its targets; use them for a registry with fewer modules,
    /// too.
    public static let standard: PluginRegistry = {
        var registry = PluginRegistry()
        for module in standardModules {
            do { try registry.register(module: module) } catch { assertionFailure("\(error)") }
        }
        registry.knownNames = Set(registry.targets.flatMap { [$0.name] + $0.aliases })
        return registry
    }()
}

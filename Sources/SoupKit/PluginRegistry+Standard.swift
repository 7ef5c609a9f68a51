// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import BriefcaseTargets
internal import ConflictResolvers
internal import MRUTargets
internal import MemoryStore
internal import ParentChildrenTargets
internal import SOQLTargets
internal import SObjectTargets
internal import SQLiteStore
public import SoupCore
internal import UIAPITargets

extension PluginRegistry {
    /// The plug-ins that come with SoupKit, to build a registry of them and your own.
    public static let standardModules: [any PluginModule] = [
        SOQLTargetsModule(), MRUTargetsModule(), ParentChildrenTargetsModule(), UIAPITargetsModule(),
        BriefcaseTargetsModule(), SObjectTargetsModule(), SQLiteStoreModule(), MemoryStoreModule(),
        ConflictResolversModule(), StandardTransportsModule(),
    ]

    /// The plug-ins that come with SoupKit.
    ///
    /// Two of them with one name would be a fault of SoupKit, which stops a debug build; a release build leaves the
    /// second one out.
    public static let standard: PluginRegistry = standardModules.reduce(into: PluginRegistry()) { registry, module in
        do { try module.register(in: &registry) } catch { assertionFailure("\(error)") }
    }
}

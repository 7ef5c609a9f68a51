// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupKit
import Testing

@Suite struct StandardRegistryTests {
    @Test func noModuleClaimsATakenName() throws {
        #expect(try PluginRegistry(PluginRegistry.standardModules).targets == PluginRegistry.standard.targets)
    }

    @Test func everyTargetHasItsNamesOfTheMobileSDKs() {
        let lines = PluginRegistry.standard.targets.map { target in
            ([target.kind.rawValue, target.name.rawValue] + target.aliases.map(\.rawValue).sorted()).joined(
                separator: " ")
        }
        let android = "com.salesforce.androidsdk.mobilesync.target."
        #expect(
            lines == [
                "down briefcase SFBriefcaseSyncDownTarget \(android)BriefcaseSyncDownTarget",
                "down layout SFLayoutSyncDownTarget \(android)LayoutSyncDownTarget",
                "down metadata SFMetadataSyncDownTarget \(android)MetadataSyncDownTarget",
                "down mru SFMruSyncDownTarget \(android)MruSyncDownTarget",
                "down parent_children SFParentChildrenSyncDownTarget \(android)ParentChildrenSyncDownTarget",
                "down refresh SFRefreshSyncDownTarget \(android)RefreshSyncDownTarget",
                "down soql SFSoqlSyncDownTarget \(android)SoqlSyncDownTarget",
                "down sosl SFSoslSyncDownTarget \(android)SoslSyncDownTarget",
                "up batch SFBatchSyncUpTarget \(android)BatchSyncUpTarget",
                "up parent_children SFParentChildrenSyncUpTarget \(android)ParentChildrenSyncUpTarget",
                "up rest SFCollectionSyncUpTarget \(android)CollectionSyncUpTarget",
                "up single SFSyncUpTarget \(android)SyncUpTarget",
            ])
        #expect(PluginRegistry.standard.storeBackends.map(\.name) == ["memory", "sqlite"])
        #expect(PluginRegistry.standard.conflictResolvers.map(\.name) == ["local", "newest", "remote"])
    }

    @Test(arguments: PluginRegistry.standard.targets) func everySampleIsATargetThatWorks(
        target: PluginDescription
    ) throws {
        let sample = try #require(target.sample, "\(target.kind) \(target.name) has no sample")
        let reference = TargetReference(sample.value)
        var problems: [ConfigurationProblem] = []
        switch target.kind {
        case .down: #expect(PluginRegistry.standard.downTarget(reference, problems: &problems) != nil)
        case .up: #expect(PluginRegistry.standard.upTarget(reference, problems: &problems) != nil)
        case .store, .resolver: break
        }
        #expect(problems == [])
    }
}

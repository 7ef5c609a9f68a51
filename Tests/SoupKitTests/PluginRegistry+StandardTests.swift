// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupKit
import Testing

@Suite struct PluginRegistryStandardTests {
    @Test func `No two modules register the same name`() throws {
        #expect(try PluginRegistry(PluginRegistry.standardModules).targets == PluginRegistry.standard.targets)
    }

    @Test func `Every target has its class names of the mobile SDKs`() {
        let lines = PluginRegistry.standard.targets.map { target in
            ([target.kind.rawValue, target.name.rawValue] + target.aliases.map(\.rawValue).sorted()).joined(
                separator: " ")
        }
        func names(_ target: String, _ className: String) -> String {
            let packages = ["mobilesync", "smartsync"].map { "com.salesforce.androidsdk.\($0).target.\(className)" }
            return ([target] + ([className, "SF\(className)"] + packages).sorted()).joined(separator: " ")
        }
        #expect(
            lines == [
                names("down briefcase", "BriefcaseSyncDownTarget"), "down http",
                names("down layout", "LayoutSyncDownTarget"),
                names("down metadata", "MetadataSyncDownTarget"), names("down mru", "MruSyncDownTarget"),
                names("down parent_children", "ParentChildrenSyncDownTarget"),
                names("down refresh", "RefreshSyncDownTarget"), names("down soql", "SoqlSyncDownTarget"),
                names("down sosl", "SoslSyncDownTarget"), names("up batch", "BatchSyncUpTarget"), "up http",
                names("up parent_children", "ParentChildrenSyncUpTarget"),
                names("up rest", "CollectionSyncUpTarget"), names("up single", "SyncUpTarget"),
            ])
        #expect(
            PluginRegistry.standard.storeBackends.map(\.name) == ["layered", "memory", "metered", "routed", "sqlite"])
        #expect(PluginRegistry.standard.conflictResolvers.map(\.name) == ["local", "newest", "remote"])
        #expect(PluginRegistry.standard.recordTransforms.map(\.name) == ["constant", "drop", "mask", "rename"])
        #if os(Linux)
            #expect(PluginRegistry.standard.transports.map(\.name) == ["curl", "urlsession"])
        #else
            #expect(PluginRegistry.standard.transports.map(\.name) == ["urlsession"])
        #endif
    }

    @Test(arguments: ["SoqlSyncDownTarget", "com.salesforce.androidsdk.mobilesync.target.SoslSyncDownTarget"])
    func `A sync-down target in a sync up gets no suggestion`(name: String) {
        var problems: [ConfigurationProblem] = []
        let target = PluginRegistry.standard.upTarget(
            TargetReference(["androidImpl": .string(name)]), problems: &problems)
        #expect(target == nil)
        #expect(problems.map(\.hint) == ["Known: batch, http, parent_children, rest, single."])
    }

    @Test(arguments: [("SOQL", "soql"), ("Sosl", "sosl"), ("sqol", "soql"), ("briefcases", "briefcase")])
    func `A similar name is suggested`(name: String, meant: String) {
        var problems: [ConfigurationProblem] = []
        _ = PluginRegistry.standard.downTarget(TargetReference(["type": .string(name)]), problems: &problems)
        #expect(problems.map { $0.hint?.hasSuffix("Did you mean \"\(meant)\"?") } == [true])
    }

    @Test(arguments: PluginRegistry.standard.targets) func `Every sample is a valid target`(
        target: PluginDescription
    ) throws {
        let sample = try #require(target.sample, "\(target.kind) \(target.name) has no sample")
        let reference = TargetReference(sample.value)
        var problems: [ConfigurationProblem] = []
        switch target.kind {
        case .down: #expect(PluginRegistry.standard.downTarget(reference, problems: &problems) != nil)
        case .up: #expect(PluginRegistry.standard.upTarget(reference, problems: &problems) != nil)
        case .store, .resolver, .transform, .transport, .keyProvider, .credentialStore: break
        }
        #expect(problems == [])
    }
}

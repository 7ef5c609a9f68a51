// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

@Suite struct PublishedConfigurationTests {
    @Test func `The fixtures contain all apps`() {
        #expect(
            PublishedConfigurations.apps == [
                "android__LibMobileSyncDefault", "android__LibSmartStoreDefault", "android__MobileSyncTest",
                "android__SmartStoreTest", "ios__MobileSyncExplorer", "ios__SmartStoreTestApp",
                "shared__mobilesyncexplorer", "templates__MobileSyncExplorerKotlinTemplate",
                "templates__MobileSyncExplorerSwift", "templates__iOSNativeLoginTemplate",
            ])
    }

    @Test(arguments: PublishedConfigurations.apps.filter { $0 != "android__MobileSyncTest" })
    func `A published configuration has no problems`(app: String) throws {
        let folder = try TemporaryFolder(try PublishedConfigurations.files(of: app))
        let configuration = ConfigurationFolder(reading: folder.url, environment: [:])
        #expect(configuration.problems.map(\.description) == [])
        #expect(try folder.files == configuration.files.sorted())
    }

    @Test func `The file with every target lacks only a store`() throws {
        let folder = try TemporaryFolder(try PublishedConfigurations.files(of: "android__MobileSyncTest"))
        let configuration = ConfigurationFolder(reading: folder.url, environment: [:])
        #expect(configuration.problems.filter { $0.severity == .error }.map(\.description) == [])
        let warnings = configuration.problems.filter { $0.severity == .warning }.map(\.message)
        // Nine targets write into two soups; only the sync with another batch size fetches the same fields.
        let different = warnings.filter { $0.contains(" fetch different fields of ") }
        #expect(different.count == 6, "\(different)")
        // Each sync has other names of fields.
        let identities = warnings.filter { $0.contains(" have the IDs of records in different fields") }
        #expect(identities.count == 5, "\(identities)")
        #expect(
            warnings.filter { !(different + identities).contains($0) } == [
                #"the soup "accounts" is not configured: there is no userstore.json in the folder"#,
                #"the soup "contacts" is not configured: there is no userstore.json in the folder"#,
                #"the soup "accounts" is not configured: there is no globalstore.json in the folder"#,
            ])
    }

    @Test func `The file with every target is set up and runs`() async throws {
        let folder = try TemporaryFolder(try PublishedConfigurations.files(of: "android__MobileSyncTest"))
        let clock = ManualClock()
        let org = try LocalOrg(seed: .tiny, clock: clock)
        let kit = try await SoupClient.open(
            at: folder.url, options: .init(transport: org.authorizedTransport, clock: clock, environment: [:]))
        let states = try await kit.syncs.syncs()
        #expect(
            states.map { $0.name } == [
                "soqlSyncDown", "soqlSyncDownWithBatchSize", "soslSyncDown", "mruSyncDown", "refreshSyncDown",
                "layoutSyncDown", "metadataSyncDown", "parentChildrenSyncDown", "briefcaseSyncDown",
                "singleRecordSyncUp", "batchSyncUp", "collectionSyncUp", "parentChildrenSyncUp",
            ])
        #expect(states.allSatisfy { $0.status == .new && $0.progress == 0 && $0.totalSize == -1 })

        try await kit.store.setUp(soups: [
            ("accounts", [IndexSpec("Id", .string), IndexSpec("__local__", .string)])
        ])
        var saved: [Int] = []
        for name in [
            "soqlSyncDown", "soslSyncDown", "mruSyncDown", "refreshSyncDown", "layoutSyncDown", "metadataSyncDown",
        ] {
            clock.advance(by: .seconds(10))
            let result = try await kit.syncs.reSync(named: name).result
            #expect(result.state.status == .done, "\(name): \(result.state.error)")
            saved.append(result.saved)
        }
        // No record has the name Joe, and none was viewed; the refresh fetches one more field than the query.
        #expect(saved == [3, 0, 0, 3, 1, 1])
        #expect(try await kit.store.count(.all("accounts")) == 5)
    }
}

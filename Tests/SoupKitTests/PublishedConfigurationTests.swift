// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupKit
import Testing

@Suite struct PublishedConfigurationTests {
    @Test func allAppsAreThere() {
        #expect(
            PublishedConfigurations.apps == [
                "android__LibMobileSyncDefault", "android__LibSmartStoreDefault", "android__MobileSyncTest",
                "android__SmartStoreTest", "ios__MobileSyncExplorer", "ios__SmartStoreTestApp",
                "shared__mobilesyncexplorer", "templates__MobileSyncExplorerKotlinTemplate",
                "templates__MobileSyncExplorerSwift", "templates__iOSNativeLoginTemplate",
            ])
    }

    @Test(arguments: PublishedConfigurations.apps.filter { $0 != "android__MobileSyncTest" })
    func isAcceptedWithoutAWord(app: String) throws {
        let folder = try TemporaryFolder(try PublishedConfigurations.files(of: app))
        let configuration = ConfigurationFolder(reading: folder.path, environment: [:])
        #expect(configuration.problems.map(\.description) == [])
        #expect(try folder.files == configuration.files.sorted())
    }

    @Test func theOneThatNamesEveryTargetMissesOnlyAStore() throws {
        let folder = try TemporaryFolder(try PublishedConfigurations.files(of: "android__MobileSyncTest"))
        let configuration = ConfigurationFolder(reading: folder.path, environment: [:])
        #expect(configuration.problems.filter { $0.severity == .error }.map(\.description) == [])
        #expect(
            configuration.problems.filter { $0.severity == .warning }.map(\.message) == [
                #"nothing says that the soup "accounts" exists: there is no userstore.json in the folder"#,
                #"nothing says that the soup "contacts" exists: there is no userstore.json in the folder"#,
                #"nothing says that the soup "accounts" exists: there is no globalstore.json in the folder"#,
            ])
    }
}

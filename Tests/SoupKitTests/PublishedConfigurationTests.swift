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

    @Test func theOneThatNamesEveryTargetMissesOnlyThoseThatComeLater() throws {
        let folder = try TemporaryFolder(try PublishedConfigurations.files(of: "android__MobileSyncTest"))
        let configuration = ConfigurationFolder(reading: folder.path, environment: [:])
        let errors = configuration.problems.filter { $0.severity == .error }
        #expect(
            errors.map { "\($0.place): \($0.message)" } == [
                #"usersyncs.json:33:17: syncs[2].target.type: no sync-down target "sosl" is registered"#,
                #"usersyncs.json:61:17: syncs[4].target.type: no sync-down target "refresh" is registered"#,
                #"usersyncs.json:78:17: syncs[5].target.type: no sync-down target "layout" is registered"#,
                #"usersyncs.json:93:17: syncs[6].target.type: no sync-down target "metadata" is registered"#,
                #"usersyncs.json:160:17: syncs[8].target.type: no sync-down target "briefcase" is registered"#,
            ])
        #expect(errors.allSatisfy { $0.hint == "Known: mru, parent_children, soql." }, "they suggest no other")
        #expect(
            configuration.problems.filter { $0.severity == .warning }.map(\.message) == [
                #"nothing says that the soup "accounts" exists: there is no userstore.json in the folder"#,
                #"nothing says that the soup "contacts" exists: there is no userstore.json in the folder"#,
                #"nothing says that the soup "accounts" exists: there is no globalstore.json in the folder"#,
            ])
    }
}

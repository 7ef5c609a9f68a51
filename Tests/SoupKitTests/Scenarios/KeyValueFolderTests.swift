// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit) || KeyValue

    import Foundation
    import SoupKeyValue
    import SoupKit
    import SoupTesting
    import Testing

    @Suite struct KeyValueFolderTests {
        @Test func `Each scope has a folder of its own`() {
            func path(_ folder: String, _ scope: StoreScope) -> String {
                KeyValueStores(in: StoreFolder(at: URL(filePath: folder)).folder(of: scope)).folder.path
            }
            #expect(path("/app", .user) == "/app/user/key_value_stores")
            #expect(path("/app/", .global) == "/app/global/key_value_stores")
            #expect(path("", .user) == URL.currentDirectory().path + "/user/key_value_stores")
        }

        @Test func `The stores of different scopes are independent`() async throws {
            let temporary = try TemporaryFolder()
            let folder = StoreFolder(at: temporary.url)
            try await KeyValueStores(in: folder.folder(of: .user)).open("cache").save("mine", forKey: "k")
            try await KeyValueStores(in: folder.folder(of: .global)).open("cache").save("shared", forKey: "k")
            try await KeyValueStores(in: folder.folder(of: .user)).removeAll()
            #expect(try await KeyValueStores(in: folder.folder(of: .user)).names() == [])
            #expect(
                try await KeyValueStores(in: folder.folder(of: .global)).open("cache").string(forKey: "k")
                    == "shared")
            #expect(try folder.names(in: .user) == [])
        }
    }

#endif

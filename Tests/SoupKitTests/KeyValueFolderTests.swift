// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit) || KeyValue

    import SoupKeyValue
    import SoupKit
    import Testing

    @Suite struct KeyValueFolderTests {
        @Test func `Each scope has a folder of its own`() {
            #expect(KeyValueStores(in: StoreFolder("/app").path(of: .user)).path == "/app/user/key_value_stores")
            #expect(KeyValueStores(in: StoreFolder("/app/").path(of: .global)).path == "/app/global/key_value_stores")
            #expect(KeyValueStores(in: StoreFolder("").path(of: .user)).path == "user/key_value_stores")
        }

        @Test func `The stores of different scopes are independent`() async throws {
            let temporary = try TemporaryFolder()
            let folder = StoreFolder(temporary.path)
            try await KeyValueStores(in: folder.path(of: .user)).open("cache").save("mine", forKey: "k")
            try await KeyValueStores(in: folder.path(of: .global)).open("cache").save("shared", forKey: "k")
            try await KeyValueStores(in: folder.path(of: .user)).removeAll()
            #expect(try await KeyValueStores(in: folder.path(of: .user)).names() == [])
            #expect(
                try await KeyValueStores(in: folder.path(of: .global)).open("cache").string(forKey: "k")
                    == "shared")
            #expect(try folder.names(in: .user) == [])
        }
    }

#endif

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupKit
import Testing

@Suite struct KeyValueFolderTests {
    @Test func eachScopeHasAFolderOfItsOwn() {
        #expect(StoreFolder("/app").keyValueStores(in: .user).path == "/app/user/key_value_stores")
        #expect(StoreFolder("/app/").keyValueStores(in: .global).path == "/app/global/key_value_stores")
        #expect(StoreFolder("").keyValueStores(in: .user).path == "user/key_value_stores")
    }

    @Test func theStoresOfScopesHaveNothingToDoWithOneAnother() async throws {
        let temporary = try TemporaryFolder()
        let folder = StoreFolder(temporary.path)
        try await folder.keyValueStores(in: .user).open("cache").save("mine", forKey: "k")
        try await folder.keyValueStores(in: .global).open("cache").save("everybody's", forKey: "k")
        try await folder.keyValueStores(in: .user).removeAll()
        #expect(try await folder.keyValueStores(in: .user).names() == [])
        #expect(try await folder.keyValueStores(in: .global).open("cache").string(forKey: "k") == "everybody's")
        #expect(try folder.names(in: .user) == [])
    }
}

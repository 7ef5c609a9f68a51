// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

@testable import SoupEncryption
import Testing

@Suite struct KeychainAccountTests {
    @Test func `The name is independent of the container of the app`() {
        #expect(KeychainAccount.name(ofFile: "/var/1234/Documents/userstore.db") == "Documents/userstore.db")
        #expect(KeychainAccount.name(ofFile: "/var/5678/Documents/userstore.db") == "Documents/userstore.db")
        #expect(KeychainAccount.name(ofFile: "store.db") == "store.db")
        #expect(KeychainAccount.name(ofFile: "") == "")
    }

    @Test func `Additional stores of different users have different names`() {
        func name(_ user: String) -> String {
            KeychainAccount.name(ofFile: "/var/Documents/users/\(user)/userstore.db.stores/recent.db")
        }
        #expect(name("00D.005a") == "00D.005a/userstore.db.stores/recent.db")
        #expect(name("00D.005b") == "00D.005b/userstore.db.stores/recent.db")
        #expect(KeychainAccount.name(ofFile: "/a/b/x.db.stores/y.db.stores/z.db") == "b/x.db.stores/y.db.stores/z.db")
        #expect(KeychainAccount.name(ofFile: "/x.db.stores/z.db") == "x.db.stores/z.db")
    }

    @Test func `Key-value stores of different users have different names`() {
        func name(_ folder: String) -> String {
            KeychainAccount.name(ofFile: "/var/Documents/\(folder)/key_value_stores/cache")
        }
        #expect(name("users/00D.005a/user") == "00D.005a/user/key_value_stores/cache")
        #expect(name("users/00D.005b/user") == "00D.005b/user/key_value_stores/cache")
        #expect(name("user") == "Documents/user/key_value_stores/cache")
        #expect(name("global") == "Documents/global/key_value_stores/cache")
        #expect(name("Data") == "Data/key_value_stores/cache")
        #expect(KeychainAccount.name(ofFile: "/user/key_value_stores/a") == "user/key_value_stores/a")
    }
}

#endif

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Encryption

@testable import SoupEncryption
import Testing

@Suite struct KeychainAccountTests {
    private func name(_ path: String) -> String { KeychainAccount.name(ofFile: path) }

    @Test func `The name is independent of the container of the app`() {
        let first = "/var/mobile/Containers/Data/Application/0A1B2C3D-0000-4000-8000-0123456789AB"
        let second = "/private/var/mobile/Containers/Data/Application/FFFFFFFF-0000-4000-8000-0123456789AB"
        for container in [first, second] {
            #expect(name("\(container)/Documents/userstore.db") == "Application/Documents/userstore.db")
        }
        let devices = "/Users/a/Library/Developer/CoreSimulator/Devices/0A1B2C3D-0000-4000-8000-0123456789AB/data"
        #expect(name(devices + first.dropFirst(11) + "/x.db") == "Application/x.db")
    }

    @Test func `Different files have different names`() {
        let id = "0A1B2C3D-0000-4000-8000-0123456789AB"
        let app = "/var/mobile/Containers/Data/Application/\(id)"
        let group = "/var/mobile/Containers/Shared/AppGroup/\(id)"
        let paths = [
            "Data/userstore.db", "A/Data/userstore.db", "B/Data/userstore.db", "\(id)/Data/userstore.db",
            "Data/users/00D.005a/userstore.db", "Data/users/00D.005b/userstore.db",
            "Data/users/00D.005a/userstore.db.stores/recent.db", "Data/users/00D.005b/userstore.db.stores/recent.db",
            "user/key_value_stores/cache", "global/key_value_stores/cache", "Data/key_value_stores/cache",
        ]
        let names = [app, group, "", "/home/a", "/var/mobile/Containers/Data/Application/no-id"].flatMap { folder in
            paths.map { name("\(folder)/\($0)") }
        }
        #expect(Set(names).count == names.count)
        #expect(name("") == "" && name("store.db") == "store.db" && name(app) == app)
    }
}

#endif

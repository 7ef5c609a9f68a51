// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SmartStore
import SoupCore
import Testing

@Suite struct KeyValueStoresTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: ["a", "Z_9", "_", String(repeating: "x", count: 96)])
    func goodNames(_ name: String) async throws {
        let stores = KeyValueStores(in: folder.path)
        try await stores.open(name).save("x", forKey: "k")
        #expect(try await stores.names() == [name])
    }

    @Test(arguments: [
        "", ".", "..", "../up", "a/b", "a b", "a-b", "a.b", "é", "a\0", "\u{FF41}", String(repeating: "x", count: 97),
    ])
    func badNames(_ name: String) async throws {
        let stores = KeyValueStores(in: folder.path)
        var errors: [SoupError?] = []
        errors.append(await #expect(throws: SoupError.self) { try await stores.open(name) })
        errors.append(await #expect(throws: SoupError.self) { try await stores.remove(name) })
        #expect(errors.map { $0?.code } == [.badStoreName, .badStoreName])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test func listingAndRemoving() async throws {
        let stores = KeyValueStores(in: folder.path + "/user")
        let others = KeyValueStores(in: folder.path + "/global")
        #expect(try await stores.names() == [])
        #expect(try await stores.remove("b") == false)
        for name in ["b", "a", "c"] { try await stores.open(name).save(name, forKey: "k") }
        try await others.open("a").save("other", forKey: "k")
        try Data().write(to: URL(filePath: stores.path + "/file"))
        #expect(try await stores.names() == ["a", "b", "c"])
        let opened = try await stores.open("b")
        #expect(try await stores.remove("b"))
        #expect(try await stores.names() == ["a", "c"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: stores.path).sorted() == ["a", "c", "file"])

        let read = await #expect(throws: SoupError.self) { try await opened.data(forKey: "k") }
        let save = await #expect(throws: SoupError.self) { try await opened.save("x", forKey: "k") }
        #expect([read?.code, save?.code] == [.storeUnusable, .storeUnusable])
        #expect(try await stores.open("b").isEmpty())
        try await opened.save("again", forKey: "k")
        try await stores.removeAll()
        #expect(try await stores.names() == [])
        #expect(try await others.open("a").string(forKey: "k") == "other")
    }
}

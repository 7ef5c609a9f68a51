// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupKit
import SoupTesting
import Testing

@Suite struct StoreUserTests {
    private func folder(_ ids: String...) throws -> String {
        try StoreUser(organization: ids[0], user: ids[1], community: ids.count > 2 ? ids[2] : nil).folderName
    }

    @Test func `All forms of an ID of Salesforce are one user`() throws {
        let long = try folder("00DJ0000000CeXyMAK", "005J0000002AbCdIAK", "0DBJ0000000AbCdOAK")
        #expect(long == "00DJ0000000CeXyMAK.005J0000002AbCdIAK.0DBJ0000000AbCdOAK")
        let short = try folder("00DJ0000000CeXy", "005J0000002AbCd", "0DBJ0000000AbCd")
        #expect(short == long)
        // A program that changes the case of an ID of 18 characters does not change the user.
        let small = try folder("00dj0000000cexymak", "005j0000002abcdiak", "0dbj0000000abcdoak")
        #expect(small == long)
    }

    @Test func `IDs whose check characters are wrong are rejected`() {
        for user in ["005J0000002AbCd111", "005J0000002AbCd9ZZ", ""] {
            #expect(throws: SoupError.self) { try StoreUser(organization: "00DJ0000000CeXy", user: user) }
        }
        let error = #expect(throws: SoupError.self) { try StoreUser(organization: "", user: "a") }
        #expect(error?.code == .badUser)
    }

    @Test func `No ID leads outside its folder`() throws {
        #expect(try folder("..", "a/../../b") == "%2e%2e.a%2f%2e%2e%2f%2e%2e%2fb")
        #expect(try folder("\0", "é") == "%00.%c3%a9")
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.%")
        var random = SeededRandom(seed: 7)
        for _ in 0..<2_000 {
            let ids = (0..<3).map { _ in
                String(
                    decoding: (0...Int.random(in: 0..<9, using: &random)).map { _ in
                        UInt8.random(in: 0...127, using: &random)
                    }, as: UTF8.self)
            }
            let name = try folder(ids[0], ids[1], ids[2])
            #expect(name.allSatisfy(allowed.contains) && !name.hasPrefix(".") && name.utf8.count <= 200)
            let read = try #require(StoreUser(folderName: name))
            #expect([read.organization, read.user, read.community] == [ids[0], ids[1], ids[2]])
        }
    }

    @Test func `Different IDs differ without regard to case`() throws {
        let parts = [
            "a", "A", "aa", "aA", "a.a", "a.", ".a", "%41", "a%41", "-", "_", "0", "005", "00D", "é", "e\u{301}",
        ]
        // Texts that differ only by case, with the length of an ID of Salesforce.
        let long = ["abcdefghijklmnopqr", "ABCDEFGHIJKLMNOPQR", "abcdefghijklmno", "ABCDEFGHIJKLMNO"]
        // IDs of Salesforce that differ only by case have different check characters.
        let ids = ["005J0000002AbCd", "005J0000002ABCd", "005j0000002AbCd", "005J0000002abcd"]
        var seen: [String: [String?]] = [:]
        for first in parts + long + ids {
            for second in parts + ids {
                for third in [nil] + parts.map(Optional.some) {
                    let user = try StoreUser(organization: first, user: second, community: third)
                    let key = user.folderName.lowercased()
                    #expect(seen[key] == nil, "\(first) \(second) \(third ?? "") and \(seen[key] ?? [])")
                    seen[key] = [first, second, third]
                }
            }
        }
        #expect(seen.count == 24 * 20 * 17)
    }

    @Test func `Other texts are not the name of a folder`() {
        for name in [
            "", ".", "..", "a", "a.", ".a", "a.b.c.d", "A.b", "a.%", "a.%4", "a.%zz", "a.%61", "a.%FF", "a.%ff",
            "a b.c",
            ".removing-a.b", "a/b.c", "005J0000002AbCd.a",
        ] {
            #expect(StoreUser(folderName: name) == nil, "\(name)")
        }
    }

    @Test func `IDs that are too long for a folder are rejected`() throws {
        let long = String(repeating: "a", count: 98)
        #expect(try folder(long, long).utf8.count == 197)
        let error = #expect(throws: SoupError.self) { try folder(long, String(repeating: "A", count: 98)) }
        #expect(error?.code == .badUser)
    }

    @Test func `Equal users have one folder`() throws {
        let users = try [
            StoreUser(organization: "00DJ0000000CeXy", user: "b"),
            StoreUser(organization: "00DJ0000000CeXyMAK", user: "b"),
            StoreUser(organization: "00DJ0000000CeXy", user: "a", community: "c"),
        ]
        #expect(Set(users).count == 2)
        #expect(users.sorted().first == users[2])
        #expect("\(users[2])" == "user a of org 00DJ0000000CeXyMAK, site c")
    }
}

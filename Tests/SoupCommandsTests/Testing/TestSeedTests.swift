// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

import SoupCore
import Testing

@testable import SoupCommands

@Suite struct TestSeedTests {
    private static func row(_ name: String?, _ fields: JSONObject, at index: Int) -> TestCase.GivenRow {
        TestCase.GivenRow(
            object: "Contact", name: name, fields: fields,
            path: [.key("org"), .key("rows"), .key("Contact"), .index(index)])
    }

    @Test func `Rows follow those of the seed, and the clock runs`() throws {
        let base: JSONObject = [
            "freeze": "2030-02-03T09:00:00Z",
            "seed": [["object": "Account", "key": "acme", "values": ["Name": "Acme"]]],
        ]
        let seed = TestSeed(
            base,
            adding: [
                Self.row("ana", ["LastName": "Ng", "AccountId": "@acme"], at: 0),
                Self.row(nil, ["LastName": "@@home"], at: 1),
            ])
        #expect(
            JSONValue.object(seed.document) == [
                "stamp": "2030-02-03T09:00:00.000Z",
                "seed": [
                    ["object": "Account", "key": "acme", "values": ["Name": "Acme"]],
                    ["object": "Contact", "key": "ana", "values": ["LastName": "Ng", "AccountId": "@acme"]],
                    ["object": "Contact", "values": ["LastName": "@home"]],
                ],
            ])
        #expect(DateText.format(seed.time, zone: "Z") == "2030-02-03T09:00:00.000Z")
        #expect(seed.keys == ["acme", "me", "other"])
    }

    @Test func `A test begins five minutes after its rows`() {
        let seed = TestSeed([:], adding: [])
        #expect(seed.document["stamp"] == "2024-01-15T12:00:00.000Z")
        #expect(DateText.format(seed.time, zone: "Z") == "2024-01-15T12:05:00.000Z")
    }

    @Test(arguments: [
        ("seed[1].values.Phon", "org.rows.Contact[0].Phon"), ("seed[1].key", "org.rows.Contact[0].Id"),
        ("seed[1].object", "org.rows.Contact[0]"), ("seed[1]", "org.rows.Contact[0]"), ("seed[0].values.X", nil),
        ("seed[2]", nil), ("objects.Contact", nil), ("seed[x]", nil), ("seed[", nil), ("", nil),
    ])
    func `A place in the seed is one in the test`(path: String, expected: String?) {
        let seed = TestSeed(["seed": [["object": "Account"]]], adding: [Self.row("ana", [:], at: 0)])
        #expect(seed.path(inTestOf: path) == expected)
    }
}

#endif

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

import SoupCore
import Testing

@testable import SoupCommands

@Suite struct TestNamesTests {
    @Test func `Names are replaced at every level`() {
        let names = TestNames(["ana": "003A"])
        let value: JSONValue = ["Id": "@ana", "list": ["@ana", "@@ana", "@bo", 1], "object": ["a": "@ana"]]
        #expect(
            names.resolved(value) == ["Id": "003A", "list": ["003A", "@ana", "@bo", 1], "object": ["a": "003A"]])
    }

    @Test func `A name follows the ID of its record`() {
        var names = TestNames(["ana": "003A"])
        names.set("new", to: "local_1")
        #expect(names.name(of: "local_1") == "@new")
        names.set("new", to: "003B")
        #expect(names.ids == ["ana": "003A", "new": "003B"])
        #expect(names.name(of: "local_1") == nil)
        #expect(names.name(of: "003B") == "@new")
        #expect(names.name(of: "003A") == "@ana")
    }
}

#endif

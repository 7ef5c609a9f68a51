// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SoupCore

@Suite struct JSONLocatorTests {
    @Test func `Missing values have the place of the value around them`() {
        let text = #" { "a\u0062": [ 1, {"c": "x"} ], "d": {} } "#
        let locator = JSONLocator(Array(text.utf8))
        func rest(_ path: String) -> String {
            String(decoding: Array(text.utf8)[locator.offset(of: path)...].prefix(4), as: UTF8.self)
        }
        #expect(rest("") == #"{ "a"#)
        #expect(rest("ab") == "[ 1,")
        #expect(rest("ab[1].c") == #""x"}"#)
        #expect(rest("ab[1].missing.deeper[3]") == #"{"c""#)
        #expect(rest("ab[7]") == "[ 1,")
        #expect(rest("nowhere") == #"{ "a"#)
        #expect(rest("d.e") == "{} }")
    }

    @Test func `Of a repeated key the first is used, the second reported`() {
        let text = #"{"a": {"x": 1}, "a": {"x": 2, "y": 3}}"#
        let locator = JSONLocator(Array(text.utf8))
        #expect(locator.offset(of: "a.x") == 12)
        #expect(locator.offset(of: "a.y") == 6)
        #expect(locator.repeatedKeys.map(\.path) == ["a"])
        #expect(locator.repeatedKeys.map(\.offset) == [16])
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

@Suite struct URLTextTests {
    @Test func `A path segment is encoded`() {
        #expect(["..", ".", "...", "a.b"].map(URLText.segment) == ["%2E%2E", "%2E", "...", "a.b"])
        #expect(URLText.segment("V/1 ä+b%.~_-") == "V%2F1%20%C3%A4%2Bb%25.~_-")
    }

    @Test func `A query value is encoded`() {
        let soql = "select Id from A where N = 'x&y=z+#' and D > 2024-01-01T00:00:00.000+0000"
        #expect(
            URLText.query(soql)
                == "select%20Id%20from%20A%20where%20N%20%3D%20'x%26y%3Dz%2B%23'%20and%20D%20%3E%20"
                + "2024-01-01T00:00:00.000%2B0000")
    }

    @Test(arguments: [
        ("https://a/b", "https://a/b"), ("https://u:p@a/b", "https://***@a/b"),
        ("https://u:p@a/b?key=x", "https://***"),
        ("/a?b=c@d", "***"), ("https://u:p?q#r@a", "https://***"), ("https://a?key", "https://a?***"),
        ("/a#x", "/a#***"), ("", ""),
    ])
    func `A URL in a message has no secrets`(url: String, masked: String) {
        #expect(URLText.masked(url) == masked)
    }
}

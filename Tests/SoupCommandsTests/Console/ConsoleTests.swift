// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Testing

@testable import SoupCommands

@Suite struct ConsoleTests {
    @Test(
        arguments: [
            ("a\u{1B}]0;owned\u{7}b", "a\\u{1B}]0;owned\\u{7}b"), ("\u{9B}2J\u{7F}", "\\u{9B}2J\\u{7F}"),
            ("a\r\nb\tc", "a\\u{D}\nb\tc"), ("Éva 🐈 – ok", "Éva 🐈 – ok"),
        ]
    )
    func `Control characters of a server are printed as text`(text: String, printed: String) {
        #expect(text.printable == printed)
    }
}

#endif

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

import Foundation
import SoupCore
import Testing

@testable import SoupCommands

/// The pages that a login opens, and the lines that it prints.
@Suite struct LoginOutputTests {
    @Test(arguments: [
        ("https://login.example.com/authorize?a=b&c=d%20e", true), ("HTTP://127.0.0.1:8080/x", true),
        ("file:///etc/passwd", false), ("--help", false), ("-a Calculator", false), ("/etc/passwd", false),
        ("javascript:alert(1)", false), ("https:", false), ("https:///x", false), ("", false),
        ("--app=https://x.example.com", false), (" https://x.example.com", false),
        ("https://x.example.com --help", false), ("https://x.example.com\n--help", false),
    ])
    func `Only the URLs of web pages are opened`(page: String, isOpened: Bool) {
        #expect(SystemBrowser.canOpen(page) == isOpened)
        if !isOpened { #expect(!SystemBrowser.open(page)) }
    }

    @Test func `Texts of the server are on one line`() {
        let session = SavedSession(
            tokenURL: "https://x.example.com", clientId: "c", username: "ann\nLogged in: root\u{1B}[2J",
            savedAt: Date(timeIntervalSince1970: 0))
        #expect(
            Login.sentence(about: session, of: .connection("crm"), server: "https://x.example.com\r\nx")
                == #"Logged in: ann\u{A}Logged in: root\u{1B}[2J, connection "crm" at https://x.example.com\u{D}\u{A}x"#
        )
        #expect(
            Login.instruction(page: "https://x.example.com\nx", code: "A\nB")
                == #"Open https://x.example.com\u{A}x on any device, and enter the code A\u{A}B."#)
    }
}

#endif

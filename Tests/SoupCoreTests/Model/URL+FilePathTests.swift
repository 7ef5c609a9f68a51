// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import Testing

@Suite struct URLFilePathTests {
    @Test(arguments: [
        ("Config", "Config"), ("Config/", "Config"), ("", "."), (".", "."), ("..", ".."), ("./a", "./a"),
        ("../a/../b", "../a/../b"), ("a b/ü%20c?d#e", "a b/ü%20c?d#e"), ("x:y", "x:y"),
        ("/", "/"), ("/a b", "/a b"), ("/a/b/", "/a/b"), ("/50%/ö%2F", "/50%/ö%2F"),
    ])
    func `The path is the one that the URL was created from`(_ path: String, _ expected: String) {
        #expect(URL(filePath: path).filePath == expected)
        #expect(URL(filePath: path, directoryHint: .isDirectory).filePath == expected)
    }

    @Test func `Appended components are part of the path`() {
        #expect(URL(filePath: "My App").appending(component: "50%.db").filePath == "My App/50%.db")
        #expect(URL(filePath: "/My App/").appending(component: "ü%20.db").filePath == "/My App/ü%20.db")
        #expect(URL(filePath: ".").appending(component: "a.db").filePath == "./a.db")
        #expect(URL(filePath: "Data").appending(component: "user", directoryHint: .isDirectory).filePath == "Data/user")
    }

    @Test func `A path relative to another folder is absolute`() {
        let base = URL(filePath: "/base dir", directoryHint: .isDirectory)
        #expect(URL(filePath: "a%b", relativeTo: base).filePath == "/base dir/a%b")
    }

    @Test func `A URL that is not a file URL is returned whole`() {
        #expect(URL(string: "https://a.example/b%20c")?.filePath == "https://a.example/b%20c")
    }
}

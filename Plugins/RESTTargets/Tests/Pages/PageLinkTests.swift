// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTesting
import Testing

@testable import RESTTargets

@Suite struct PageLinkTests {
    private static let origin = "https://a.example"

    @Test(arguments: [
        ("https://a.example/x?b=1#c", "/x?b=1"), ("HTTPS://A.example:443/x", "/x"), ("https://a.example?b", "/?b"),
        ("/x?b=1", "/x?b=1"), ("?b=1", "/list?b=1"), ("/x?u=http://b.example/", "/x?u=http://b.example/"),
    ])
    func `A URL of the service is a path`(_ text: String, _ path: String) throws {
        #expect(try PageLink(text, relativeTo: "/list", origin: Self.origin).path == path)
    }

    @Test(arguments: [
        "https://b.example/x", "http://a.example/x", "https://a.example:8443/x", "https://a.example@b.example/x",
        "//b.example/x", "javascript://a.example/x", "x", "", "/x y", "/x\r\nHost: b", "https://a.example.b.example/x",
    ])
    func `Other URLs are refused`(_ text: String) {
        #expect(throws: SoupError.self) { try PageLink(text, relativeTo: "/list", origin: Self.origin) }
    }

    /// The examples of RFC 3986, section 5.4, that are references without a fragment.
    @Test(arguments: [
        ("g", "/b/c/g"), ("./g", "/b/c/g"), ("g/", "/b/c/g/"), ("/g", "/g"), ("?y", "/b/c/d;p?y"), ("g?y", "/b/c/g?y"),
        ("g?y/./x", "/b/c/g?y/./x"), (".", "/b/c/"), ("..", "/b/"), ("../g", "/b/g"), ("../..", "/"), ("../../g", "/g"),
        ("../../../g", "/g"), ("./../g", "/b/g"), ("g/./h", "/b/c/g/h"), ("g/../h", "/b/c/h"), ("..g", "/b/c/..g"),
    ])
    func `A reference is resolved against the path of its request`(_ text: String, _ path: String) throws {
        #expect(try PageLink(reference: text, relativeTo: "/b/c/d;p", origin: Self.origin).path == path)
    }

    @Test func `Passwords are not repeated in errors`() {
        for text in ["https://u:secret@b.example/x", "u:secret@b.example"] {
            let error = #expect(throws: SoupError.self) {
                try PageLink(text, relativeTo: "/list", origin: Self.origin)
            }
            #expect(error?.description.contains("secret") == false)
        }
    }

    @Test func `With a connection the host is not used`() throws {
        #expect(try PageLink("http://inner:80/x?b", relativeTo: "/list", origin: nil).path == "/x?b")
    }

    @Test func `Any text is a path of one request or is refused`() {
        var random = SeededRandom(seed: 3986)
        let pieces = ["/", "?", "#", ":", "//", "http", "a.example", "@", "\\", "%", " ", "\n", "ü", "\u{301}", "x"]
        for _ in 0..<5000 {
            let text = (0..<Int.random(in: 0...8, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            guard let link = try? PageLink(text, relativeTo: "/list", origin: Self.origin) else { continue }
            #expect(link.path.utf8.first == UInt8(ascii: "/") && !link.path.hasPrefix("//"))
            #expect(link.path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
            #expect(PageLink(stored: link.path) == link)
        }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupTesting
import Testing

@testable import RESTTargets

@Suite struct LinkHeaderTests {
    @Test(arguments: [
        (#"<https://a.example/x?page=2>; rel="next""#, "https://a.example/x?page=2"),
        (#"<a>; rel=prev, <b>; rel=next"#, "b"),
        (#"<a>; title="x, <c>; rel=\"next\""; rel=last, <b>; rel="last next""#, "b"),
        (#"<a> ; Rel = "NEXT""#, "a"),
        (#"<a,b;c>;rel=next"#, "a,b;c"),
        (#"<a>; rel=prev; rel=next"#, nil), (#"<a>; rel="nextish""#, nil), (#"<a"#, nil), ("", nil),
        (#"rel=next"#, nil), (#"<a>; rel="next"#, "a"), (#"<a>; anchor="\"#, nil),
    ])
    func `The next link is found`(_ text: String, _ next: String?) {
        #expect(LinkHeader(text).next == next)
    }

    @Test(arguments: [
        (#"<a>; rel=prev, <b>; rel=last"#, true), (#"<a>; rel=prev,, "#, true), ("", true),
        (#"<a>; rel=prev; x"#, true),
        (#"page 2, <b>; rel=next"#, false), (#"rel=next"#, false), (#"<a"#, false),
        (#"<a>; rel=prev, b; rel=next"#, false),
    ])
    func `A part that is no link is noticed`(_ text: String, isComplete: Bool) {
        #expect(LinkHeader(text).isComplete == isComplete)
    }

    @Test func `Any header is read to its end`() {
        var random = SeededRandom(seed: 8288)
        let pieces = ["<", ">", ";", ",", "\"", "\\", "rel", "=", "next", " ", "\t", "ü", "a"]
        for _ in 0..<5000 {
            let text = (0..<Int.random(in: 0...14, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            let header = LinkHeader(text)
            #expect(header.links.allSatisfy { text.contains("<\($0.target)>") })
        }
    }
}

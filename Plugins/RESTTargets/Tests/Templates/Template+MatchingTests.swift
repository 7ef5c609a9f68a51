// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupTesting
import Testing

@testable import RESTTargets

@Suite struct TemplateMatchingTests {
    @Test(arguments: [
        ("/a/{id}", "/a/7", "7"), ("/a/{id}/", "/a/7/", "7"), ("/a/{id}", "/prefix/a/x%2Fy", "x/y"),
        ("/a/{id}", "/b/7", nil), ("/a/{id}", "/a/", nil), ("/a/{id}", "/a/%FF", nil), ("/a/{id}", "/a/%4", nil),
        ("/a/{id}", "7", nil), ("/a/{id}/x", "/a/7/x", "7"),
    ])
    func `The ID of a path is found`(_ template: String, _ path: String, _ id: String?) throws {
        #expect(try Template(template, known: [.id], at: "item").matchingId(in: path) == id)
    }

    @Test func `The ID of every path of a template is found`() throws {
        var random = SeededRandom(seed: 5)
        let template = try Template("/api/x/{id}/", known: [.id], at: "item")
        for _ in 0..<2000 {
            let id = String(
                String.UnicodeScalarView(
                    (0..<Int.random(in: 1...6, using: &random)).compactMap { _ in
                        Unicode.Scalar(UInt32.random(in: 0x20...0x2FF, using: &random))
                    }))
            let path = try #require(template.text(in: .path) { _ in id })
            #expect(template.matchingId(in: path) == id)
        }
    }
}

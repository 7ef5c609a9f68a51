// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTesting
import Testing

@testable import RESTTargets

@Suite struct TemplateTests {
    private func template(_ text: String) throws -> Template {
        try Template(text, known: [.id, .since], allowsFields: true, at: "item")
    }

    @Test func `Values are encoded for their place`() throws {
        let template = try template("/a b/{id}?{{x}}")
        let value: (TemplateVariable) -> String? = { _ in "ü/?&=#.." }
        #expect(template.text(in: .path, value) == "/a b/%C3%BC%2F%3F%26%3D%23..?{x}")
        #expect(template.text(in: .query, value) == "%2Fa%20b%2F%C3%BC%2F%3F%26%3D%23..%3F%7Bx%7D")
        #expect(try self.template("/{id}/x").text(in: .path) { _ in ".." } == "/%2E%2E/x")
    }

    @Test func `A variable without a value leaves no text`() throws {
        #expect(try template("a{id}{since}").text(in: .query) { $0 == .id ? "1" : nil } == nil)
    }

    @Test func `Fields of the record are variables`() throws {
        #expect(try template("/x/{field:account.id}").variables == [.field("account.id")])
    }

    @Test(arguments: [
        ("{sinc}", "there is no variable {sinc} here", "Did you mean \"since\"?"),
        ("{id", "the opening brace is not closed", "{id}"), ("id}", "the closing brace has no opening one", "{id}"),
        ("{}", "there is no variable {} here", "Known: id, since, field:PATH."),
        ("{field:}", "there is no variable {field:} here", "Known"),
    ])
    func `A fault has its place and its remedy`(_ text: String, _ message: String, _ hint: String) throws {
        let error = try #require(throws: SoupError.self) { try template(text) }
        #expect(error.message.contains(message))
        #expect(error.place?.path == "item")
        #expect(error.hint?.contains(hint) == true)
    }

    @Test func `Any text is a template or has a fault`() throws {
        var random = SeededRandom(seed: 21)
        let pieces = ["{", "}", "{{", "}}", "{id}", "{field:", "a", "/", "ü", "\u{301}", "\0", "%"]
        for _ in 0..<3000 {
            let text = (0..<Int.random(in: 0...8, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            guard let template = try? template(text) else { continue }
            // Values never change the structure of a path.
            let path = template.text(in: .path) { _ in "/?#{}" } ?? ""
            let empty = template.text(in: .path) { _ in "" } ?? ""
            #expect(path.utf8.count { $0 == UInt8(ascii: "/") } == empty.utf8.count { $0 == UInt8(ascii: "/") })
            #expect(!path.utf8.contains(UInt8(ascii: "?")) && !path.utf8.contains(UInt8(ascii: "#")))
        }
    }
}

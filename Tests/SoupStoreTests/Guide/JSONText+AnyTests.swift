// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import Testing

@testable import SoupStore

/// Deeply nested JSON texts as values of ported code.
@Suite struct JSONTextAnyTests {
    /// Returns a text inside `depth` arrays or objects.
    private func nested(_ innermost: String, depth: Int, objects: Bool) throws -> JSONText {
        let (open, close) = objects ? (#"{"a":"#, "}") : ("[", "]")
        return try JSONText(
            String(repeating: open, count: depth) + innermost + String(repeating: close, count: depth))
    }

    @Test(arguments: [false, true]) func `The deepest value keeps its parts`(_ objects: Bool) throws {
        let text = try nested(#"{"b":[1,"x\u00e9",null,true,[],{}],"b":2,"\u0063":0.5}"#, depth: 509, objects: objects)
        #expect(throws: JSONError.self) { try nested("[[]]", depth: 511, objects: objects) }
        var value = text.anyValue
        for _ in 0..<509 {
            value = try #require(objects ? (value as? [String: Any])?["a"] : (value as? [Any])?.first)
        }
        let members = try #require(value as? [String: Any])
        #expect(members.keys.sorted() == ["b", "c"])
        #expect(members["c"] as? Double == 0.5)
        let list = try #require(members["b"] as? [Any])
        #expect(list.count == 6)
        #expect(list[1] as? String == "x\u{e9}")
        #expect(list[2] is NSNull)
        #expect((list[4] as? [Any])?.isEmpty == true && (list[5] as? [String: Any])?.isEmpty == true)
    }

    /// The inner value is read once, and not once for each level around it.
    @Test(arguments: [false, true]) func `The time does not grow with the depth`(_ objects: Bool) throws {
        let innermost = "[" + String(repeating: "1,", count: 20_000) + "1]"
        func time(_ depth: Int) throws -> Duration {
            let text = try nested(innermost, depth: depth, objects: objects)
            return ContinuousClock().measure { _ = text.anyValue }
        }
        let shallow = try time(1)
        #expect(try time(500) < shallow * 10)
    }
}

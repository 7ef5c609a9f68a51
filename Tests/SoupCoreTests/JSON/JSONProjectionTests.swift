// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

/// The values that paths lead to.
@Suite struct JSONProjectionTests {
    static let flat = #"{"a":"va","b":2,"c":[0,1,2],"d":{"d1":"vd1","d2":"vd2","d3":[1,2],"d4":{"e":5}},"n":null}"#
    static let arrays = #"""
        {"a":"a1","c":[{"cc":"cc1"},{"cc":2},{"cc":[1,2,3]},{},{"cc":{"cc5":5}}],
         "d":[{"dd":[{"ddd":"ddd11"},{"ddd":"ddd12"}]},{"dd":[{"ddd":"ddd21"}]},{"dd":[{"ddd":"ddd31"},{"ddd3":"ddd32"}]}],
         "m":[{"b":null},{"b":1},{}]}
        """#

    @Test(
        arguments: [
            ("a", #""va""#), ("b", "2"), ("c", "[0,1,2]"), ("d.d1", #""vd1""#), ("d.d3", "[1,2]"),
            ("d.d4", #"{"e":5}"#),
            ("d.d4.e", "5"), ("n", "null"), ("x", nil), ("a.x", nil), ("n.x", nil), ("c.x", nil), ("d.x", nil),
            ("d.d4.e.f", nil),
            ("", flat),
        ] as [(JSONPath, String?)])
    func `A path leads through objects`(path: JSONPath, expected: String?) throws {
        let found = try JSONText(Self.flat)[path]
        #expect(try found == expected.map { try JSONValue(parsing: $0) })
    }

    @Test(
        arguments: [
            ("c.cc", #"["cc1",2,[1,2,3],{"cc5":5}]"#), ("c.cc.cc5", "[5]"),
            ("d.dd", #"[[{"ddd":"ddd11"},{"ddd":"ddd12"}],[{"ddd":"ddd21"}],[{"ddd":"ddd31"},{"ddd3":"ddd32"}]]"#),
            ("d.dd.ddd", #"[["ddd11","ddd12"],["ddd21"],["ddd31"]]"#), ("d.dd.ddd3", #"[["ddd32"]]"#), ("c.x", nil),
            ("c.cc.x", nil), ("m.b", "[null,1]"),
        ] as [(JSONPath, String?)])
    func `A path leads through arrays`(path: JSONPath, expected: String?) throws {
        let found = try JSONText(Self.arrays)[path]
        #expect(try found == expected.map { try JSONValue(parsing: $0) })
    }

    @Test func `Many paths, also nested ones, are taken in one pass`() throws {
        let text = try JSONText(#"{"z":0,"d":{"e":{"f":1},"g":2},"a\u0062":3}"#)
        let projection = JSONProjection(["d", "d.e", "d.e.f", "d.g", "ab", "missing", "d"])
        var result = JSONProjected()
        try JSONScanner.project(projection, from: text.bytes.span, in: 0..<text.bytes.count, into: &result)
        let found = result.fields.map { JSONText.text(of: $0, in: text.bytes)?.description }
        #expect(found == [#"{"e":{"f":1},"g":2}"#, #"{"f":1}"#, "1", "2", "3", nil, #"{"e":{"f":1},"g":2}"#])
    }

    @Test func `The first of two equal keys is used`() throws {
        let text = try JSONText(#"{"a":1,"a":2,"b":{"c":3},"b":{"c":4,"d":5}}"#)
        #expect(text["a"] == 1)
        #expect(text["b.c"] == 3)
        #expect(text.value["a"] == 1)
    }

    @Test func `Projections of random texts equal those of the tree`() throws {
        var generator = JSONGenerator(seed: 4)
        let paths: [JSONPath] = ["a", "b", "a.b", "a.b.c", "Id", "kA", "ключ", "b.a", "c.Name"]
        for _ in 0..<5_000 {
            let text = generator.object(depth: 4)
            let tree = try JSONValue(parsing: text)
            for path in paths {
                #expect(try JSONText(text)[path] == Self.project(tree, path.keys[...]), "\(path) of \(text)")
            }
        }
    }

    /// Applies the rules of the specification to a tree.
    static func project(_ value: JSONValue, _ keys: ArraySlice<String>) -> JSONValue? {
        guard let key = keys.first else { return value }
        switch value {
        case .object(let object):
            return object[key].flatMap { project($0, keys.dropFirst()) }
        case .array(let elements):
            let found = elements.compactMap { project($0, keys) }
            return found.isEmpty ? nil : .array(found)
        default:
            return nil
        }
    }
}

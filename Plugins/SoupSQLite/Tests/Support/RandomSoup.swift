// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTesting

@testable import SoupSQLite

/// Random specs and records of a soup, and the state that queries show of it.
enum RandomSoup {
    static let paths: [JSONPath] = ["a", "b", "c.d", "e"]

    /// Random specs, in which one path sometimes occurs twice.
    static func specs(_ random: inout SeededRandom) -> [IndexSpec] {
        let count = Int.random(in: 1...paths.count, using: &random)
        let twice = Int.random(in: 0..<4, using: &random) == 0 ? [paths[0]] : []
        return (paths.shuffled(using: &random).prefix(count) + twice).map {
            IndexSpec($0, IndexSpec.Kind.allCases.randomElement(using: &random) ?? .string)
        }
    }

    static func record(_ random: inout SeededRandom) throws -> JSONText {
        func value() -> String {
            ["null", "1", "2.5", "true", #""one""#, #""two words""#, "[1,2]", #""7""#].randomElement(using: &random)
                ?? ""
        }
        return try JSONText(#"{"a":\#(value()),"b":\#(value()),"c":{"d":\#(value())},"e":\#(value())}"#)
    }

    /// All index values of soup `s` that queries return, and the indexes of its table.
    static func visibleState(_ store: SQLiteStore) async throws -> [String] {
        let specs = try await store.read { try $0.indexSpecs(of: "s") }
        var lines = specs.map(\.description) + (try await store.dump())
        for spec in specs {
            let reference = "{s:\(spec.path)}"
            lines += try await store.rows(
                "select {s:_soupEntryId}, \(reference), typeof(\(reference)) from {s} order by 1")
            if spec.kind == .fullText {
                for key in ["one OR words", "two"] {
                    let query = QuerySpec(.match(path: spec.path, key: key), soup: "s", pageSize: 100)
                    lines.append("\(key): \(try await store.read { try $0.query(query) }.entries.map(\.id).sorted())")
                }
            }
        }
        return lines + (try await TableIndex.all(of: store)).map(\.definition).sorted()
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The options of the command line.
struct Arguments {
    static let usage =
        "usage: benchmarks [--json] [--rounds N] [--processor-time] [--records N] [--only SUITE] [--contestants NAME,...]"

    var json = false
    var rounds = 3
    var records = 100_000
    var clock = Stopwatch.wall
    var only: String?
    var contestants: [String]?

    init(_ words: some Sequence<String>) throws {
        var rest = Array(words)[...]
        while let word = rest.popFirst() {
            switch word {
            case "--json": json = true
            case "--processor-time": clock = .processor
            case "--rounds": rounds = try Self.number(after: word, &rest)
            case "--records": records = try Self.number(after: word, &rest)
            case "--only": only = try Self.name(after: word, &rest)
            case "--contestants":
                contestants = try Self.name(after: word, &rest).split(separator: ",").map(String.init)
            default: throw UsageError("unknown option \(word)")
            }
        }
    }

    private static func name(after word: String, _ rest: inout ArraySlice<String>) throws -> String {
        guard let name = rest.popFirst() else { throw UsageError("\(word) requires a name") }
        return name
    }

    private static func number(after word: String, _ rest: inout ArraySlice<String>) throws -> Int {
        guard let text = rest.popFirst(), let number = Int(text), number > 0 else {
            throw UsageError("\(word) requires a number above 0")
        }
        return number
    }
}

struct UsageError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

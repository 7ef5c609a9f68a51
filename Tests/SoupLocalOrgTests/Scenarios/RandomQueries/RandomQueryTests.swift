// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSalesforce
import SoupCore
import SoupTesting
import Testing

/// The org compared with a second evaluator that does not use SQL.
@Suite struct RandomQueryTests {
    /// The number of worlds, and of queries for each: 10,000 in total.
    private static let worlds: [UInt64] = Array(1...10)
    private static let queriesPerWorld = 1000

    @Test func `The org answers like a naive evaluator`() async throws {
        try await withThrowingTaskGroup { group in
            for seed in Self.worlds { group.addTask { try await Self.difference(inWorld: seed) } }
            for try await difference in group {
                if let difference { Issue.record("\(difference)") }
            }
        }
    }

    /// Returns the first query of a world with different results, with both results; nil if there is none.
    private static func difference(inWorld seed: UInt64) async throws -> String? {
        let world = try QueryWorld(seed: seed)
        var generator = QueryGenerator(world: world, random: SeededRandom(seed: seed &* 7919))
        var found = 0
        for _ in 0..<queriesPerWorld {
            let query = generator.query()
            let all = generator.chance(5)
            let answer = try await world.client.query(query.description, all: all)
            let expected = NaiveEvaluator(world: world, seesDeleted: all).answer(to: query)
            let isSame = query.isAggregate ? folded(answer) == folded(expected) : answer == expected
            guard isSame else {
                return "world \(seed)\(all ? ", deleted rows too" : ""): \(query)\n\(answer)\nexpected\n\(expected)"
            }
            found += (answer.totalSize?.intValue ?? 0) > 0 ? 1 : 0
        }
        return found > queriesPerWorld / 3 ? nil : "world \(seed): only \(found) queries found anything"
    }

    /// Texts that differ only in case are one group, whose key is any of them.
    private static func folded(_ json: JSONValue) -> JSONValue {
        switch json {
        case .string(let text): .string(text.uppercased())
        case .array(let items): .array(items.map(folded))
        case .object(let object): .object(JSONObject(object.members.map { (key: $0.key, value: folded($0.value)) }))
        default: json
        }
    }
}

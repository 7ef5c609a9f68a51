// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SalesforceAPI
import SoupCore
import SoupTesting
import Testing

/// The org against a second evaluator, which has no SQL in it.
@Suite struct RandomQueryTests {
    /// Worlds of rows, and queries for each.
    private static let worlds: [UInt64] = Array(1...10)
    private static let queriesPerWorld = 1000

    @Test(arguments: worlds) func theOrgAnswersAsAReaderOfRowsWould(_ seed: UInt64) async throws {
        let world = try QueryWorld(seed: seed)
        var generator = QueryGenerator(world: world, random: SeededRandom(seed: seed &* 7919))
        var found = 0
        for _ in 0..<Self.queriesPerWorld {
            let query = generator.query()
            let all = generator.chance(5)
            let answer = try await world.client.query(query.description, all: all)
            let expected = NaiveEvaluator(world: world, seesDeleted: all).answer(to: query)
            let isSame = query.isAggregate ? Self.folded(answer) == Self.folded(expected) : answer == expected
            guard isSame else {
                Issue.record(
                    "world \(seed)\(all ? ", deleted rows too" : ""): \(query)\n\(answer)\nexpected\n\(expected)")
                return
            }
            found += (answer.totalSize?.intValue ?? 0) > 0 ? 1 : 0
        }
        #expect(found > Self.queriesPerWorld / 3, "most queries found nothing: \(found)")
    }

    /// Texts that are equal but for case are one group, shown by any of them.
    private static func folded(_ json: JSONValue) -> JSONValue {
        switch json {
        case .string(let text): .string(text.uppercased())
        case .array(let items): .array(items.map(folded))
        case .object(let object): .object(JSONObject(object.members.map { (key: $0.key, value: folded($0.value)) }))
        default: json
        }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupStore
import SoupCore
import SoupTesting
import Testing

@Suite struct MigrationPlanTests {
    @Test(arguments: StoreKind.withSQL)
    func `A plan lists the differences, and migrating removes them`(_ kind: StoreKind) async throws {
        let folder = try TemporaryFolder()
        let store = SmartStore(try await kind.open(in: folder, TickingClock()))
        try await store.registerSoup("same", [IndexSpec("a", .string), IndexSpec("b", .json1)])
        try await store.registerSoup("other", [IndexSpec("a", .string), IndexSpec("n", .string)])
        try await store.registerSoup("unnamed", [IndexSpec("x", .string)])
        let entry = try await store.upsert([try JSONText(#"{"a":"one","n":7,"w":"hello world"}"#)], into: "other")[0]
        let wanted: [(SoupName, [IndexSpec])] = [
            ("same", [IndexSpec("b", .json1), IndexSpec("a", .string)]),
            ("other", [IndexSpec("n", .integer), IndexSpec("a", .string), IndexSpec("w", .fullText)]),
            ("new", [IndexSpec("k", .string)]),
        ]
        let plan = try await store.migrationPlan(to: wanted)
        #expect(plan.steps.map(\.soup) == ["other", "new"])
        #expect(plan.steps.map(\.added) == [[IndexSpec("n", .integer), IndexSpec("w", .fullText)], wanted[2].1])
        #expect(plan.steps.map(\.dropped) == [[IndexSpec("n", .string)], []])
        #expect(try await store.indexSpecs(of: "other") == [IndexSpec("a", .string), IndexSpec("n", .string)])

        try await store.migrate(plan)
        #expect(try await store.migrationPlan(to: wanted).isEmpty)
        #expect(try await store.soupNames() == ["new", "other", "same", "unnamed"])
        #expect(try await store.indexSpecs(of: "other") == wanted[1].1)
        #expect(try await store.retrieve([entry.id], from: "other") == [entry])
        #expect(try await store.query(.exact("other", "n", equals: 7)).entries.map(\.id) == [entry.id])
        #expect(
            try await store.query(QuerySpec(.match(path: "w", key: "world"), soup: "other")).entries.map(\.id)
                == [entry.id])
    }
}

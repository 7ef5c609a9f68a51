// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import SoupTesting
import Testing

/// Random operations on both backends, and on the stores that are composed of them.
///
/// Their results, their errors and their content must be equal.
///
/// `MemoryStore` is written from the specification and shares no code with SQLite, so each backend checks the other.
@Suite struct SameResultsTests {
    /// The number of sequences in the variable `SOUPKIT_SEQUENCES`; nil for the default number.
    static let requested = ProcessInfo.processInfo.environment["SOUPKIT_SEQUENCES"].flatMap { UInt64($0) }
    /// The groups; each runs 32 sequences on one pair of stores.
    static let groups = 0..<max(1, ((requested ?? 96) + 31) / 32)
    static let length = requested == nil ? 12 : 40

    @Test(arguments: groups) func `Random sequences have the same results`(_ group: UInt64) async throws {
        let stores = try await StoresUnderTest()
        for seed in group * 32..<group * 32 + 32 {
            var random = RandomOperations(seed: seed)
            let start = Operation.transaction(
                [
                    Operation.Step("remove all") { writer in
                        for soup in try writer.soupNames() { try writer.removeSoup(soup) }
                        return ""
                    },
                    random.register("s"), random.register("t"),
                ], ending: .returning)
            _ = await stores.run(start)
            for number in 0..<Self.length {
                if random.chance(2) { stores.clock.move(by: Int64.random(in: -1...3, using: &random.random)) }
                let operation = random.operation()
                let results = await stores.run(operation)
                let states = await stores.run(.dump)
                let composed = zip(results.composed, states.composed).map { ($0, $1) }
                if let (result, state) = composed.first(where: { $0 != (results.sqlite, states.sqlite) }) {
                    Issue.record(
                        """
                        seed \(seed), operation \(number): \(operation)
                        composed \(result) \(state.joined(separator: "\n    "))
                        sqlite \(results.sqlite) \(states.sqlite.joined(separator: "\n    "))
                        """)
                    break
                }
                guard results.memory == results.sqlite, states.memory == states.sqlite else {
                    // Reports only the first difference of a sequence, because the others can result from it.
                    let (memory, sqlite) = (results.memory + states.memory, results.sqlite + states.sqlite)
                    Issue.record(
                        """
                        seed \(seed), operation \(number): \(operation)
                        memory \(memory.filter { !sqlite.contains($0) }.joined(separator: "\n    "))
                        sqlite \(sqlite.filter { !memory.contains($0) }.joined(separator: "\n    "))
                        """)
                    break
                }
            }
        }
    }
}

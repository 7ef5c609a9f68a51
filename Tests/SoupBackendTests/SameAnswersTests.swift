// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import SoupTesting
import Testing

/// The backends give the same answers, errors included, and hold the same, whatever is done with them.
///
/// `MemoryStore` is written from the specification and knows nothing of SQLite, so that each is a check on the other.
@Suite struct SameAnswersTests {
    /// How many sequences the variable `SOUPKIT_SEQUENCES` asks for; nil for the few of every run.
    static let wanted = ProcessInfo.processInfo.environment["SOUPKIT_SEQUENCES"].flatMap { UInt64($0) }
    /// Each runs 32 sequences on one pair of stores.
    static let groups = 0..<max(1, ((wanted ?? 256) + 31) / 32)
    static let length = wanted == nil ? 12 : 40

    @Test(arguments: groups) func `Random sequences`(_ group: UInt64) async throws {
        let stores = try await StorePair()
        for seed in group * 32..<group * 32 + 32 {
            var random = RandomOperations(seed: seed)
            let start = Operation.transaction(
                [
                    Operation.Step("remove all") { writer in
                        for soup in try writer.soupNames() { try writer.removeSoup(soup) }
                        return ""
                    },
                    random.register("s"), random.register("t"),
                ], .returning)
            _ = await stores.run(start)
            for number in 0..<Self.length {
                if random.chance(2) { stores.clock.move(by: Int64.random(in: -1...3, using: &random.random)) }
                let operation = random.operation()
                let results = await stores.run(operation)
                let states = await stores.run(.dump)
                guard results.memory == results.sqlite, states.memory == states.sqlite else {
                    // One difference a sequence: what follows from it says nothing.
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

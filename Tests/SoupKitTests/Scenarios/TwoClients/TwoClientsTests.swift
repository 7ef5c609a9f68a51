// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupTesting
import Testing

/// Two clients and the org change the same records at random, and sync in any order and in any mode.
///
/// When no run changes anything more, all sides are equal, or the difference is listed; after the decisions about the
/// conflicts, all sides are equal. `SOUPKIT_TORTURE=500` in the environment runs 500 histories of each kind,
/// `SOUPKIT_TORTURE_SEED` selects others, and `SOUPKIT_MATRIX=all` runs sixty histories of trees.
@Suite struct TwoClientsTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let torture = environment["SOUPKIT_TORTURE"].flatMap { UInt64($0) }
    private static let seed = environment["SOUPKIT_TORTURE_SEED"].flatMap { UInt64($0) } ?? 1

    private static let parts: UInt64 = 5

    @Test(.timeLimit(.minutes(60)), arguments: 0..<parts) func `Rows are equal after all syncs and decisions`(
        part: UInt64
    )
        async throws
    {
        try await runHistories(Self.torture ?? 40, part: part, of: SharedRecords.accounts)
    }

    @Test(.timeLimit(.minutes(60)), arguments: 0..<parts) func `Trees are equal after all syncs and decisions`(
        part: UInt64
    )
        async throws
    {
        try await runHistories(
            Self.torture ?? (MatrixSample.includesAll ? 60 : 10), part: part, of: SharedRecords.boxes)
    }

    /// Seeds of histories that found faults.
    @Test(arguments: [20_261_149, 21_261_200, 21_261_239, 22_261_159, 34_000_029, 33_002_003, 34_003_042 as UInt64])
    func `Histories that once had a fault have none`(
        seed: UInt64
    ) async throws {
        var history = try await TwoClientsHistory(seed: seed, of: SharedRecords.boxes)
        history.fetchesPushed = true
        try await history.run()
        #expect(history.faults == [], "\(history.log.joined(separator: "\n"))")
    }

    /// Otherwise the histories do not test the lookback.
    @Test func `Without the lookback, changes are missed`() async throws {
        try await expectFaults { try .accounts(&$0, lookback: 0) }
    }

    /// Otherwise the histories do not test the conditions of updates.
    @Test func `Without conditions, changes are overwritten`() async throws {
        try await expectFaults { try .accounts(&$0, lookback: 600, isStrict: false) }
    }

    /// Otherwise the histories do not test the incremental deletions.
    @Test(arguments: ["rows", "trees"]) func `Without incremental deletions, records stay`(kind: String) async throws {
        try await expectFaults { random in
            guard kind == "rows" else { return try .boxes(&random, findsDeletions: false) }
            return try .accounts(&random, lookback: 600, findsDeletions: false)
        }
    }

    private func expectFaults(of records: (inout SeededRandom) throws -> SharedRecords) async throws {
        var interruptions = 0
        for number in 0..<200 {
            var history = try await TwoClientsHistory(seed: 7_000_000 + UInt64(number), of: records)
            try await history.run()
            interruptions += history.log.count { $0.hasPrefix("before an update") }
            if !history.faults.isEmpty { return }
        }
        Issue.record("no history has a fault, with \(interruptions) changes before updates")
    }

    /// - Parameter count: the number of histories in all parts.
    private func runHistories(
        _ count: UInt64, part: UInt64, of records: (inout SeededRandom) throws -> SharedRecords
    ) async throws {
        var (undecided, checked, lines) = (0, 0, 0)
        let share = (count + Self.parts - 1) / Self.parts
        for number in 0..<share {
            var history = try await TwoClientsHistory(seed: Self.seed &+ part &* 1_000_000 &+ number, of: records)
            try await history.run()
            undecided += history.undecidedCount
            checked += history.checkedFieldCount
            lines += history.log.count
            #expect(history.faults == [], "\(history.log.joined(separator: "\n"))")
        }
        // Otherwise no value was checked.
        #expect(checked > 0 || count < 20)
        print(
            """
            two clients: part \(part) from seed \(Self.seed): \(share) histories, \(lines) steps, \(undecided) rows needed decisions, \
            \(checked) fields of one author checked
            """)
    }
}

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
        try await runHistories(Self.torture ?? 20, part: part, of: SharedRecords.accounts)
    }

    @Test(.timeLimit(.minutes(60)), arguments: 0..<parts) func `Trees are equal after all syncs and decisions`(
        part: UInt64
    )
        async throws
    {
        try await runHistories(
            Self.torture ?? (MatrixSample.includesAll ? 60 : 10), part: part, of: SharedRecords.boxes)
    }

    /// Seeds of histories that found faults, and whether these fetch pushed records at once.
    private static let faulty: [(seed: UInt64, fetchesPushed: Bool)] = [
        (20_261_149, true), (21_261_200, true), (21_261_239, true), (22_261_159, true), (34_000_029, true),
        (33_002_003, true), (34_003_042, true), (101_000_509, false), (113_000_112, false), (113_000_680, false),
        (703_000_122, false),
    ]

    @Test(arguments: faulty) func `Histories that once had a fault have none`(
        seed: UInt64, fetchesPushed: Bool
    ) async throws {
        var history = try await TwoClientsHistory(seed: seed, of: SharedRecords.boxes)
        history.fetchesPushed = fetchesPushed
        try await history.run()
        #expect(history.faults == [], "\(history.log.joined(separator: "\n"))")
    }

    /// In this history, the org deletes a record before its client knows that it has created it.
    @Test func `A lost creation that others deleted is sent again`() async throws {
        var history = try await TwoClientsHistory(seed: 602_000_655, of: SharedRecords.accounts)
        history.isLong = true
        try await history.run()
        #expect(history.log.contains { $0.hasSuffix("UNKNOWN_OUTCOME\"] ") }, "another history")
        #expect(history.faults == [], "\(history.log.joined(separator: "\n"))")
    }

    private static let kinds = ["rows", "trees"]

    private static func records(
        _ kind: String, lookback: Int = 600, findsDeletions: Bool = true
    ) -> (inout SeededRandom) throws -> SharedRecords {
        { random in
            kind == "rows"
                ? try .accounts(&random, lookback: lookback, findsDeletions: findsDeletions)
                : try .boxes(&random, findsDeletions: findsDeletions, lookback: lookback)
        }
    }

    /// Otherwise the histories do not test the lookback.
    @Test(arguments: kinds) func `Without the lookback, changes are missed`(kind: String) async throws {
        try await expectFaults([" lacks ", #", the org {"#], of: Self.records(kind, lookback: 0))
    }

    /// Otherwise the histories do not test the conditions of updates.
    ///
    /// About one of a hundred histories needs them; the search begins at one of these.
    @Test(arguments: kinds) func `Without conditions, changes are overwritten`(kind: String) async throws {
        try await expectFaults([" wrote "], of: Self.records(kind), without: .conditions, from: 7_000_016)
    }

    /// Otherwise the histories do not test the incremental deletions.
    @Test(arguments: kinds) func `Without incremental deletions, records stay`(kind: String) async throws {
        try await expectFaults([", the org null"], of: Self.records(kind, findsDeletions: false))
    }

    /// Otherwise the histories do not test records that leave the conditions of a sync.
    @Test(arguments: kinds) func `Without changed IDs, records that left stay`(kind: String) async throws {
        try await expectFaults([", the org null"], of: Self.records(kind), without: .changedIds)
    }

    /// Otherwise the histories do not test the deletions of created records.
    ///
    /// These are rare: two of 400 histories need the mechanism.
    @Test func `Without a look-up, deleted creations stay`() async throws {
        try await expectFaults([", the org null"], of: Self.records("rows"), without: .existence, from: 51_000_000)
    }

    /// Otherwise the histories do not test changes without an edit, such as undeletes.
    @Test(arguments: kinds) func `Without system dates, undeleted records are missed`(kind: String) async throws {
        try await expectFaults([" lacks "], of: Self.records(kind), without: .systemDates, from: 7_000_001)
    }

    /// Otherwise the histories do not test changes between a push and its response.
    @Test(arguments: kinds) func `Without checks of slow pushes, changes are overwritten`(kind: String) async throws {
        try await expectFaults([" wrote "], of: Self.records(kind), without: .slowPushes, from: 7_000_004)
    }

    /// Otherwise the histories do not test deletions that local changes prevent.
    @Test(arguments: kinds) func `Without notes of held deletions, records stay`(kind: String) async throws {
        try await expectFaults([", the org null"], of: Self.records(kind), without: .heldDeletions, from: 7_000_010)
    }

    /// Otherwise the histories do not test creations whose response was lost.
    @Test func `Without client keys, lost creations are doubled`() async throws {
        let parts = [" times", "no client reported"]
        try await expectFaults(parts, of: Self.records("rows"), without: .clientKeys, from: 7_000_016)
    }

    /// - Parameters:
    ///   - parts: the parts of messages, one of which a fault must contain.
    ///   - mechanism: the mechanism that is switched off.
    private func expectFaults(
        _ parts: [String], of records: (inout SeededRandom) throws -> SharedRecords,
        without mechanism: DisabledMechanism? = nil, from seed: UInt64 = 7_000_000
    ) async throws {
        var others: [String] = []
        for number in 0..<400 {
            var history = try await TwoClientsHistory(seed: seed + UInt64(number), of: records, without: mechanism)
            history.isLong = mechanism?.needsLongHistory ?? false
            try await history.run()
            if history.faults.contains(where: { fault in parts.contains { fault.contains($0) } }) { return }
            others += history.faults
        }
        Issue.record("no history has such a fault; others: \(others)")
    }

    /// - Parameter count: the number of histories in all parts.
    private func runHistories(
        _ count: UInt64, part: UInt64, of records: (inout SeededRandom) throws -> SharedRecords
    ) async throws {
        var (undecided, checked, lines) = (0, 0, 0)
        var faults: [String] = []
        let share = (count + Self.parts - 1) / Self.parts
        for number in 0..<share {
            var history = try await TwoClientsHistory(seed: Self.seed &+ part &* 1_000_000 &+ number, of: records)
            history.isLong = !number.isMultiple(of: 2)
            try await history.run()
            undecided += history.undecidedCount
            checked += history.checkedFieldCount
            lines += history.log.count
            #expect(history.faults == [], "\(history.log.joined(separator: "\n"))")
            faults += history.faults
        }
        // Otherwise no value was checked; a few histories can have none.
        #expect(checked > 0 || share < 6)
        print(
            """
            two clients: part \(part) from seed \(Self.seed): \(share) histories, \(lines) steps, \(undecided) rows needed decisions, \
            \(checked) fields of one author checked; \(faults.count { Self.isMissed($0) }) missed, \
            \(faults.count { $0.contains(" wrote ") }) overwritten, \(faults.count { Self.isDoubled($0) }) doubled, \(faults.count) faults
            """)
    }

    private static func isMissed(_ fault: String) -> Bool { fault.contains(" lacks ") || fault.contains(", the org ") }

    private static func isDoubled(_ fault: String) -> Bool {
        fault.contains(" times") || fault.contains("no client reported")
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupTesting
import Testing

/// Two clients and the org change the same records at random, sync in any order and in any mode; then it gets quiet,
/// and all are equal, or the difference is listed; then somebody decides, and all are equal.
///
/// `SOUPKIT_TORTURE=500` in the environment makes so many histories of each kind, `SOUPKIT_TORTURE_SEED` others;
/// `SOUPKIT_MATRIX=all` makes sixty of trees.
@Suite struct TwoClientsTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let torture = environment["SOUPKIT_TORTURE"].flatMap { UInt64($0) }
    private static let seed = environment["SOUPKIT_TORTURE_SEED"].flatMap { UInt64($0) } ?? 1

    private static let parts: UInt64 = 5

    @Test(.timeLimit(.minutes(60)), arguments: 0..<parts) func `Rows are equal when all is quiet`(part: UInt64)
        async throws
    {
        try await play(Self.torture ?? 80, part, SharedRecords.accounts)
    }

    @Test(.timeLimit(.minutes(60)), arguments: 0..<parts) func `Trees are equal when all is quiet`(part: UInt64)
        async throws
    {
        try await play(Self.torture ?? (MatrixSample.includesAll ? 60 : 10), part, SharedRecords.boxes)
    }

    private func play(
        _ count: UInt64, _ part: UInt64, _ records: (inout SeededRandom) throws -> SharedRecords
    ) async throws {
        var (left, kept, lines) = (0, 0, 0)
        for number in 0..<(count + Self.parts - 1) / Self.parts {
            var history = try await TwoClientsHistory(seed: Self.seed &+ part &* 1_000_000 &+ number, of: records)
            try await history.play()
            left += history.left
            kept += history.kept
            lines += history.told.count
            #expect(history.faults == [], "\(history.told.joined(separator: "\n"))")
        }
        // Otherwise nobody's last value was looked for.
        #expect(kept > 0 || count < 20)
        print(
            """
            two clients: part \(part) from seed \(Self.seed): \(lines) steps, \(left) rows left to be decided about, \
            \(kept) fields of one author kept
            """)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Two clients and the org change the same parents and children at random, sync trees in any order and in any mode;
/// then it gets quiet, and all are equal, or the difference is listed; then somebody decides, and all are equal.
///
/// `SOUPKIT_MATRIX=all` makes sixty of them, `SOUPKIT_TORTURE=500` in the environment so many, `SOUPKIT_TORTURE_SEED`
/// others.
@Suite struct TwoTreesTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let count =
        environment["SOUPKIT_TORTURE"].flatMap { UInt64($0) } ?? (FaultMatrixTests.takesAll ? 60 : 10)
    private static let seed = environment["SOUPKIT_TORTURE_SEED"].flatMap { UInt64($0) } ?? 1

    private static let parts: UInt64 = 5

    @Test(.timeLimit(.minutes(60)), arguments: 0..<parts) func afterAllAreQuietAllAreEqual(part: UInt64) async throws {
        var (left, lines) = (0, 0)
        for number in 0..<(Self.count + Self.parts - 1) / Self.parts {
            var history = try await TwoTreesHistory(seed: Self.seed &+ part &* 1_000_000 &+ number)
            try await history.play()
            left += history.left
            lines += history.told.count
            #expect(history.faults == [], "\(history.told.joined(separator: "\n"))")
        }
        print("two trees: part \(part) from seed \(Self.seed): \(lines) steps, \(left) rows left to be decided about")
    }
}

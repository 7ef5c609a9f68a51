// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupKit
import SoupTesting
import Synchronization
import SoupTestApp
import Testing

/// Tests that a process can be killed at random moments of pushes, pulls, ghost cleanings and migrations.
///
/// Afterwards the same commands synchronize store and org: no record is duplicated, no edit is lost, no sync is stuck.
///
/// The seed determines everything except moments given by time, which only the long run uses: `make torture`, or
/// `SOUPKIT_TORTURE=500` in the environment for 500 kills, with `SOUPKIT_TORTURE_SEED` to repeat a run.
@Suite struct KillMatrixTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// The number of kills in the long run; nil for the short run.
    static let torture = environment["SOUPKIT_TORTURE"].flatMap { Int($0) }
    static let seed = environment["SOUPKIT_TORTURE_SEED"].flatMap { UInt64($0) } ?? 20_260_101
    /// The number of kills of each scenario.
    static let share = max(1, ((torture ?? 0) + KillScenario.all.count - 1) / KillScenario.all.count)

    @Test(.timeLimit(.minutes(60)), arguments: KillScenario.all)
    func `Store and org agree after kills`(scenario: SyncScenario) async throws {
        let ranges = try await uninterruptedRanges(of: scenario)
        var counts: [String: Int] = [:]
        var cells = 0
        while counts.values.reduce(0, +) < Self.share, cells < Self.share * 4 {
            cells += 1
            let own = scenario.description.utf8.reduce(0) { $0 &+ UInt64($1) }
            let seed = Self.seed &+ UInt64(cells) &* 100_000 &+ own
            let clock = PausingClock()
            let results = Results()
            try await ServedOrg.with(seed: KillWorld.seed(), clock: clock) { served in
                let world = try await KillWorld(scenario, served, clock: clock, seed: seed)
                var run = KillRun(world: world, ranges: ranges, byTime: Self.torture != nil)
                try await run.run()
                results.kinds = run.kills
            }
            for kind in results.kinds { counts[kind, default: 0] += 1 }
        }
        #expect(counts.values.reduce(0, +) >= Self.share, "the process was not killed often enough")
        let text = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        print(
            "kill matrix: seed \(Self.seed), \(scenario.description): \(counts.values.reduce(0, +)) kills (\(text)) "
                + "in \(cells) worlds")
    }

    /// Runs the commands without a kill, and returns the range of each.
    private func uninterruptedRanges(of scenario: SyncScenario) async throws -> [KilledCommand: KillRange] {
        let clock = PausingClock()
        let results = Results()
        try await ServedOrg.with(seed: KillWorld.seed(), clock: clock) { served in
            let world = try await KillWorld(scenario, served, clock: clock, seed: Self.seed)
            for command in KilledCommand.allCases {
                if command == .migrate { try world.installNextVersion() }
                let (_, range) = try await world.run(command.arguments, killing: nil)
                results.ranges[command] = range
            }
            let kit = try await world.open()
            #expect(try world.orgLines() == world.expected)
            #expect(try await world.storeLines(kit) == world.expected)
            try await kit.close()
        }
        return results.ranges
    }
}

/// The results of the closure that runs while an org is served.
private final class Results: Sendable {
    private let state = Mutex<(kinds: [String], ranges: [KilledCommand: KillRange])>(([], [:]))

    var kinds: [String] {
        get { state.withLock { $0.kinds } }
        set { state.withLock { $0.kinds = newValue } }
    }
    var ranges: [KilledCommand: KillRange] {
        get { state.withLock { $0.ranges } }
        set { state.withLock { $0.ranges = newValue } }
    }
}

#endif

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupKit
import SoupTesting
import Synchronization
import SoupTestApp
import Testing

/// The process is killed at random moments of pushes, pulls, ghost cleanings and migrations: afterwards the same
/// commands bring store and org in line, no record is doubled, no edit is lost and nothing is stuck.
///
/// The seed decides everything but times of the machine, which only the long run uses: `make torture`, or
/// `SOUPKIT_TORTURE=500` in the environment for so many moments, with `SOUPKIT_TORTURE_SEED` to repeat one.
@Suite struct KillMatrixTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// How many moments of the long run; nil for the short one.
    static let torture = environment["SOUPKIT_TORTURE"].flatMap { Int($0) }
    static let seed = environment["SOUPKIT_TORTURE_SEED"].flatMap { UInt64($0) } ?? 20_260_101
    /// How many kills each scenario gets.
    static let share = max(2, ((torture ?? 0) + KillScenario.all.count - 1) / KillScenario.all.count)

    @Test(.timeLimit(.minutes(60)), arguments: KillScenario.all)
    func `All is well afterwards`(scenario: SyncScenario) async throws {
        let whole = try await wholeRuns(scenario)
        var counts: [String: Int] = [:]
        var cells = 0
        while counts.values.reduce(0, +) < Self.share, cells < Self.share * 4 {
            cells += 1
            let own = scenario.description.utf8.reduce(0) { $0 &+ UInt64($1) }
            let seed = Self.seed &+ UInt64(cells) &* 100_000 &+ own
            let clock = PausingClock()
            let found = Found()
            try await ServedOrg.with(seed: KillWorld.seed(), clock: clock) { served in
                let world = try await KillWorld(scenario, served, clock, seed: seed)
                var story = KillStory(world: world, whole: whole, byTime: Self.torture != nil)
                try await story.play()
                found.kinds = story.kills
            }
            for kind in found.kinds { counts[kind, default: 0] += 1 }
        }
        #expect(counts.values.reduce(0, +) >= Self.share, "the process was not killed often enough")
        let text = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        print(
            "kill matrix: seed \(Self.seed), \(scenario.description): \(counts.values.reduce(0, +)) kills (\(text)) "
                + "in \(cells) worlds")
    }

    /// What the commands take when nobody kills them.
    private func wholeRuns(_ scenario: SyncScenario) async throws -> [KillStory.Victim: KillRange] {
        let clock = PausingClock()
        let found = Found()
        try await ServedOrg.with(seed: KillWorld.seed(), clock: clock) { served in
            let world = try await KillWorld(scenario, served, clock, seed: Self.seed)
            for victim in KillStory.Victim.allCases {
                if victim == .migrate { try world.takeTheNextVersion() }
                let (_, took) = try await world.run(victim.arguments, killing: nil)
                found.whole[victim] = took
            }
            let kit = try await world.open()
            #expect(try world.orgLines() == world.expected)
            #expect(try await world.storeLines(kit) == world.expected)
            try await kit.close()
        }
        return found.whole
    }
}

/// What is brought out of the time in which an org is served.
private final class Found: Sendable {
    private let state = Mutex<(kinds: [String], whole: [KillStory.Victim: KillRange])>(([], [:]))

    var kinds: [String] {
        get { state.withLock { $0.kinds } }
        set { state.withLock { $0.kinds = newValue } }
    }
    var whole: [KillStory.Victim: KillRange] {
        get { state.withLock { $0.whole } }
        set { state.withLock { $0.whole = newValue } }
    }
}

#endif

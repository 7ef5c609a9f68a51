// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupKit

/// The duration of a first sync with an observer that does nothing, compared with a sync without an observer.
///
/// Without one the engine only checks for nil, at the places where it calls the other. If even these calls cannot be
/// measured, the checks cannot.
struct ObserverCost: Suite {
    let name = "observer"

    /// An observer that only does the work.
    private struct IdleObserver: SyncObserver {
        func observe(_ activity: SyncActivity, _ work: () async -> SyncActivityResult) async { _ = await work() }
    }

    func run(_ settings: Settings) async throws -> [Metric] {
        let program = try SoupProgram.path()
        return try await Rounds.inTemporaryFolder { folder in
            let org = try await ServedOrg(records: settings.records, program: program, folder: folder)
            defer { org.process.stop() }
            var without: [Double] = []
            var with: [Double] = []
            for round in 0..<settings.rounds {
                // Each round begins with the other one.
                for isObserved in round.isMultiple(of: 2) ? [false, true] : [true, false] {
                    let time = try await Self.measure(
                        org, observer: isObserved ? IdleObserver() : nil, records: settings.records)
                    if isObserved { with.append(time) } else { without.append(time) }
                    Rounds.progress(
                        "round \(round + 1) of \(settings.rounds): \(isObserved ? "observed" : "not observed") \(time) s"
                    )
                }
            }
            return [
                Metric("observer.none.rows_per_s", Double(settings.records) / Rounds.median(without)),
                Metric("observer.idle.rows_per_s", Double(settings.records) / Rounds.median(with)),
                Metric("observer.idle_vs_none", Rounds.ratio(of: with, to: without), goal: .atMost(1.05)),
            ]
        }
    }

    private static func measure(
        _ org: ServedOrg, observer: (any SyncObserver)?, records: Int
    ) async throws -> Double {
        try await Rounds.inTemporaryFolder { folder in
            let app = try await SyncingApp(in: folder, org, observer: observer)
            let seconds = try await app.firstSync(records: records)
            try await app.kit.close()
            return seconds
        }
    }
}

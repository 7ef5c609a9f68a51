// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupKit

/// The duration of the first sync of an org, compared with its two parts alone, with the lower bound of a slow network,
/// and with a Python program.
struct SyncDown: Suite {
    let name = "sync_down"

    /// The delay of each response of the slow network, in milliseconds.
    private static let latency = 50
    /// The bytes per second of the narrow network, which needs about a fifth of a second for a page.
    private static let bytesPerSecond = 10_000_000

    func run(_ settings: Settings) async throws -> [Metric] {
        let program = try SoupProgram.path()
        return try await Rounds.inTemporaryFolder { folder in
            let org = try await ServedOrg(
                records: settings.records, program: program, folder: folder, admin: true)
            defer { org.process.stop() }
            let contest = try await Contest(org, records: settings.records, contestants: settings.contestants)
            return try await contest.run(settings.rounds) + contest.runSlowly(settings.rounds)
                + contest.runNarrowly(settings.rounds)
        }
    }

    /// The contestants and their org.
    private struct Contest {
        private enum Contestant: String, CaseIterable {
            case sync = "soupkit"
            case download
            case store
            case python
        }

        private let org: ServedOrg
        private let records: Int
        private let contestants: [Contestant]
        /// All pages, as the org sends them.
        private let pages: ResponsePages
        private let python: SimpleSalesforce?

        init(_ org: ServedOrg, records: Int, contestants names: [String]?) async throws {
            self.org = org
            self.records = records
            let chosen = Contestant.allCases.filter { names?.contains($0.rawValue) ?? true }
            contestants = chosen
            python = chosen.contains(.python) ? try SimpleSalesforce() : nil
            pages = ResponsePages(try await Download(org).pages(keeping: true), count: records)
        }

        /// Returns the duration of one run in seconds.
        private func measure(_ contestant: Contestant) async throws -> Double {
            try await Rounds.inTemporaryFolder { folder in
                switch contestant {
                case .sync:
                    let app = try await SyncingApp(in: folder, org)
                    let seconds = try await app.firstSync(records: records)
                    try await app.kit.close()
                    return seconds
                case .download:
                    let download = Download(org)
                    return try await Rounds.seconds(.wall) { try await download.pages() }
                case .store:
                    let store = try await SoupKitStore().open(in: folder)
                    let seconds = try await Rounds.seconds(.wall) { try await store.load(pages) }
                    try await store.close()
                    return seconds
                case .python: return try python?.firstSync(in: folder, org, records: records) ?? .nan
                }
            }
        }

        func run(_ rounds: Int) async throws -> [Metric] {
            var seconds: [Contestant: [Double]] = [:]
            for round in 0..<rounds {
                for position in contestants.indices {
                    // Each round begins with another contestant.
                    let contestant = contestants[(position + round) % contestants.count]
                    let time = try await measure(contestant)
                    seconds[contestant, default: []].append(time)
                    Rounds.progress("round \(round + 1) of \(rounds): \(contestant.rawValue) \(time) s")
                }
            }
            let sync = seconds[.sync] ?? []
            let slower = zip(seconds[.download] ?? [], seconds[.store] ?? []).map(max)
            var metrics = contestants.map { contestant in
                Metric(
                    "sync.down.\(contestant.rawValue).rows_per_s",
                    Double(records) / Rounds.median(seconds[contestant] ?? []))
            }
            if !sync.isEmpty, !slower.isEmpty {
                metrics.append(
                    Metric("sync.down.vs_slower", Rounds.ratio(of: sync, to: slower), goal: .atMost(1.25)))
            }
            if !sync.isEmpty, let theirs = seconds[.python] {
                metrics.append(
                    Metric(
                        "sync.down.vs_simple_salesforce", Rounds.ratio(of: theirs, to: sync), goal: .atLeast(5)))
            }
            return metrics
        }

        /// Measures the sync with delayed responses, and the store alone.
        func runSlowly(_ rounds: Int) async throws -> [Metric] {
            guard contestants.contains(.sync), contestants.contains(.store) else { return [] }
            var syncs: [Double] = []
            var bounds: [Double] = []
            for round in 0..<rounds {
                let store = try await measure(.store)
                bounds.append(max(Double(pages.bodies.count * SyncDown.latency) / 1000, store))
                try org.delayAnswers(milliseconds: SyncDown.latency)
                syncs.append(try await measure(.sync))
                try org.delayAnswers(milliseconds: nil)
                Rounds.progress(
                    "round \(round + 1) of \(rounds), slow network: \(syncs[round]) s of \(bounds[round]) s")
            }
            return [
                Metric(
                    "sync.down.latency\(SyncDown.latency).vs_bound", Rounds.ratio(of: syncs, to: bounds),
                    goal: .atMost(1.15))
            ]
        }

        /// Measures the sync and the download of consecutive pages with slow bodies.
        func runNarrowly(_ rounds: Int) async throws -> [Metric] {
            guard contestants.contains(.sync), contestants.contains(.download) else { return [] }
            try org.trickleBodies(bytesPerSecond: SyncDown.bytesPerSecond)
            var syncs: [Double] = []
            var downloads: [Double] = []
            for round in 0..<rounds {
                syncs.append(try await measure(.sync))
                downloads.append(try await measure(.download))
                Rounds.progress(
                    "round \(round + 1) of \(rounds), narrow network: \(syncs[round]) s, consecutive pages "
                        + "\(downloads[round]) s")
            }
            try org.trickleBodies(bytesPerSecond: nil)
            return [Metric("sync.down.narrow.vs_download", Rounds.ratio(of: syncs, to: downloads))]
        }
    }
}

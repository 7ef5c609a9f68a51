// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The speed of writing the pages of a server's responses as rows: a first sync into an empty soup, and a sync of all
/// records with changes; compared with hand-written C and with the reference's statements.
struct PageToStore: Suite {
    let name = "page_to_store"

    func run(_ settings: Settings) async throws -> [Metric] {
        let all: [any Contestant] = [SoupKitStore(), try await CStore.likeSoupKit(), ReferenceStore()]
        let contestants = all.filter { settings.contestants?.contains($0.name) ?? true }
        let first = ResponsePages(count: settings.records, version: 0)
        let second = ResponsePages(count: settings.records, version: 1)
        Rounds.progress("\(first.count) records of \(first.byteCount / first.count) bytes")
        var rates: [String: [Rate]] = [:]
        for round in 0..<settings.rounds {
            var contents: [String: SoupContents] = [:]
            // Each turn begins with another contestant, so that none always follows the same one.
            for turn in 0..<(contestants.map(\.repetitions).max() ?? 0) {
                for position in contestants.indices {
                    let contestant = contestants[(position + turn + round) % contestants.count]
                    guard turn < contestant.repetitions else { continue }
                    let (rate, content) = try await Self.measure(
                        contestant, inserting: first, updating: second, by: settings.clock)
                    rates[contestant.name, default: []].append(rate)
                    contents[contestant.name] = content
                    Rounds.progress(
                        "round \(round + 1) of \(settings.rounds): \(contestant.name) \(Int(rate.insert)) inserts/s, "
                            + "\(Int(rate.update)) updates/s")
                }
            }
            try SoupContents.expectEqual(contents, count: settings.records)
        }
        return metrics(rates)
    }

    /// The speed in records per second.
    private struct Rate {
        var insert: Double
        var update: Double
    }

    /// Runs one contestant once with a new file.
    private static func measure(
        _ contestant: any Contestant, inserting first: ResponsePages, updating second: ResponsePages,
        by clock: Stopwatch
    ) async throws -> (Rate, SoupContents) {
        try await Rounds.inTemporaryFolder { folder in
            let store = try await contestant.open(in: folder)
            let insert = try await Rounds.seconds(clock) { try await store.load(first) }
            let update = try await Rounds.seconds(clock) { try await store.load(second) }
            try await store.close()
            return (
                Rate(insert: Double(first.count) / insert, update: Double(second.count) / update),
                try SoupContents(of: store)
            )
        }
    }

    private func metrics(_ rates: [String: [Rate]]) -> [Metric] {
        let parts: [(String, KeyPath<Rate, Double>)] = [("insert", \.insert), ("update", \.update)]
        return parts.flatMap { part, rate in
            let values = rates.mapValues { $0.map { $0[keyPath: rate] } }
            let absolute = ["soupkit", "c", "reference"].compactMap { contestant in
                values[contestant].map { Metric("\(name).\(part).\(contestant).rows_per_s", Rounds.median($0)) }
            }
            let ratios = [("c", 0.85), ("reference", 8)].compactMap { contestant, goal -> Metric? in
                guard let ours = values["soupkit"], let theirs = values[contestant] else { return nil }
                return Metric(
                    "\(name).\(part).vs_\(contestant)", Rounds.ratio(of: ours, to: theirs), goal: .atLeast(goal))
            }
            return absolute + ratios
        }
    }
}

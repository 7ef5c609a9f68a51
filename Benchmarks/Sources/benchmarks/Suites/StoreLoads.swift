// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Loads into a store, compared with C that receives prepared columns, and with the reference: a first load, a load of all
/// records with a tenth of them changed, and a load of unchanged records.
struct StoreLoads: Suite {
    let name = "store_loads"

    func run(_ settings: Settings) async throws -> [Metric] {
        let all: [any Contestant] = [SoupKitStore(), try await PlainCStore.likeSoupKit(), ReferenceStore()]
        let contestants = all.filter { settings.contestants?.contains($0.name) ?? true }
        let loads = [
            ResponsePages(count: settings.records, version: 0),
            ResponsePages(count: settings.records, version: 0, remark: " and more"),
            ResponsePages(count: settings.records, version: 0, remark: " and more"),
        ]
        let prepared = try loads.map { try $0.bodies.map(PlainRows.init) }
        var rates: [String: [[Double]]] = [:]
        for round in 0..<settings.rounds {
            var contents: [String: SoupContents] = [:]
            for turn in contestants.indices {
                let contestant = contestants[(turn + round) % contestants.count]
                let (rate, content) = try await Rounds.inTemporaryFolder { folder in
                    let store = try await contestant.open(in: folder)
                    var rates: [Double] = []
                    for (pages, rows) in zip(loads, prepared) {
                        let seconds = try await Rounds.seconds(settings.clock) {
                            if let store = store as? any PreparedStore {
                                try store.load(rows)
                            } else {
                                try await store.load(pages)
                            }
                        }
                        rates.append(Double(pages.count) / seconds)
                    }
                    try await store.close()
                    return (rates, try SoupContents(of: store))
                }
                rates[contestant.name, default: []].append(rate)
                contents[contestant.name] = content
                Rounds.progress("round \(round + 1): \(contestant.name) \(rate.map { Int($0) }) rows/s")
            }
            try SoupContents.expectEqual(contents, count: settings.records)
        }
        return metrics(rates)
    }

    private func metrics(_ rates: [String: [[Double]]]) -> [Metric] {
        let goals: [(part: String, c: Double, reference: Double?)] = [
            ("insert", 2, 15), ("update", 3, 20), ("equal", 5, nil),
        ]
        return goals.enumerated().flatMap { index, goal in
            let values = rates.mapValues { $0.map { $0[index] } }
            guard let ours = values["soupkit"] else { return [Metric]() }
            var metrics = [Metric("store.\(goal.part).rows_per_s", Rounds.median(ours))]
            if let c = values["plain_c"] {
                metrics.append(
                    Metric("store.\(goal.part).vs_c", Rounds.ratio(of: ours, to: c), goal: .atLeast(goal.c)))
            }
            if let bound = goal.reference, let reference = values["reference"] {
                metrics.append(
                    Metric(
                        "store.\(goal.part).vs_reference", Rounds.ratio(of: ours, to: reference),
                        goal: .atLeast(bound)))
            }
            return metrics
        }
    }
}

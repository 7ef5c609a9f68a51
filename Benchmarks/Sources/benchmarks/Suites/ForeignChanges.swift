// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import SoupKit
internal import SoupSQLite

/// The time until a live query returns the write of another process, the load of a live query while nothing happens, and
/// the cost of being observed.
struct ForeignChanges: Suite {
    let name = "foreign_changes"

    private static let soup: SoupName = "values"
    private static let writes = 1000

    func run(_ settings: Settings) async throws -> [Metric] {
        if let path = ProcessInfo.processInfo.environment[Self.variable] {
            try await Self.write(to: path)
            return []
        }
        return try await Rounds.inTemporaryFolder { folder in
            let path = folder + "/store.db"
            let store = SmartStore(try await SQLiteStore.open(.init(path: path)))
            try await store.registerSoup(Self.soup, [IndexSpec("key", .string)])
            try await store.upsert(["key": "a"], into: Self.soup)
            var live = store.live(.all(Self.soup)).makeAsyncIterator()
            _ = try await live.next()
            let latencies = try await Self.latencies(&live, path: path)
            let load = try await Self.idleLoad()
            // An observer of this process receives the signals of its own writes too.
            var (observed, alone): ([Double], [Double]) = ([], [])
            for round in 0..<settings.rounds {
                for isObserved in round.isMultiple(of: 2) ? [false, true] : [true, false] {
                    let seconds = try await Self.updates(in: folder, round: round, isObserved: isObserved)
                    if isObserved { observed.append(seconds) } else { alone.append(seconds) }
                }
            }
            try await store.close()
            func percentile(_ part: Double) -> Double {
                1000 * latencies[min(latencies.count - 1, Int(Double(latencies.count) * part))]
            }
            return [
                Metric("foreign_changes.latency.p50_ms", percentile(0.5)),
                Metric("foreign_changes.latency.p95_ms", percentile(0.95), goal: .atMost(100)),
                Metric("foreign_changes.latency.max_ms", percentile(1)),
                Metric("foreign_changes.delivered", Double(latencies.count)),
                Metric("foreign_changes.idle.processor_percent", 100 * load, goal: .atMost(0.1)),
                Metric("foreign_changes.updates_per_s", Double(Self.writes) / Rounds.median(alone)),
                Metric("foreign_changes.updates.observed_vs_alone", Rounds.ratio(of: observed, to: alone)),
            ]
        }
    }

    /// Starts the other process, and returns the sorted times from the beginning of its writes to their pages, in seconds.
    ///
    /// The last write ends the measurement, so a lost one is found: the suite then does not end. A page that contains
    /// two writes counts once.
    private static func latencies(
        _ live: inout LiveQuery<EntryPage>.Iterator, path: String
    ) async throws -> [Double] {
        let writer = try ChildProcess(
            CommandLine.arguments[0], ["--only", "foreign_changes"], output: "/dev/null", environment: [variable: path])
        defer { writer.stop() }
        var latencies: [Double] = []
        while let page = try await live.next() {
            let now = Stopwatch.wall.now
            guard let entry = page.entries.first, let time = entry["time"]?.stringValue.flatMap(Double.init) else {
                continue
            }
            latencies.append(now - time)
            if entry["key"]?.stringValue == "last" { break }
        }
        return latencies.sorted()
    }

    /// The other process: one update every five milliseconds, with the time at which it begins.
    private static func write(to path: String) async throws {
        let store = SmartStore(try await SQLiteStore.open(.init(path: path)))
        for number in 1...writes {
            try await Task.sleep(for: .milliseconds(5))
            let key: JSONValue = number == writes ? "last" : "a"
            try await store.upsert(
                ["_soupEntryId": 1, "key": key, "time": .string("\(Stopwatch.wall.now)")], into: soup)
        }
        try await store.close()
    }

    /// Returns the share of a processor that this process uses while nothing happens.
    private static func idleLoad() async throws -> Double {
        try await Task.sleep(for: .seconds(1))
        let (start, used) = (Stopwatch.wall.now, Stopwatch.processor.now)
        try await Task.sleep(for: .seconds(5))
        return (Stopwatch.processor.now - used) / (Stopwatch.wall.now - start)
    }

    /// Returns the time of updates of one entry, each in a transaction.
    private static func updates(in folder: String, round: Int, isObserved: Bool) async throws -> Double {
        let path = "\(folder)/\(round)-\(isObserved).db"
        let store = SmartStore(try await SQLiteStore.open(.init(path: path)))
        try await store.registerSoup(soup, [IndexSpec("key", .string)])
        try await store.upsert(["key": "a"], into: soup)
        let changes = isObserved ? store.changes(in: [soup]) : nil
        let observer = Task { if let changes { for await _ in changes {} } }
        let seconds = try await Rounds.seconds(.wall) {
            for number in 1...writes {
                try await store.upsert(["_soupEntryId": 1, "key": .string("\(number)")], into: soup)
            }
        }
        observer.cancel()
        try await store.close()
        return seconds
    }

    /// The variable of the other process, with the path of the store.
    private static let variable = "SOUPKIT_FOREIGN_WRITER"
}

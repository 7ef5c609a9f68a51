// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import SoupKit
internal import SoupSQLite
internal import Synchronization

/// The time until a live query returns the write of another process, the load of a live query while nothing happens, and
/// the cost of being observed.
struct ForeignChanges: Suite {
    let name = "foreign_changes"

    private static let soup: SoupName = "values"
    /// The number of writes of the other process.
    private static let foreignWrites = 10_000
    /// The number of writes of this process in a round.
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
            let (latencies, load) = try await Self.observe(store.live(.all(Self.soup)), path: path)
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
                Metric("foreign_changes.missed", Double(Self.foreignWrites - latencies.count), goal: .atMost(0)),
                Metric("foreign_changes.idle.processor_percent", 100 * load, goal: .atMost(0.1)),
                Metric("foreign_changes.updates_per_s", Double(Self.writes) / Rounds.median(alone)),
                Metric("foreign_changes.updates.observed_vs_alone", Rounds.ratio(of: observed, to: alone)),
            ]
        }
    }

    /// Runs the other process while a live query waits for its writes, and then measures the load while nothing happens.
    ///
    /// - Returns: the sorted times from the beginning of a write to its page, in seconds, and the share of a processor.
    private static func observe(
        _ live: LiveQuery<EntryPage>, path: String
    ) async throws -> (latencies: [Double], load: Double) {
        _ = FileManager.default.createFile(atPath: confirmations(path), contents: nil)
        guard let handle = FileHandle(forWritingAtPath: confirmations(path)) else {
            throw ContestantError("cannot write a file in the temporary folder")
        }
        let received = Received()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await receive(live, into: received, confirmations: handle) }
            group.addTask { try await runWriter(path) }
            // The other process has ended, or the live query has failed.
            try await group.next()
            let load = try await idleLoad()
            group.cancelAll()
            return (received.latencies.withLock { $0.values.sorted() }, load)
        }
    }

    /// The writes of the other process that the live query has returned.
    private final class Received: Sendable {
        /// The times from the beginning of a write to its page, in seconds, by the number of the write.
        let latencies = Mutex<[Int: Double]>([:])
    }

    private static func runWriter(_ path: String) async throws {
        let writer = try ChildProcess(
            CommandLine.arguments[0], ["--only", "foreign_changes"], output: "/dev/null", environment: [variable: path])
        defer { writer.stop() }
        while writer.isRunning { try await Task.sleep(for: .milliseconds(20)) }
    }

    /// Notes each page of the live query, and confirms it with a byte in a file, after which the other process makes the
    /// next write.
    private static func receive(
        _ live: LiveQuery<EntryPage>, into received: Received, confirmations: FileHandle
    ) async throws {
        for try await page in live {
            let now = Stopwatch.wall.now
            guard let entry = page.entries.first, let number = entry["number"]?.intValue,
                let time = entry["time"]?.stringValue.flatMap(Double.init)
            else { continue }
            let isNew = received.latencies.withLock { $0.updateValue(now - time, forKey: Int(number)) == nil }
            if isNew { try confirmations.write(contentsOf: [0]) }
        }
    }

    /// The other process: updates of one entry, with the time at which each begins.
    ///
    /// Each waits until the live query has returned the one before, or a second if it is missed.
    private static func write(to path: String) async throws {
        let store = SmartStore(try await SQLiteStore.open(.init(path: path)))
        guard let file = FileHandle(forReadingAtPath: confirmations(path)) else {
            throw ContestantError("cannot read a file in the temporary folder")
        }
        for number in 1...foreignWrites {
            let size = try file.seekToEnd()
            try await store.upsert(
                ["_soupEntryId": 1, "number": .int(Int64(number)), "time": .string("\(Stopwatch.wall.now)")], into: soup
            )
            let end = Stopwatch.wall.now + 1
            while try file.seekToEnd() == size, Stopwatch.wall.now < end {
                try await Task.sleep(for: .microseconds(200))
            }
        }
        try await store.close()
    }

    /// The file with a byte for each page.
    private static func confirmations(_ path: String) -> String { path + "-confirmations" }

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

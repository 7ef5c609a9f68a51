// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import SoupCore
internal import SoupSQLite
internal import SoupTesting

/// The cost of encryption: loads, pages of 25 entries, the opening and the memory of a store, compared with a store
/// that is not encrypted.
struct EncryptionCost: Suite {
    let name = "encryption"

    private struct Times {
        var load: [Double] = []
        var pages: [Double] = []
        var open: [Double] = []
        var memory: [Double] = []
    }

    func run(_ settings: Settings) async throws -> [Metric] {
        if let only = ProcessInfo.processInfo.environment[Self.variable] {
            var times = Times()
            try await Self.measure(
                only == "encrypted" ? .init(key: FixedKey()) : nil,
                pages: ResponsePages(count: settings.records, version: 0), settings: settings, adding: &times)
            return []
        }
        var (plain, encrypted) = (Times(), Times())
        // First, because a process that is started counts the present memory of this one as its own.
        for _ in 0..<settings.rounds {
            plain.memory.append(try Self.peakMegabytes("plain", settings))
            encrypted.memory.append(try Self.peakMegabytes("encrypted", settings))
        }
        let pages = ResponsePages(count: settings.records, version: 0)
        for round in 0..<settings.rounds {
            // Each round begins with the other one.
            for isEncrypted in round.isMultiple(of: 2) ? [false, true] : [true, false] {
                if isEncrypted {
                    try await Self.measure(.init(key: FixedKey()), pages: pages, settings: settings, adding: &encrypted)
                } else {
                    try await Self.measure(nil, pages: pages, settings: settings, adding: &plain)
                }
                Rounds.progress("round \(round + 1) of \(settings.rounds): \(isEncrypted ? "encrypted" : "plain")")
            }
        }
        let opening = zip(encrypted.open, plain.open).map { 1000 * ($0 - $1) }
        let memory = zip(encrypted.memory, plain.memory).map { $0 - $1 }
        return [
            Metric("encryption.load.rows_per_s", Double(settings.records) / Rounds.median(encrypted.load)),
            Metric("encryption.load.vs_plain", Rounds.ratio(of: encrypted.load, to: plain.load), goal: .atMost(1.25)),
            Metric("encryption.page.us", 1e6 * Rounds.median(encrypted.pages)),
            Metric("encryption.page.vs_plain", Rounds.ratio(of: encrypted.pages, to: plain.pages), goal: .atMost(1.3)),
            Metric("encryption.open.more_ms", Rounds.median(opening), goal: .atMost(50)),
            Metric("encryption.memory.more_mb", Rounds.median(memory), goal: .atMost(10)),
        ]
    }

    private static func measure(
        _ encryption: SQLiteStore.Encryption?, pages: ResponsePages, settings: Settings, adding times: inout Times
    ) async throws {
        var result = times
        try await Rounds.inTemporaryFolder { folder in
            let configuration = SQLiteStore.Configuration(path: folder + "/load.db", encryption: encryption)
            let store = try await SQLiteStore.open(configuration)
            try await store.write { try $0.registerSoup(BenchmarkSoup.name, BenchmarkSoup.indexes) }
            result.load.append(
                try await Rounds.seconds(settings.clock) {
                    await store.bulkLoad(true)
                    for body in pages.bodies { try await store.write(page: body) }
                    await store.bulkLoad(false)
                })
            try await store.close()
            var opened: SQLiteStore?
            let open = try await Rounds.seconds(settings.clock) { opened = try await SQLiteStore.open(configuration) }
            result.open.append(open)
            guard let opened else { return }
            result.pages.append(try await readPages(of: opened, settings))
            try await opened.close()
        }
        times = result
    }

    /// Returns the median of the times of random pages of 25 entries.
    private static func readPages(of store: SQLiteStore, _ settings: Settings) async throws -> Double {
        var random = RandomNumbers(seed: 1)
        let spec = QuerySpec.all(BenchmarkSoup.name, orderedBy: "_soupEntryId", pageSize: 25)
        var seconds: [Double] = []
        for _ in 0..<400 {
            let page = Int.random(in: 0..<max(1, min(40, settings.records / 25)), using: &random)
            let start = settings.clock.now
            _ = try await store.quickRead { try $0.query(spec, page: page) }
            seconds.append(settings.clock.now - start)
        }
        return Rounds.median(seconds)
    }

    /// The variable of the processes that measure one side, for their memory.
    private static let variable = "SOUPKIT_ENCRYPTION_COST"

    /// Returns the greatest memory of a process that does the same with one store, in MB.
    private static func peakMegabytes(_ side: String, _ settings: Settings) throws -> Double {
        let process = try ChildProcess(
            CommandLine.arguments[0], ["--only", "encryption", "--records", "\(settings.records)"], output: "/dev/null",
            environment: [variable: side])
        return Double(try process.waitForPeakMemory()) / 1_000_000
    }
}

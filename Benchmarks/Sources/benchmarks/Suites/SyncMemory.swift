// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The memory of the first sync of ten times as many records, page by page and with a bulk job; `soup sync` and the local
/// org are separate processes.
struct SyncMemory: Suite {
    let name = "sync_memory"

    func run(_ settings: Settings) async throws -> [Metric] {
        let program = try SoupProgram.path()
        let records = settings.records * 10
        return try await Rounds.inTemporaryFolder { folder in
            Rounds.progress("an org of \(records) records")
            let org = try await ServedOrg(records: records, program: program, folder: folder)
            defer { org.process.stop() }
            var peaks: [Double] = []
            var metrics: [Metric] = []
            for (way, bulk) in [("pages", "never"), ("bulk", "auto")] {
                Rounds.progress("first sync of \(records) records, \(way)")
                let (peak, seconds) = try await Self.firstSync(
                    in: folder, bulk: bulk, from: org, records: records, program: program)
                peaks.append(Double(peak) / 1_000_000)
                metrics += [
                    Metric("sync.down.\(way).peak_mb", Double(peak) / 1_000_000),
                    Metric("sync.down.\(way).rows_per_s", Double(records) / seconds),
                ]
            }
            return [Metric("sync.down.peak_mb", peaks.max() ?? .nan, goal: .atMost(80))] + metrics
        }
    }

    private static func firstSync(
        in folder: String, bulk: String, from org: ServedOrg, records: Int, program: String
    ) async throws -> (peak: Int, seconds: Double) {
        let store = folder + "/\(bulk).sqlite"
        try SyncingApp.writeConfiguration(to: folder, bulk: bulk)
        var peak = 0
        let seconds = try await Rounds.seconds(.wall) {
            peak = try ChildProcess(
                program, ["sync", SyncingApp.down, "--config", folder, "--store", store, "--json"],
                output: folder + "/sync.json", environment: SyncingApp.environment(org)
            ).waitForPeakMemory()
        }
        guard case .integer(Int64(records))? = try RawSQLite(store).run("SELECT count(*) FROM TABLE_1").first?.first
        else { throw ContestantError("the sync ended without \(records) rows") }
        try FileManager.default.removeItem(atPath: store)
        return (peak, seconds)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupKit

/// The cost of a sync down if nothing changed, and if ten records were deleted; neither may grow with the soup.
struct SyncChanges: Suite {
    let name = "sync_changes"

    /// The number of runs of each kind per round, because they are short.
    private static let repetitions = 10
    private static let deletions = 10

    func run(_ settings: Settings) async throws -> [Metric] {
        let program = try SoupProgram.path()
        return try await Rounds.inTemporaryFolder { folder in
            let small = try await SyncedOrg(records: settings.records / 10, program: program, folder: folder)
            defer { small.org.process.stop() }
            let large = try await SyncedOrg(records: settings.records, program: program, folder: folder)
            defer { large.org.process.stop() }
            for _ in 0..<settings.rounds * Self.repetitions {
                for synced in [small, large] { try await synced.resync() }
            }
            for _ in 0..<settings.rounds {
                for synced in [small, large] { try await synced.syncDeletions() }
            }
            Rounds.progress("\(settings.records / 10) and \(settings.records) records, seconds")
            Rounds.progress("  nothing changed: \(Rounds.median(small.none)) and \(Rounds.median(large.none))")
            Rounds.progress("  deletions: \(Rounds.median(small.deleted)) and \(Rounds.median(large.deleted))")
            return [
                Metric("sync.resync.none_ms", Rounds.median(large.none) * 1000),
                Metric(
                    "sync.resync.none_ms.vs_tenth", Rounds.ratio(of: large.none, to: small.none), goal: .atMost(1.5)),
                Metric("sync.resync.requests", Double(large.noneRequests), goal: .atMost(1)),
                Metric("sync.ghosts.incremental", Double(large.deletedRequests), goal: .atMost(2)),
                Metric("sync.ghosts.incremental_ms", Rounds.median(large.deleted) * 1000),
                Metric(
                    "sync.ghosts.incremental_ms.vs_tenth", Rounds.ratio(of: large.deleted, to: small.deleted),
                    goal: .atMost(1.5)),
            ]
        }
    }

    /// An org and an app that has all of its records.
    private final class SyncedOrg {
        let org: ServedOrg
        private let app: SyncingApp
        private let records: Int
        /// The durations in seconds.
        private(set) var none: [Double] = []
        private(set) var deleted: [Double] = []
        /// The highest number of requests of a run.
        private(set) var noneRequests = 0
        private(set) var deletedRequests = 0

        init(records: Int, program: String, folder: String) async throws {
            self.records = records
            org = try await ServedOrg(records: records, program: program, folder: folder, admin: true)
            app = try await SyncingApp(in: folder, org)
            _ = try await app.firstSync(records: records)
            _ = try await app.firstSync(SyncingApp.downWithDeletions, records: records)
        }

        func resync() async throws {
            var saved = 0
            noneRequests = max(
                noneRequests,
                try await org.requests {
                    none.append(try await Rounds.seconds(.wall) { saved = try await app.run(SyncingApp.down).saved })
                })
            guard saved == 0 else { throw ContestantError("\(saved) records were saved, although nothing had changed") }
        }

        func syncDeletions() async throws {
            let some = QuerySpec.all(SyncingApp.soupWithDeletions, pageSize: SyncChanges.deletions)
            let entries = try await app.kit.store.query(some).entries
            let ids = entries.compactMap { $0["Id"]?.stringValue }.joined(separator: ",")
            _ = try org.connect().exchange("DELETE", "/services/data/v60.0/composite/sobjects?ids=\(ids)")
            var ghosts = 0
            deletedRequests = max(
                deletedRequests,
                try await org.requests {
                    deleted.append(
                        try await Rounds.seconds(.wall) {
                            ghosts = try await app.run(SyncingApp.downWithDeletions).ghosts
                        })
                })
            guard ghosts == SyncChanges.deletions else {
                throw ContestantError("\(ghosts) of \(SyncChanges.deletions) deletions were found")
            }
        }
    }
}

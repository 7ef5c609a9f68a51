// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupKit

/// The number of requests of a sync up, and its speed over a slow network compared with one request per record.
struct SyncUp: Suite {
    let name = "sync_up"

    private static let rows = 500
    /// The number of records that are sent one by one; the time is extrapolated to ``rows``, because each request waits
    /// for the previous one.
    private static let serialRows = 100
    private static let latency = 50

    func run(_ settings: Settings) async throws -> [Metric] {
        let program = try SoupProgram.path()
        let records = settings.records / 10
        return try await Rounds.inTemporaryFolder { folder in
            let org = try await ServedOrg(records: records, program: program, folder: folder, admin: true)
            defer { org.process.stop() }
            let app = try await SyncingApp(in: folder, org)
            _ = try await app.firstSync(records: records)
            let entries = try await app.kit.store.query(.all(SyncingApp.soup, pageSize: records)).entries

            Rounds.progress("\(records) edits, and their push")
            try await Self.edit(entries, text: "all", in: app)
            var seconds = 0.0
            let requests = try await org.requests {
                seconds = try await Rounds.seconds(.wall) { try await Self.push(records, app) }
            }

            try org.delayAnswers(milliseconds: Self.latency)
            var batched: [Double] = []
            var serial: [Double] = []
            for round in 0..<settings.rounds {
                try await Self.edit(Array(entries.prefix(Self.rows)), text: "round \(round)", in: app)
                batched.append(try await Rounds.seconds(.wall) { try await Self.push(Self.rows, app) })
                serial.append(try await Self.pushOneByOne(entries.suffix(Self.serialRows), round: round, to: org))
                Rounds.progress("round \(round + 1): \(batched[round]) s, one by one \(serial[round]) s")
            }
            return [
                Metric("sync.up.requests", Double(requests), goal: .atMost(Double(records) / 200)),
                Metric("sync.up.rows_per_s", Double(records) / seconds),
                Metric("sync.up.500.vs_serial", Rounds.ratio(of: serial, to: batched), goal: .atLeast(50)),
            ]
        }
    }

    private static func edit(_ entries: [SoupEntry], text: String, in app: SyncingApp) async throws {
        for entry in entries {
            try await app.kit.store.edit(
                entry.id, setting: ["Description": .string("Edited, \(text)")], in: SyncingApp.soup)
        }
    }

    private static func push(_ count: Int, _ app: SyncingApp) async throws {
        let updated = try await app.run(SyncingApp.up).updated
        guard updated == count else { throw ContestantError("\(updated) of \(count) updates were accepted") }
    }

    /// Sends consecutive requests on one connection, without access to a store.
    ///
    /// - Returns: the duration in seconds, extrapolated to ``rows``.
    private static func pushOneByOne(
        _ entries: ArraySlice<SoupEntry>, round: Int, to org: ServedOrg
    ) async throws -> Double {
        let connection = try org.connect()
        let seconds = try await Rounds.seconds(.wall) {
            for entry in entries {
                _ = try connection.exchange(
                    "PATCH", "/services/data/v60.0/sobjects/Account/\(entry["Id"]?.stringValue ?? "")",
                    json: "{\"Description\": \"Edited one by one, round \(round)\"}")
            }
        }
        return seconds * Double(rows) / Double(entries.count)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The memory of the first sync of a large org: `soup sync` and the local org are separate processes.
struct FirstSyncMemory: Suite {
    let name = "first_sync"

    func run(_ settings: Settings) async throws -> [Metric] {
        let program = try SoupProgram.path()
        return try await Rounds.inTemporaryFolder { folder in
            let org = try await ServedOrg(records: settings.records, program: program, folder: folder)
            defer { org.process.stop() }
            try Self.writeConfiguration(to: folder)

            Rounds.progress("first sync of \(settings.records) records")
            var peak = 0
            let seconds = try await Rounds.seconds(.wall) {
                peak = try ChildProcess(
                    program,
                    ["sync", "accountsDown", "--config", folder, "--store", folder + "/store.sqlite", "--json"],
                    output: folder + "/sync.json",
                    environment: ["SOUP_INSTANCE_URL": org.address.url, "SOUP_ACCESS_TOKEN": org.address.accessToken]
                ).waitForPeakMemory()
            }
            let rows = try RawSQLite(folder + "/store.sqlite").run("SELECT count(*) FROM TABLE_1")
            guard case .integer(Int64(settings.records))? = rows.first?.first else {
                throw ContestantError("the sync ended without \(settings.records) rows")
            }
            return [
                Metric("first_sync.peak_mb", Double(peak) / 1_000_000, goal: .atMost(100)),
                Metric("first_sync.rows_per_s", Double(settings.records) / seconds),
            ]
        }
    }

    /// Writes files with four indexed columns, as in the other suites, and a query for records of the same size.
    private static func writeConfiguration(to folder: String) throws {
        let store = """
            {"soups": [{"soupName": "accounts", "indexes": [
              {"path": "Id", "type": "string"}, {"path": "Name", "type": "string"},
              {"path": "AnnualRevenue", "type": "floating"}, {"path": "__local__", "type": "string"}]}]}
            """
        let syncs = """
            {"syncs": [{"syncName": "accountsDown", "syncType": "syncDown", "soupName": "accounts",
              "target": {"type": "soql", "query": "SELECT Id, Name, Type, Industry, AnnualRevenue, NumberOfEmployees, \
            Phone, BillingStreet, BillingCity, Website, OwnerId, Description, LastModifiedDate FROM Account"},
              "options": {"mergeMode": "OVERWRITE"}}]}
            """
        try store.write(toFile: folder + "/userstore.json", atomically: true, encoding: .utf8)
        try syncs.write(toFile: folder + "/usersyncs.json", atomically: true, encoding: .utf8)
    }
}

/// The release build of the command line, which is built if it is missing.
enum SoupProgram {
    static func path() throws -> String {
        if let path = ProcessInfo.processInfo.environment["SOUP_PROGRAM"] { return path }
        // This file is Benchmarks/Sources/benchmarks/Suites/FirstSyncMemory.swift.
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<5 { root.deleteLastPathComponent() }
        let program = root.appendingPathComponent(".build/release/soup").path
        if !FileManager.default.isExecutableFile(atPath: program) {
            Rounds.progress("building the command line")
            let build = try ChildProcess(
                "/usr/bin/env",
                [
                    "swift", "build", "--enable-all-traits", "-c", "release", "--product", "soup", "--package-path",
                    root.path,
                ],
                output: "/dev/null")
            _ = try build.waitForPeakMemory()
        }
        return program
    }
}

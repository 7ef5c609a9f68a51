// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// How much memory the first sync of a large org takes: `soup sync` as one process, the local org as another.
struct FirstSyncMemory: Suite {
    let name = "first_sync"

    func run(_ settings: Settings) async throws -> [Metric] {
        let program = try SoupProgram.path()
        return try await Rounds.inTemporaryFolder { folder in
            let org = try ChildProcess(
                program, ["org", "serve", "--seed", "large \(settings.records)", "--json"], output: folder + "/org.json"
            )
            defer { org.stop() }
            let address = try await Self.address(of: org, printedTo: folder + "/org.json")
            try Self.writeConfiguration(to: folder)

            Rounds.progress("first sync of \(settings.records) records")
            var peak = 0
            let seconds = try await Rounds.seconds(.wall) {
                peak = try ChildProcess(
                    program,
                    ["sync", "accountsDown", "--config", folder, "--store", folder + "/store.sqlite", "--json"],
                    output: folder + "/sync.json",
                    environment: ["SOUP_INSTANCE_URL": address.url, "SOUP_ACCESS_TOKEN": address.accessToken]
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

    private struct Address: Decodable {
        var url: String
        var accessToken: String
    }

    /// What the org prints once it answers; making the records of a large org takes a while.
    private static func address(of org: ChildProcess, printedTo file: String) async throws -> Address {
        for _ in 0..<6000 {
            let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
            if let line = text.split(separator: "\n").first, text.contains("\n") {
                return try JSONDecoder().decode(Address.self, from: Data(line.utf8))
            }
            guard org.isRunning else { throw ContestantError("the local org ended before it answered") }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw ContestantError("the local org did not answer within ten minutes")
    }

    /// Four indexed columns, as in the other suites, and a query for fields that make a record of the same size.
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

/// The release build of the command line, made when it is missing.
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
                ["swift", "build", "-c", "release", "--product", "soup", "--package-path", root.path],
                output: "/dev/null")
            _ = try build.waitForPeakMemory()
        }
        return program
    }
}

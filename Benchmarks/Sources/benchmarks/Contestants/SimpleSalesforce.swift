// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A first sync by a Python program, from simple-salesforce into `sqlite3`; see `Peers/simple_salesforce_down.py`.
struct SimpleSalesforce {
    static let version = "1.12.10"

    private struct Outcome: Decodable {
        var seconds: Double
        var rows: Int
    }

    private let python: String
    private let script: String

    /// Uses the Python that `SOUP_BENCHMARK_PYTHON` names, which must have the package.
    ///
    /// Without the variable, uses a virtual environment in `Benchmarks/.build`, and creates it if it is missing; pip then
    /// needs the network.
    init() throws {
        // This file is Benchmarks/Sources/benchmarks/Contestants/SimpleSalesforce.swift.
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        script = root.appendingPathComponent("Peers/simple_salesforce_down.py").path
        if let python = ProcessInfo.processInfo.environment["SOUP_BENCHMARK_PYTHON"] {
            self.python = python
            return
        }
        let environment = root.appendingPathComponent(".build/python-simple-salesforce-\(Self.version)")
        python = environment.appendingPathComponent("bin/python").path
        let isComplete = environment.appendingPathComponent("complete").path
        guard !FileManager.default.fileExists(atPath: isComplete) else { return }
        Rounds.progress("creating a virtual environment with simple-salesforce \(Self.version)")
        for (program, words) in [
            ("/usr/bin/env", ["python3", "-m", "venv", environment.path]),
            (python, ["-m", "pip", "install", "--quiet", "simple-salesforce==\(Self.version)"]),
        ] {
            _ = try ChildProcess(program, words, output: "/dev/null").waitForPeakMemory()
        }
        try Data().write(to: URL(fileURLWithPath: isComplete))
    }

    /// Syncs all records into a new file; the start of Python and of the package is not measured.
    ///
    /// - Returns: the duration in seconds.
    func firstSync(in folder: String, _ org: ServedOrg, records: Int) throws -> Double {
        let output = folder + "/python.json"
        let program = try ChildProcess(
            python, [script, folder + "/python.sqlite", SyncingApp.query], output: output,
            environment: SyncingApp.environment(org))
        _ = try program.waitForPeakMemory()
        let outcome = try JSONDecoder().decode(Outcome.self, from: Data(contentsOf: URL(fileURLWithPath: output)))
        guard outcome.rows == records else { throw ContestantError("Python has \(outcome.rows) rows") }
        return outcome.seconds
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Runs the suites and prints their metrics: as a table, or as one JSON object per line.
@main
struct Benchmarks {
    /// All suites, in the order in which they run.
    ///
    /// Suites that measure the memory of another process run first, while this process is small; see
    /// ``ChildProcess/waitForPeakMemory()``.
    static let suites: [any Suite] = [
        FirstSyncMemory(), SyncMemory(), LocalOrgSpeed(), SyncDown(), ObserverCost(), SyncChanges(), SyncUp(),
        ReadPage(),
        PageToStore(), StoreLoads(), StoreReads(), ForeignChanges(), TransportSpeed(), BridgeSpeed(),
        EncryptionCost(),
    ]

    static func main() async {
        do {
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            let chosen = suites.filter { arguments.only == nil || $0.name == arguments.only }
            guard !chosen.isEmpty else { throw UsageError("there is no suite of this name; known: \(names)") }
            var report = Report(asJSON: arguments.json)
            let settings = Settings(
                records: arguments.records, rounds: arguments.rounds, clock: arguments.clock,
                contestants: arguments.contestants)
            for suite in chosen {
                do {
                    report.add(try await suite.run(settings))
                } catch {
                    report.failed(suite.name, error)
                }
            }
            report.finish()
            exit(report.hasFailures ? 1 : 0)
        } catch {
            FileHandle.standardError.write(Data("\(error)\n\(Arguments.usage)\nsuites: \(names)\n".utf8))
            exit(2)
        }
    }

    private static var names: String { suites.map(\.name).joined(separator: ", ") }
}

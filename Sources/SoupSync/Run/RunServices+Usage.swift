// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import SoupCore

/// The numbers of used requests at the limit, which several processes share, such as the runs of a scheduled job.
///
/// A process knows only the numbers that its own responses report. Therefore a run saves the number when it reaches the
/// limit, and every run reads the saved one when it starts. The later of two numbers counts.
extension RunServices {
    private static var table: EngineTable { EngineTable(soup: "syncs_api_usage") }

    /// The number of used requests of a connection, if it is not out of date and reaches the limit.
    func usageAtLimit(of connection: String?) -> APIUsage? {
        connections.meter(of: connection).usage(reaching: settings.usableShare, at: clock.milliseconds)
    }

    /// Performs the work of a run that knows the number of other processes, and saves its own for them.
    func sharingUsage<T: Sendable>(
        of connection: String?, _ work: () async throws -> sending T
    ) async throws -> sending T {
        try await loadUsage(of: connection)
        do {
            let result = try await work()
            await saveUsage(of: connection)
            return result
        } catch {
            // The server's own refusal, and not one of this limit.
            if let error = error as? SoupError, error.code == .requestLimit, !(error.cause is RequestLimitReached) {
                connections.meter(of: connection).recordRefusal(at: clock.milliseconds)
            }
            await saveUsage(of: connection)
            throw error
        }
    }

    /// Reads the number that another process has saved.
    private func loadUsage(of connection: String?) async throws {
        let key = Self.key(connection)
        guard let saved = try await backend.read({ try Self.report(key, in: $0) }) else { return }
        connections.meter(of: connection).record(saved, at: clock.milliseconds)
    }

    /// Saves the number of a connection if it reaches the limit, or if an earlier one is saved.
    private func saveUsage(of connection: String?) async {
        guard let latest = connections.meter(of: connection).latest else { return }
        let reachesLimit = latest.usage.reaches(settings.usableShare)
        let (backend, key, clock) = (backend, Self.key(connection), clock)
        do {
            let saved = try await backend.read { try Self.report(key, in: $0) }
            guard reachesLimit || saved != nil, latest.replaces(saved, at: clock.milliseconds) else { return }
            try await shielded {
                try await backend.write { writer in
                    // Another process can have saved a later number meanwhile, which is then not of the future.
                    let saved = try Self.report(key, in: writer)
                    guard latest.replaces(saved, at: clock.milliseconds) else { return }
                    try Self.table.set([(key: key, members: Self.members(latest))], in: writer)
                }
            }
        } catch {
            // Only other processes need the number.
            logger.warning("the number of used API requests could not be saved: \(error)")
        }
    }

    /// Returns a saved report; `nil` if there is none, or none that can be read.
    private static func report(_ key: String, in reader: any StoreReader) throws -> UsageReport? {
        let row = try table.entry(key, in: reader)
        guard let used = row?["used"]?.plausibleCount, let maximum = row?["maximum"]?.plausibleCount, maximum > 0,
            let time = row?["time"]?.plausibleTime
        else { return nil }
        return UsageReport(usage: APIUsage(used: used, maximum: maximum), time: time)
    }

    private static func members(_ report: UsageReport) -> EngineTable.Members {
        [
            ("used", .integer(Int64(report.usage.used))), ("maximum", .integer(Int64(report.usage.maximum))),
            ("time", .integer(report.time)),
        ]
    }

    private static func key(_ connection: String?) -> String { connection.map { "connection \($0)" } ?? "standard" }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import SoupCore

/// The numbers of used requests at the limit, which several processes share, such as the runs of a scheduled job.
///
/// A process that has sent no request yet does not know how many are used. Therefore a run saves the number when it
/// reaches the limit, and the first run of a process reads it.
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

    /// Reads the saved number of a connection, unless one is known.
    private func loadUsage(of connection: String?) async throws {
        let meter = connections.meter(of: connection)
        guard meter.latest == nil else { return }
        let row = try await backend.read { try Self.table.entry(Self.key(connection), in: $0) }
        guard let used = row?["used"]?.plausibleCount, let maximum = row?["maximum"]?.plausibleCount, maximum > 0,
            let time = row?["time"]?.intValue
        else { return }
        meter.begin(with: APIUsage(used: used, maximum: maximum), at: time)
    }

    /// Saves the number of a connection if it reaches the limit, or if an earlier one is saved.
    private func saveUsage(of connection: String?) async {
        guard let (usage, time) = connections.meter(of: connection).latest else { return }
        let reachesLimit = usage.reaches(settings.usableShare)
        let members: EngineTable.Members = [
            ("used", .integer(Int64(usage.used))), ("maximum", .integer(Int64(usage.maximum))),
            ("time", .integer(time)),
        ]
        let (backend, key) = (backend, Self.key(connection))
        do {
            let isSaved = try await backend.read { try Self.table.entry(key, in: $0) } != nil
            guard reachesLimit || isSaved else { return }
            try await shielded {
                try await backend.write { writer in
                    let known = try Self.table.entry(key, in: writer)
                    guard known?["time"]?.intValue != time else { return }
                    try Self.table.set([(key: key, members: members)], in: writer)
                }
            }
        } catch {
            // Only other processes need the number.
            logger.warning("the number of used API requests could not be saved: \(error)")
        }
    }

    private static func key(_ connection: String?) -> String { connection.map { "connection \($0)" } ?? "standard" }
}

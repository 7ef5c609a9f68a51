// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The speed of the local org on one connection, and the memory of an org with ten times as many records.
///
/// The local org must not limit the speed of syncs. The rates use the elapsed time, or with `--processor-time` the
/// processor time of the org's process.
struct LocalOrgSpeed: Suite {
    let name = "local_org"

    private static let query =
        "SELECT+Id,Name,Type,Industry,AnnualRevenue,NumberOfEmployees,Phone,BillingStreet,BillingCity,Website,OwnerId,"
        + "Description,LastModifiedDate+FROM+Account"
    private static let smallRequests = 5000

    func run(_ settings: Settings) async throws -> [Metric] {
        let program = try SoupProgram.path()
        // First, while this process is small.
        let peak = try await peakMemory(records: settings.records * 10, program: program)
        return try await Rounds.inTemporaryFolder { folder in
            let org = try await ServedOrg(records: settings.records, program: program, folder: folder)
            defer { org.process.stop() }
            let connection = try org.connect()
            let id = try Self.readAll(connection).firstId
            let small = "/services/data/v60.0/sobjects/Account/\(id)?fields=Name"
            var pages: [Double] = []
            var requests: [Double] = []
            for _ in 0..<settings.rounds {
                Rounds.progress("reading \(settings.records) rows, then \(Self.smallRequests) small requests")
                var rows = 0
                let reading = try Self.seconds(of: org, by: settings.clock) { rows = try Self.readAll(connection).rows }
                guard rows == settings.records else { throw ContestantError("\(rows) rows were read") }
                pages.append(Double(rows) / reading)
                let requesting = try Self.seconds(of: org, by: settings.clock) {
                    for _ in 0..<Self.smallRequests { _ = try connection.get(small) }
                }
                requests.append(Double(Self.smallRequests) / requesting)
            }
            return [
                Metric("\(name).pages.rows_per_s", Rounds.median(pages), goal: .atLeast(300_000)),
                Metric("\(name).small.requests_per_s", Rounds.median(requests), goal: .atLeast(3000)),
                Metric("\(name).peak_mb", Double(peak) / 1_000_000, goal: .atMost(350)),
            ]
        }
    }

    /// Returns the peak memory, in bytes, of an org from its start until 30 pages of its rows were read.
    private func peakMemory(records: Int, program: String) async throws -> Int {
        try await Rounds.inTemporaryFolder { folder in
            Rounds.progress("an org of \(records) records")
            let org = try await ServedOrg(records: records, program: program, folder: folder)
            _ = try Self.readAll(try org.connect(), pages: 30)
            return try org.process.stopForPeakMemory()
        }
    }

    private static func seconds(
        of org: ServedOrg, by clock: Stopwatch, _ body: () throws -> Void
    ) throws -> Double {
        func now() -> Double { clock == .wall ? clock.now : org.process.processorTime }
        let start = now()
        try body()
        return now() - start
    }

    /// Reads all pages of a query, or the first `pages`.
    private static func readAll(
        _ connection: PlainConnection, pages: Int = .max
    ) throws -> (rows: Int, firstId: String) {
        var path = "/services/data/v60.0/query?q=\(query)"
        var firstId = ""
        var total = 0
        var count = 0
        while true {
            let page = Data(try connection.get(path))
            count += 1
            // The URL of the next page precedes the records.
            let head = String(decoding: page.prefix(600), as: UTF8.self)
            if firstId.isEmpty {
                firstId = value(after: "/sobjects/Account/", in: head) ?? ""
                total = Int((head.split(separator: ":").dropFirst().first ?? "").prefix { $0.isNumber }) ?? 0
            }
            guard count < pages, let next = value(after: "\"nextRecordsUrl\":\"", in: head) else {
                return (total, firstId)
            }
            path = next
        }
    }

    private static func value(after mark: String, in text: String) -> String? {
        text.range(of: mark).map { String(text[$0.upperBound...].prefix { $0 != "\"" }) }
    }
}

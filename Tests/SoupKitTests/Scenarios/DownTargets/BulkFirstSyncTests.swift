// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// A first run that reads many records with a Bulk 2.0 query job, with an org.
@Suite struct BulkFirstSyncTests {
    private static let fields = [
        "Name", "Description", "NumberOfEmployees", "AnnualRevenue", "CreatedDate", "IsDeleted",
    ]

    private static func scenario(
        _ query: String? = nil, bulk: String = #""bulkThreshold": 5"#
    ) -> DownScenario {
        let query = query ?? "SELECT \(fields.joined(separator: ", ")) FROM Account"
        return DownScenario(
            testDescription: "soql",
            target: #"{"type": "soql", "query": "\#(query)", "maxBatchSize": 200, \#(bulk)}"#,
            levels: [DownScenario.accounts])
    }

    private func world(
        _ scenario: DownScenario, accounts: Int, bulkPageSize: Int = 50_000
    ) async throws -> DownWorld {
        let world = try await DownWorld(scenario, accounts: accounts, bulkPageSize: bulkPageSize)
        try world.edit("a2", to: "a \"quoted\", one\r\nof two lines: Zoë 👩‍👩‍👧 \\ \u{301}")
        try world.org.edit(
            "Account", id: world.id("a3"), ["NumberOfEmployees": 12, "AnnualRevenue": 1500.5, "Description": ""])
        try world.org.edit("Account", id: world.id("a4"), ["NumberOfEmployees": 0, "AnnualRevenue": 300])
        return world
    }

    /// Returns the entries as they are stored.
    private func stored(_ world: DownWorld) async throws -> [String] {
        var lines: [String] = []
        for try await entry in world.kit.store.entries(matching: .all("accounts", pageSize: 500)) {
            lines.append("\(entry.stored)")
        }
        return lines.sorted()
    }

    /// Returns the requests without the IDs of jobs.
    private func requests(_ world: DownWorld) -> [String] {
        world.transport.requests.map { request in
            request.split(separator: "/").map { $0.hasPrefix("750") ? "JOB" : String($0) }.joined(separator: "/")
        }
    }

    private static let wholeJob = [
        "GET query", "GET sobjects/Account/describe", "POST jobs/query", "GET jobs/query/JOB",
        "GET jobs/query/JOB/results",
    ]

    @Test func `A job returns the same bytes as the pages of a query`() async throws {
        let bulk = try await world(Self.scenario(), accounts: 300)
        let result = try await bulk.run()
        #expect(result.state.status == .done)
        #expect([result.saved, result.unchanged, result.state.totalSize] == [300, 0, 300])
        #expect(requests(bulk) == Self.wholeJob)
        #expect(result.bulkQuery == .used)
        let pages = try await world(Self.scenario(bulk: #""bulk": "never", "bulkThreshold": 5"#), accounts: 300)
        let paged = try await pages.run()
        #expect(paged.saved == 300 && paged.bulkQuery == nil)
        #expect(requests(pages).allSatisfy { $0.hasPrefix("GET query") })
        #expect(try await stored(bulk) == stored(pages))
        #expect(try await bulk.storeLines() == bulk.orgLines())

        // The next run queries the changed records, as usual.
        bulk.clock.advance(by: .seconds(10))
        try bulk.edit("a7", to: "changed")
        bulk.transport.hold(nil)
        let later = try await bulk.run()
        #expect(later.saved >= 1 && later.bulkQuery == nil)
        #expect(requests(bulk).allSatisfy { $0.hasPrefix("GET query") })
        #expect(try await bulk.storeLines() == bulk.orgLines())
    }

    @Test func `A stopped run resumes inside a result of several pages`() async throws {
        let world = try await world(Self.scenario(), accounts: 2100)
        // Pages of 1,000: the request for the last of three is held.
        world.transport.hold(8)
        let run = Task { try await world.run() }
        await world.transport.arrived()
        await world.kit.syncs.stop()
        await world.kit.syncs.ended()
        #expect(try await run.value.state.status == .stopped)
        #expect(requests(world).count == 8)
        try await world.kit.syncs.restart(restartStoppedSyncs: false)
        world.transport.hold(nil)
        let result = try await world.run()
        #expect(result.state.status == .done)
        #expect(requests(world).allSatisfy { $0 == "GET jobs/query/JOB/results" })
        #expect(requests(world).count <= 2)
        #expect(try await world.storeLines() == world.orgLines())
    }

    /// Seven pages, listed five at a time; no page ends at the end of a piece of 200.
    @Test(.timeLimit(.minutes(1))) func `Pages of a result are read concurrently`() async throws {
        let world = try await world(Self.scenario(), accounts: 2000, bulkPageSize: 300)
        world.transport.gather(5, pathContaining: "maxRecords=200")
        let result = try await world.run()
        #expect(world.transport.hasGathered)
        #expect(result.state.status == .done)
        #expect([result.saved, result.unchanged, result.state.totalSize] == [2000, 0, 2000])
        #expect(try await world.storeLines() == world.orgLines())
        #expect(requests(world).filter { $0.hasSuffix("/resultPages") }.count == 2)
        // The number of records in memory has a limit, even if the server's pages are longer.
        let sizes = world.org.journal.compactMap { entry in
            entry.path.split(separator: "maxRecords=").dropFirst().first.flatMap { Int($0) }
        }
        #expect(Set(sizes) == [1, 200, 500, 1000])

        world.clock.advance(by: .seconds(10))
        try world.edit("a7", "a1999", to: "changed")
        _ = try await world.run()
        #expect(try await world.storeLines() == world.orgLines())
    }

    /// Each position in the result is resumed where it was saved, and the job does not run again.
    @Test(arguments: [17, 20, 22, 24]) func `An interrupted run resumes at each position`(request: Int) async throws {
        let world = try await world(Self.scenario(), accounts: 2000, bulkPageSize: 300)
        world.org.add(OrgFault(.drop(.accept), nth: [request]))
        #expect(try await world.run().state.status == .failed)
        let countBefore = requests(world).count
        world.org.removeFault()
        try world.edit("a1", "a2", "a1999", to: "meanwhile")
        let recovered = try await world.run()
        #expect(recovered.state.status == .done)
        #expect(recovered.saved < 2000)
        #expect(!requests(world)[countBefore...].contains { $0.hasPrefix("POST") || $0.hasPrefix("GET query") })
        _ = try await world.run()
        #expect(try await world.storeLines() == world.orgLines())
    }

    @Test(arguments: [
        OrgFault(.http(status: 404, code: "NOT_FOUND"), path: "/resultPages"),
        OrgFault(.http(status: 409, code: "CONFLICT"), path: "/resultPages"),
        OrgFault(.garbage(bytes: 20), path: "/resultPages"),
        OrgFault(.http(status: 404, code: "NOT_FOUND"), path: "/resultPages", nth: [2]),
        OrgFault(.http(status: 400, code: "INVALID_LOCATOR"), path: "/results", nth: [9]),
        OrgFault(.duplicateResponse, path: "/results", nth: [9]),
        OrgFault(.truncate(60), path: "/results", nth: [14]),
    ])
    func `A result that cannot be read concurrently is still read`(_ fault: OrgFault) async throws {
        let world = try await world(Self.scenario(), accounts: 2000, bulkPageSize: 300)
        world.org.add(fault)
        _ = try await world.run()
        _ = try await world.run()
        #expect(world.org.faults.first?.fired ?? 0 > 0)
        #expect(try await world.storeLines() == world.orgLines())
    }

    /// A job's records have no order, so the received records do not show which others were received.
    @Test func `A job that is lost half way advances no high-water mark`() async throws {
        let world = try await world(Self.scenario(), accounts: 2000, bulkPageSize: 300)
        world.org.add(OrgFault(.http(status: 404, code: "NOT_FOUND"), id: "lost", path: "/results", nth: [14]))
        // The second page of the query itself, after the job.
        world.org.add(OrgFault(.drop(.accept), id: "cut", path: "v[0-9.]+/query/", nth: [1]))
        #expect(try await world.run().state.status == .failed)
        #expect(try await world.kit.syncs.status(named: "down")?.times.mark == -1)
        #expect(world.org.faults.map(\.fired) == [1, 1])
        world.org.removeFault()
        world.org.add(OrgFault(.expireCursors, count: 1))
        world.org.add(OrgFault(.http(status: 400, code: "FEATURENOTENABLED"), method: "POST", path: "jobs/query"))
        #expect(try await world.run().state.status == .done)
        #expect(try await world.storeLines() == world.orgLines())
    }

    @Test func `Records fetched again after a lost job are counted once`() async throws {
        let world = try await world(Self.scenario(), accounts: 2000, bulkPageSize: 300)
        world.org.add(OrgFault(.http(status: 404, code: "NOT_FOUND"), path: "/results", nth: [14]))
        let result = try await world.run()
        #expect(world.org.faults.map(\.fired) == [1])
        #expect(result.state.status == .done)
        #expect([result.saved, result.unchanged, result.state.totalSize] == [2000, 0, 2000])
        #expect(try await world.storeLines() == world.orgLines())
    }

    @Test func `A run waits for a slow job`() async throws {
        let world = try await world(Self.scenario(), accounts: 300)
        world.org.add(
            OrgFault(.jobStall(polls: 2, time: .milliseconds(0)), method: "POST", path: "jobs/query", count: 1))
        let run = Task { try await world.run() }
        for pause: Int64 in [500, 1000] {
            await world.clock.waitForSleepers()
            world.clock.advance(by: .milliseconds(pause))
        }
        #expect(try await run.value.saved == 300)
        #expect(requests(world).filter { $0 == "GET jobs/query/JOB" }.count == 3)
        #expect(try await world.storeLines() == world.orgLines())
    }

    @Test(arguments: [
        OrgFault(.jobFail("InternalServerError : x"), method: "POST", path: "jobs/query"),
        OrgFault(.http(status: 403, code: "API_DISABLED_FOR_ORG"), method: "POST", path: "jobs/query"),
        OrgFault(.http(status: 400, code: "FEATURENOTENABLED"), method: "POST", path: "jobs/query"),
        OrgFault(.http(status: 404, code: "NOT_FOUND"), method: "GET", path: "/results"),
        OrgFault(.http(status: 500, code: "UNKNOWN_EXCEPTION"), method: "GET", path: "/describe"),
    ])
    func `Without a job the run reads query pages`(_ fault: OrgFault) async throws {
        let world = try await world(Self.scenario(), accounts: 450)
        world.org.add(fault)
        let result = try await world.run()
        #expect(result.state.status == .done)
        #expect([result.saved, result.state.totalSize] == [450, 450])
        #expect(try await world.storeLines() == world.orgLines())
    }

    @Test(arguments: [
        "SELECT Name, Description, Parent.Name FROM Account", "SELECT Name, Description FROM Account LIMIT 400",
        "SELECT Name, Description, (SELECT LastName FROM Contacts) FROM Account",
        "SELECT Name, Description, toLabel(Industry) FROM Account",
    ])
    func `Queries unsuitable for a job are read page by page`(_ query: String) async throws {
        let world = try await world(Self.scenario(query), accounts: 300)
        #expect(try await world.run().saved == 300)
        #expect(requests(world).allSatisfy { $0.hasPrefix("GET query") })
        #expect(try await world.storeLines() == world.orgLines())
    }

    @Test func `Few records are read page by page`() async throws {
        let world = try await world(Self.scenario(bulk: #""bulkThreshold": 300"#), accounts: 300)
        #expect(try await world.run().saved == 300)
        #expect(requests(world).allSatisfy { $0.hasPrefix("GET query") })
    }
}

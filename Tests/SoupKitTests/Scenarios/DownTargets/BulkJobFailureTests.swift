// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import Logging
import SoupSync
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// A first run with a job that the server accepts and then no longer responds to.
@Suite struct BulkJobFailureTests {
    private func world(log: LogLines = LogLines(from: .critical)) async throws -> DownWorld {
        try await DownWorld(
            .soql("soql", #", "maxBatchSize": 200, "bulkThreshold": 5"#), accounts: 1100, bulkPageSize: 150, log: log)
    }

    private static let busy = OrgFault.Effect.http(status: 503, code: "SERVER_UNAVAILABLE")
    /// All requests from the middle of the result on.
    private static let later = Array(14...400)

    /// Returns the requests after the first `count`.
    private func requests(_ world: DownWorld, since count: Int = 0) -> [String] {
        Array(world.transport.requests[count...])
    }

    @Test(arguments: [
        OrgFault(busy, path: "/results", nth: later),
        OrgFault(busy, path: "/resultPages"), OrgFault(busy, method: "GET", path: "jobs/query/[^/]*$"),
        OrgFault(.http(status: 503, headers: ["Retry-After": "1"]), path: "/results", nth: later),
        OrgFault(.http(status: 502), path: "/results", nth: later),
        OrgFault(.http(status: 400, code: "INVALID_QUERY_LOCATOR"), path: "/results", nth: later),
        OrgFault(.garbage(bytes: 30), path: "/results", nth: later), OrgFault(.limit, path: "jobs/query", nth: later),
    ])
    func `The run continues page by page`(_ fault: OrgFault) async throws {
        let world = try await world()
        world.org.add(fault)
        let result = try await world.run()
        #expect(world.org.faults.first?.fired ?? 0 > 0)
        #expect(result.state.status == .done, "\(result.error?.description ?? "")")
        #expect([result.saved, result.unchanged, result.state.totalSize] == [1100, 0, 1100])
        #expect(result.bulkQuery == .lost)
        #expect(try await world.storeLines() == world.orgLines())

        world.clock.advance(by: .seconds(10))
        try world.edit("a7", "a1099", to: "changed")
        #expect(try await world.run().state.status == .done)
        #expect(try await world.storeLines() == world.orgLines())
    }

    /// It continues with the pages and not with the failed job, even if the process has ended in between.
    @Test func `A run that switched to pages resumes with pages`() async throws {
        let world = try await world()
        world.org.add(OrgFault(Self.busy, id: "busy", path: "/results", nth: Self.later))
        world.org.add(OrgFault(.drop(.accept), id: "cut", path: "v[0-9.]+/query/", nth: [3]))
        #expect(try await world.run().state.status == .failed)
        #expect(try await world.kit.syncs.status(named: "down")?.times.mark == -1)
        #expect(world.org.faults.first { $0.fault.id == "cut" }?.fired == 1)
        world.org.removeFault()
        try world.edit("a1", "a1099", to: "meanwhile")
        let before = world.transport.requests.count
        #expect(try await world.run().state.status == .done)
        #expect(requests(world, since: before).allSatisfy { $0.hasPrefix("GET query/") })
        _ = try await world.run()
        #expect(try await world.storeLines() == world.orgLines())
    }

    /// The fault is not the job's, and the records of the job are not requested again.
    @Test func `A job survives while the server refuses all requests`() async throws {
        let world = try await world()
        world.org.add(OrgFault(Self.busy, nth: Array(20...400)))
        let interrupted = try await world.run()
        #expect(interrupted.state.status == .failed)
        #expect(interrupted.error?.code == .unavailable)
        world.org.removeFault()
        let before = world.transport.requests.count
        let recovered = try await world.run()
        #expect(recovered.state.status == .done)
        #expect(recovered.saved < 1100)
        #expect(recovered.bulkQuery == .used)
        #expect(requests(world, since: before).allSatisfy { $0.hasPrefix("GET jobs/query/") })
        #expect(try await world.storeLines() == world.orgLines())
    }

    @Test(arguments: [
        OrgFault(busy, path: "/results", nth: [14]), OrgFault(.http(status: 502), path: "/results", nth: [14]),
        OrgFault(.garbage(bytes: 30), path: "/results", nth: [14]),
        OrgFault(.garbage(bytes: 0), path: "/results", nth: [14]), OrgFault(.truncate(90), path: "/results", nth: [14]),
        OrgFault(.garbage(bytes: 30), method: "GET", path: "jobs/query/[^/]*$", nth: [1]),
    ])
    func `A single fault does not end the job`(_ fault: OrgFault) async throws {
        let world = try await world()
        world.org.add(fault)
        let result = try await world.run()
        #expect(world.org.faults.map(\.fired) == [1])
        #expect([result.saved, result.unchanged, result.state.totalSize] == [1100, 0, 1100])
        // The first page, and the one that shows that the server responds to queries.
        #expect(requests(world).filter { $0.hasPrefix("GET query") }.count == 2)
        #expect(result.bulkQuery == .used)
        #expect(try await world.storeLines() == world.orgLines())
    }

    @Test func `The log contains the start and the failure of the job`() async throws {
        let log = LogLines(from: .info)
        let world = try await world(log: log)
        world.org.add(OrgFault(.http(status: 404, code: "NOT_FOUND"), path: "/results", nth: [14]))
        _ = try await world.run()
        try #require(log.all.count == 2, "\(log.all)")
        #expect(log.all[0].hasPrefix("info: 1100 records of Account are read by the bulk query job 750"))
        #expect(log.all[1].hasPrefix("info: the bulk query failed, reading page by page: "))
    }

    @Test func `If the connection always breaks, the hint disables jobs`() async throws {
        let world = try await world()
        world.org.add(OrgFault(.drop(.midBody), path: "/results"))
        for _ in 1...2 {
            let error = try await world.run().error
            #expect(error?.code == .network)
            #expect(error?.hint?.contains(#""bulk": "never""#) == true)
        }
        let definition = try #require(try await world.kit.syncs.status(named: "down")?.definition)
        var pages = definition
        pages.target = .soql("SELECT Name, Description FROM Account", bulk: .never)
        try await world.kit.syncs.redefine(pages)
        #expect(try await world.run().state.status == .done)
        #expect(try await world.storeLines() == world.orgLines())
    }
}

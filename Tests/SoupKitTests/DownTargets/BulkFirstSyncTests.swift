// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import LocalOrg
import MobileSync
import SmartStore
import SoupCore
import SoupKit
import SoupTesting
import Testing

/// A first run that reads many records by a Bulk 2.0 query job, against an org.
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
            parts: [DownScenario.accounts])
    }

    private func world(_ scenario: DownScenario, accounts: Int) async throws -> DownWorld {
        let world = try await DownWorld(scenario, accounts: accounts)
        try world.edit("a2", to: "a \"quoted\", one\r\nof two lines: Zoë 👩‍👩‍👧 \\ \u{301}")
        try world.org.edit(
            "Account", id: world.id("a3"), ["NumberOfEmployees": 12, "AnnualRevenue": 1500.5, "Description": ""])
        try world.org.edit("Account", id: world.id("a4"), ["NumberOfEmployees": 0, "AnnualRevenue": 300])
        return world
    }

    /// The entries as they are stored.
    private func stored(_ world: DownWorld) async throws -> [String] {
        var lines: [String] = []
        for try await entry in world.kit.store.entries(matching: .all("accounts", pageSize: 500)) {
            lines.append("\(entry.stored)")
        }
        return lines.sorted()
    }

    /// The requests, with job ids left out.
    private func requests(_ world: DownWorld) -> [String] {
        world.transport.requests.map { request in
            request.split(separator: "/").map { $0.hasPrefix("750") ? "JOB" : String($0) }.joined(separator: "/")
        }
    }

    private static let wholeJob = [
        "GET query", "GET sobjects/Account/describe", "POST jobs/query", "GET jobs/query/JOB",
        "GET jobs/query/JOB/results",
    ]

    @Test func aJobBringsTheVeryBytesOfThePages() async throws {
        let bulk = try await world(Self.scenario(), accounts: 300)
        let result = try await bulk.run()
        #expect(result.state.status == .done)
        #expect([result.saved, result.unchanged, result.state.totalSize] == [300, 0, 300])
        #expect(requests(bulk) == Self.wholeJob)
        let pages = try await world(Self.scenario(bulk: #""bulk": "never", "bulkThreshold": 5"#), accounts: 300)
        #expect(try await pages.run().saved == 300)
        #expect(requests(pages).allSatisfy { $0.hasPrefix("GET query") })
        #expect(try await stored(bulk) == stored(pages))
        #expect(try await bulk.storeLines() == bulk.orgLines())

        // The next run asks for what changed, as ever.
        bulk.clock.advance(by: 10_000)
        try bulk.edit("a7", to: "changed")
        bulk.transport.hold(nil)
        #expect(try await bulk.run().saved >= 1)
        #expect(requests(bulk).allSatisfy { $0.hasPrefix("GET query") })
        #expect(try await bulk.storeLines() == bulk.orgLines())
    }

    @Test func aResultOfSeveralPagesGoesOnWhereItWasStopped() async throws {
        let world = try await world(Self.scenario(), accounts: 2100)
        // Pages of 1,000: the last one of three is not let through.
        world.transport.hold(7)
        let run = Task { try await world.run() }
        await world.transport.arrived()
        await world.kit.syncs.stop()
        await world.kit.syncs.ended()
        #expect(try await run.value.state.status == .stopped)
        #expect(requests(world).count == 7)
        try await world.kit.syncs.restart(restartStoppedSyncs: false)
        world.transport.hold(nil)
        let result = try await world.run()
        #expect(result.state.status == .done)
        #expect(requests(world).allSatisfy { $0 == "GET jobs/query/JOB/results" })
        #expect(requests(world).count <= 2)
        #expect(try await world.storeLines() == world.orgLines())
    }

    @Test func aJobThatTakesItsTimeIsWaitedFor() async throws {
        let world = try await world(Self.scenario(), accounts: 300)
        world.org.add(OrgFault(.jobStall(looks: 2, milliseconds: 0), method: "POST", path: "jobs/query", count: 1))
        let run = Task { try await world.run() }
        for pause: Int64 in [500, 1000] {
            await world.clock.waitForSleepers()
            world.clock.advance(by: pause)
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
    func withoutAJobThePagesAreRead(_ fault: OrgFault) async throws {
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
    func queriesThatAJobWouldAnswerOtherwiseAreReadPageByPage(_ query: String) async throws {
        let world = try await world(Self.scenario(query), accounts: 300)
        #expect(try await world.run().saved == 300)
        #expect(requests(world).allSatisfy { $0.hasPrefix("GET query") })
        #expect(try await world.storeLines() == world.orgLines())
    }

    @Test func fewRecordsAreReadPageByPage() async throws {
        let world = try await world(Self.scenario(bulk: #""bulkThreshold": 300"#), accounts: 300)
        #expect(try await world.run().saved == 300)
        #expect(requests(world).allSatisfy { $0.hasPrefix("GET query") })
    }
}

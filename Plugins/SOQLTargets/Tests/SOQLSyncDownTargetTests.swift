// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SOQLTargets
import SoupCore
import SoupTesting
import Testing

private let start: Int64 = 1_705_320_000_000

private let empty = #"{"totalSize":0,"done":true,"records":[]}"#

@Suite struct SOQLSyncDownTargetTests {
    /// Returns the queries that a target sends for a full run and for a run from a mark.
    private func queries(_ target: SOQLSyncDownTarget, inclusive: Bool = false) async throws -> [String?] {
        let transport = ScriptedTransport { _ in HTTPAnswer(empty) }
        _ = try await target.page(after: nil, in: soqlContext(transport))
        _ = try await target.page(
            after: nil, in: soqlContext(transport, from: HighWaterMark(milliseconds: start, inclusive: inclusive)))
        return transport.requests.map { $0[parameter: "q"] }
    }

    @Test func `Missing fields and a missing order are added`() async throws {
        #expect(
            try await queries(soqlTarget("select FirstName, LastName from Contact limit 100")) == [
                "select Id,LastModifiedDate,FirstName, LastName from Contact order by LastModifiedDate limit 100",
                "select Id,LastModifiedDate,FirstName, LastName from Contact "
                    + "where SystemModstamp > 2024-01-15T12:00:00.000Z order by LastModifiedDate limit 100",
            ])
    }

    @Test func `Without SystemModstamp, the modification date is the filter`() async throws {
        let transport = ScriptedTransport { request in
            guard request[parameter: "q"]?.contains("SystemModstamp") == true else { return HTTPAnswer(empty) }
            return HTTPAnswer(
                status: 400,
                #"[{"errorCode": "INVALID_FIELD", "message": "No such column 'SystemModstamp' on entity 'X'."}]"#)
        }
        let context = soqlContext(transport, from: HighWaterMark(milliseconds: start, inclusive: true))
        let target = try soqlTarget("SELECT Name FROM X")
        _ = try await target.page(after: nil, in: context)
        #expect(
            transport.requests.map { $0[parameter: "q"] }
                == ["SystemModstamp", "LastModifiedDate"].map {
                    "select Id,LastModifiedDate,Name from X where \($0) >= 2024-01-15T12:00:00.000Z order by LastModifiedDate"
                })
        #expect(try await target.currentCount(unchangedSince: nil, in: context) == 0)
        #expect(transport.requests.count == 4)
    }

    @Test func `Another modification date is also the filter`() async throws {
        #expect(
            try await queries(soqlTarget("SELECT Name FROM X", date: "Changed__c"))[1]
                == "select Id,Changed__c,Name from X where Changed__c > 2024-01-15T12:00:00.000Z order by Changed__c")
    }

    @Test(arguments: [
        (#"{"query": "SELECT Name FROM X"}"#, Duration.seconds(600)),
        (#"{"query": "SELECT Name FROM X", "lookback": 0}"#, .zero),
        (#"{"query": "SELECT Name FROM X", "lookback": 1.5}"#, .milliseconds(1500)),
    ]) func `The lookback is a number of seconds`(json: String, expected: Duration) throws {
        let configuration = try JSONText(json).decode(SOQLSyncDownTarget.Configuration.self)
        #expect(try SOQLSyncDownTarget(configuration: configuration).lookback == expected)
    }

    @Test func `A complete query is sent unchanged`() async throws {
        let query = "SELECT Id, LastModifiedDate FROM Account ORDER BY LastModifiedDate"
        #expect(try await queries(soqlTarget(query))[0] == query)
    }

    @Test func `An inclusive mark includes its own time`() async throws {
        let sent = try await queries(
            soqlTarget("SELECT Name FROM Account WHERE Name = 'a' OR Name = 'b'"), inclusive: true)
        #expect(
            sent[1] == "select Id,LastModifiedDate,Name from Account where "
                + "SystemModstamp >= 2024-01-15T12:00:00.000Z and (Name = 'a' OR Name = 'b') order by LastModifiedDate"
        )
    }

    @Test func `Configured field names are used`() async throws {
        let sent = try await queries(soqlTarget("SELECT Name FROM Acme__x", id: "ExternalId", date: "Changed__c"))
        #expect(sent[0] == "select ExternalId,Changed__c,Name from Acme__x order by Changed__c")
        #expect(sent[1]?.contains("where Changed__c > ") == true)
    }

    @Test(arguments: [
        "SELECT count() FROM Contact", "SELECT COUNT(Id) n FROM Contact", "select max(CreatedDate) Id from Contact",
        "SELECT AccountId, COUNT(Id) FROM Contact GROUP BY AccountId", "SELECT Name FROM Account GROUP BY ROLLUP(Name)",
    ])
    func `A query whose rows have no ID is rejected`(query: String) throws {
        for rewrite in [true, false] {
            let error = #expect(throws: SoupError.self, "\(rewrite)") { try soqlTarget(query, rewrite: rewrite) }
            #expect(error?.place == SoupError.Place(path: "query"))
            #expect(
                error?.message
                    == "the query counts or groups records, so its rows have no \"Id\" by which they can be saved")
            #expect(error?.hint?.hasPrefix("Select the fields of records") == true)
        }
    }

    @Test func `A query whose groups have an ID is sent`() async throws {
        let query = "SELECT AccountId, COUNT(Id) n FROM Contact GROUP BY AccountId"
        #expect(try await queries(soqlTarget(query, id: "AccountId"))[0] == query)
    }

    @Test func `Functions that do not aggregate are allowed`() async throws {
        let sent = try await queries(soqlTarget("select toLabel(Status) from Case"))
        #expect(sent[0] == "select Id,LastModifiedDate,toLabel(Status) from Case order by LastModifiedDate")
    }

    @Test func `A query without rewriting is sent unchanged every time`() async throws {
        let query = "SELECT Id, Name\nFROM Account"
        #expect(try await queries(soqlTarget(query, rewrite: false)) == [query, query])
    }

    @Test(arguments: [
        ("select Name from A", true), ("select Name from A order by LastModifiedDate", true),
        ("select Name from A order by lastmodifieddate asc, Id", true), ("select Name from A order by Name", false),
        ("select Name from A order by LastModifiedDate desc", false),
    ])
    func `The order of the query is detected`(query: String, ordered: Bool) throws {
        #expect(try soqlTarget(query).ordersByModificationDate == ordered)
        #expect(try soqlTarget(query, rewrite: false).ordersByModificationDate == (ordered && query.contains("order")))
    }

    @Test(arguments: [(2000, nil), (50, "batchSize=200"), (500, "batchSize=500"), (9999, nil)])
    func `The batch size is sent within the server's limits`(size: Int, header: String?) async throws {
        let transport = ScriptedTransport { _ in HTTPAnswer(empty) }
        _ = try await soqlTarget("select Id from A", maxBatchSize: size).page(after: nil, in: soqlContext(transport))
        #expect(transport.requests[0].header("Sforce-Query-Options") == header)
    }

    @Test(arguments: [
        ("SELECT Name FROM Account WHERE Name = 'James Bond'", "select Id from Account where Name = 'James Bond'"),
        ("SELECT Name, (SELECT LastName FROM Contacts) FROM Account", "select Id from Account"),
    ])
    func `Survivors are found by a query for the IDs`(query: String, sent: String) async throws {
        let transport = ScriptedTransport([.answer(to: "GET /v/query?q=\(sent)", empty)])
        #expect(try await soqlTarget(query).survivors(of: ["a"], level: 0, in: soqlContext(transport)) == [])
        #expect(transport.violations == [])
    }

    @Test func `A record beyond the limit is not a ghost`() async throws {
        let query = "SELECT Name FROM Account WHERE Name = 'x' OR Name = 'y' LIMIT 2"
        let sent =
            "select Id from Account where Id IN ('a', 'b', 'c') and (Name = 'x' OR Name = 'y')"
        let transport = ScriptedTransport([
            .answer(
                to: "GET /v/query?q=\(sent)",
                #"{"totalSize":3,"done":true,"records":[{"Id":"a"},{"Id":"b"},{"Id":"c"}]}"#)
        ])
        let found = try await soqlTarget(query).survivors(of: ["a", "b", "c"], level: 0, in: soqlContext(transport))
        #expect(found == ["a", "b", "c"])
        #expect(transport.violations == [])
    }

    @Test(arguments: [("limit 2", true), ("limit 3", false), ("", false)])
    func `A reached limit is reported`(limit: String, reached: Bool) async throws {
        let transport = ScriptedTransport { _ in
            HTTPAnswer(#"{"totalSize":2,"done":true,"records":[{"Id":"a"},{"Id":"b"}]}"#)
        }
        let page = try await soqlTarget("select Id from A \(limit)").page(after: nil, in: soqlContext(transport))
        #expect(page.isLimited == reached)
    }
}

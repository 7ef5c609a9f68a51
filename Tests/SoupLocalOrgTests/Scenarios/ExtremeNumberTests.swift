// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import SoupLocalOrg
import SoupSalesforce
import SoupCore
import Testing

/// Extreme numbers in all inputs: none of them may crash the org.
@Suite struct ExtremeNumberTests {
    private static let numbers: [Int] = [.max, .min, -1, 0]

    private func client(_ options: OrgOptions = OrgOptions()) throws -> OrgClient {
        var options = options
        options.admin = true
        return try OrgClient(clock: FixedClock(), options: options)
    }

    /// Requests of all kinds; other tests check their responses.
    private func use(_ client: OrgClient) async throws {
        for path in [
            "limits", "query?q=\(URLText.query("SELECT Id FROM Account"))",
            "sobjects/Account/updated?start=2024-01-15T00:00:00Z&end=2024-01-16T00:00:00Z",
            "search?q=\(URLText.query("FIND {acme}"))", "connect/briefcase/priming-records", "recent",
            "/services/oauth2/userinfo", "/_emu/journal",
        ] {
            #expect(try await client.send(.get, path).status < 500, "\(path)")
        }
        let page = try await client.json(.get, "query?q=\(URLText.query("SELECT Id FROM Contact"))")
        if let next = page.nextRecordsUrl?.stringValue { #expect(try await client.send(.get, next).status < 500) }
        let job = try await client.json(
            .post, "jobs/query", body: ["operation": "query", "query": "SELECT Id FROM Account"])
        for path in ["", "/results", "/resultPages"] {
            #expect(try await client.send(.get, "jobs/query/\(job.id?.stringValue ?? "")\(path)").status < 500)
        }
        _ = try await client.send(.post, "sobjects/Account", body: ["Name": "x"])
    }

    @Test(arguments: numbers)
    func `Options can be set in code`(_ number: Int) async throws {
        var options = OrgOptions()
        options.maximumPageSize = number
        options.cursorLifetime = .milliseconds(number)
        options.cursorIdleTime = .milliseconds(number)
        options.maximumCursors = number
        options.shuffleSeed = Int64(number)
        options.searchIndexDelay = .milliseconds(number)
        options.tokenLifetime = .milliseconds(number)
        options.replicationLag = .milliseconds(number)
        options.bulkPolls = number
        options.bulkPageSize = number
        options.briefcasePageSize = number
        let client = try client(options)
        try await use(client)
        let form = "grant_type=refresh_token&client_id=emu-client&refresh_token=\(client.org.refreshToken)"
        let refreshed = try await client.org.respond(
            to: HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/services/oauth2/token"),
            body: Array(form.utf8))
        #expect(refreshed.status == 200)
    }

    @Test(arguments: numbers)
    func `Faults can be added in code`(_ number: Int) async throws {
        let time = Duration.milliseconds(number)
        let effects: [OrgFault.Effect] = [
            .latency(time, jitter: time), .slowBody(bytesPerSecond: number, stallAfter: number, stall: time),
            .slowBody(bytesPerSecond: number, stallAfter: 0, stall: time), .http(status: number), .truncate(number),
            .expireTokenLater(calls: nil, after: time), .expireTokenLater(calls: number, after: nil),
            .expireCursorsLater(pages: number, after: time), .shrinkPages(number), .shuffle(Int64(number)),
            .jobStall(polls: number, time: time), .searchIndexDelay(time), .replicationLag(time),
            .refreshFails(.status(number)), .refreshFails(.timeout(time)),
        ]
        for effect in effects {
            let client = try client()
            client.org.add(OrgFault(effect, nth: [number], every: number, count: number, startDelay: time))
            client.org.add(OrgFault(effect, count: 3, seed: UInt64(bitPattern: Int64(number))))
            for _ in 0..<6 { _ = try await client.send(.get, "limits") }
            let query = "query?q=\(URLText.query("SELECT Id FROM Account"))"
            client.org.add(OrgFault(effect, id: "f2"))
            if let status = try? await client.send(.get, query).status { #expect(status != 0) }
            let job: JSONValue = ["operation": "query", "query": "SELECT Id FROM Account"]
            _ = try await client.send(.post, "jobs/query", body: job)
        }
    }

    @Test(arguments: numbers)
    func `The clock stays in its range`(_ number: Int) async throws {
        var options = OrgOptions()
        options.tokenLifetime = .milliseconds(Int64.max)
        options.bulkPolls = 1
        let client = try client(options)
        client.org.freezeClock(at: Date(millisecondsSince1970: Int64(number)))
        try await use(client)
        for _ in 0..<2 { client.org.advanceClock(by: .milliseconds(Int64(number))) }
        try await use(client)
        _ = try await client.send(.post, "/_emu/clock", body: ["run": true])
        for _ in 0..<2 { client.org.advanceClock(by: .milliseconds(Int64(number))) }
        try await use(client)
        for _ in 0..<20 { _ = try await client.send(.post, "/_emu/clock", body: ["advance": 1e12]) }
        try await use(client)
        #expect(DateText.format(client.org.now.millisecondsSince1970).hasPrefix("9999-"))
    }

    private static let texts = [
        "9223372036854775807", "-9223372036854775808", "99999999999999999999", "-1", "1e308", "0",
    ]

    @Test(arguments: texts)
    func `Extreme numbers in queries are handled`(_ number: String) async throws {
        let client = try client()
        for query in [
            "SELECT Id FROM Account LIMIT \(number)", "SELECT Id FROM Account OFFSET \(number)",
            "SELECT Id FROM Account LIMIT \(number) OFFSET \(number)",
            "SELECT Id, (SELECT Id FROM Contacts LIMIT \(number) OFFSET \(number)) FROM Account",
            "SELECT Id, (SELECT Id FROM Contacts LIMIT \(number) OFFSET 2) FROM Account",
            "SELECT Id FROM Account WHERE AnnualRevenue > \(number)",
            "SELECT Id FROM Account WHERE NumberOfEmployees IN (\(number))",
            "SELECT Id FROM Account WHERE CreatedDate > LAST_N_DAYS:\(number)",
            "SELECT Id FROM Account WHERE CreatedDate < NEXT_N_FISCAL_YEARS:\(number)",
            "SELECT Id FROM Account WHERE CreatedDate = N_WEEKS_AGO:\(number)",
            "SELECT Id FROM Account WHERE DISTANCE(BillingAddress, GEOLOCATION(\(number), \(number)), 'km') < \(number)",
            "SELECT FORMAT(AnnualRevenue) f, SUM(AnnualRevenue) FROM Account GROUP BY AnnualRevenue LIMIT \(number)",
        ] {
            for batch in ["batchSize=\(number)", "batchSize=-\(number)"] {
                let name = try #require(HTTPField.Name("Sforce-Query-Options"))
                let answer = try await client.send(
                    .get, "query?q=\(URLText.query(query))", headers: [name: batch])
                #expect(answer.status < 500, "\(query)")
            }
        }
    }

    @Test(arguments: texts)
    func `Extreme numbers in paths are handled`(_ number: String) async throws {
        let client = try client()
        let sosl = "FIND {acme} RETURNING Account(Id LIMIT \(number) OFFSET \(number)) LIMIT \(number)"
        for path in [
            "search?q=\(URLText.query(sosl))", "recent?limit=\(number)", "/_emu/journal?since=\(number)",
            "parameterizedSearch?q=acme&sobject=Account&Account.limit=\(number)&overallLimit=\(number)&defaultLimit=\(number)",
            "query/01g000000000001AAA-\(number)", "jobs/query?queryLocator=\(number)",
            "connect/briefcase/priming-records?relayToken=\(number)-\(number)",
            "sobjects/Account/updated?start=0001-01-01T00:00:00Z&end=9999-12-31T23:59:59-14:00",
            "sobjects/Account/\(number)", "ui-api/layout/Account?recordTypeId=\(number)",
        ] {
            #expect(try await client.send(.get, path).status < 500, "\(path)")
        }
    }

    @Test(arguments: texts)
    func `Extreme numbers in jobs are handled`(_ number: String) async throws {
        let client = try client()
        let job = try await client.json(
            .post, "jobs/query", body: ["operation": "query", "query": "SELECT Id FROM Account"])
        let id = job.id?.stringValue ?? ""
        for parameter in [
            "maxRecords=\(number)", "locator=\(number)", "locator=1-zzzzzzzzzzzz", "locator=1y2p0ij32e8e7",
        ] {
            #expect(try await client.send(.get, "jobs/query/\(id)/results?\(parameter)").status < 500)
            #expect(try await client.send(.get, "jobs/query/\(id)/resultPages?\(parameter)").status < 500)
        }
        let csv = "Name,AnnualRevenue,NumberOfEmployees,BillingLatitude\nx,\(number),\(number),\(number)\n"
        let ingest = try await client.ingest(["operation": "insert", "object": "Account"], csv)
        #expect(ingest.state == "JobComplete")
        let chunked = try await client.send(
            .post, "/services/async/60.0/job",
            text: #"{"operation": "query", "object": "Account", "contentType": "CSV"}"#, type: "application/json",
            headers: ["X-SFDC-Session": client.org.accessToken, "Sforce-Enable-PKChunking": "chunkSize=\(number)"])
        #expect(chunked.status < 500)
    }

    @Test(arguments: texts)
    func `Extreme numbers in references are handled`(_ number: String) async throws {
        let client = try client()
        let composite: JSONValue = [
            "compositeRequest": [
                [
                    "method": "GET", "url": "/services/data/v60.0/query?q=SELECT Id FROM Account",
                    "referenceId": "q",
                ],
                [
                    "method": "GET", "referenceId": "r",
                    "url": .string("/services/data/v60.0/sobjects/Account/@{q.records[\(number)].Id}"),
                ],
            ]
        ]
        #expect(try await client.send(.post, "composite", body: composite).status == 200)
    }

    @Test func `Extreme values of records are handled`() async throws {
        let client = try client()
        for value in [
            .int(.max), .int(.min), 1e308, -1e308, .double(.leastNonzeroMagnitude), "1e400", "-1e400",
            "9223372036854775808",
        ]
            as [JSONValue]
        {
            for field in ["AnnualRevenue", "NumberOfEmployees", "BillingLatitude", "Name"] {
                var record: JSONObject = ["Name": "x"]
                record[field] = value
                #expect(try await client.send(.post, "sobjects/Account", body: .object(record)).status < 500)
            }
            let opportunity: JSONValue = [
                "Name": "o", "StageName": "Prospecting", "CloseDate": "9999-12-31", "Amount": value,
                "Probability": value,
            ]
            #expect(try await client.send(.post, "sobjects/Opportunity", body: opportunity).status < 500)
        }
        for date in ["0001-01-01", "9999-12-31", "0000-00-00", "99999-01-01"] {
            for time in ["", "T00:00:00Z", "T23:59:59.999-14:00", "T00:00:00+14:00"] {
                let event: JSONValue = [
                    "Subject": "e", "StartDateTime": .string(date + time), "ActivityDate": .string(date),
                ]
                #expect(try await client.send(.post, "sobjects/Event", body: event).status < 500)
            }
        }
        let parts = "CALENDAR_YEAR(StartDateTime), DAY_ONLY(StartDateTime), WEEK_IN_YEAR(ActivityDate)"
        let grouped = "SELECT \(parts), COUNT(Id) FROM Event GROUP BY \(parts)"
        #expect(try await client.query(grouped).done == true)
        #expect(try await client.query("SELECT FORMAT(StartDateTime), FORMAT(ActivityDate) FROM Event").done == true)
    }

    @Test func `Each built-in seed is loaded`() throws {
        for number in ["9223372036854775807", "-9223372036854775808", "1e308", "-1"] {
            let digits = number.first?.isNumber == true && !number.contains("e") ? number : "00"
            let fields = #""Code__c": {"type": "autonumber", "format": "{\#(digits)}"}, "N__c": {"type": "double"}"#
            let document = """
                {"objects": {"Thing__c": {"fields": {\(fields)}}}, "seed": [{"object": "Thing__c", "values": {}}],
                 "generate": [{"object": "Thing__c", "count": 2, "seed": 1, "values":
                   {"N__c": {"int": [-999999999999999, 999999999999999]}}}]}
                """
            #expect(try LocalOrg(seed: OrgSeed(json: Array(document.utf8))).state(of: "Thing__c").count == 3)
            for bad in [
                document.replacing("-999999999999999,", with: "-9223372036854775808,"),
                document.replacing("999999999999999]", with: "9223372036854775807]"),
                #"{"generate": [{"object": "Account", "count": \#(number), "values": {"Name": "x"}}]}"#,
                #"{"objects": {"T__c": {"fields": {"A__c": {"type": "double", "scale": \#(number), "precision": 1}}}}}"#,
                #"{"objects": {"T__c": {"fields": {"A__c": {"type": "string", "length": \#(number)}}}}}"#,
                #"{"objects": {"T__c": {"fields": {"A__c": {"type": "autonumber", "format": "{-\#(number)}"}}}}}"#,
            ] {
                #expect(throws: ConfigurationError.self, "\(bad)") { try OrgSeed(json: Array(bad.utf8)) }
            }
        }
    }
}

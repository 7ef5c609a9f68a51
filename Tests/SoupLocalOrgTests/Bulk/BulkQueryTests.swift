// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import Testing

@testable import SoupLocalOrg

@Suite struct BulkQueryTests {
    private func job(_ client: OrgClient, _ soql: String, members more: JSONObject = JSONObject()) async throws
        -> String
    {
        var body: JSONObject = ["operation": "query", "query": .string(soql)]
        for (key, value) in more.members { body[key] = value }
        return try await client.json(.post, "jobs/query", body: .object(body)).id?.stringValue ?? ""
    }

    @Test func `Each page leads to the next`() async throws {
        let client = try OrgClient()
        let id = try await job(client, "SELECT Account.Name, Id, Account.Rating, Email FROM Contact ORDER BY LastName")
        var locator = ""
        var pages: [String] = []
        repeat {
            let answer = try await client.send(.get, "jobs/query/\(id)/results?maxRecords=2\(locator)")
            #expect(answer.header("Content-Type") == "text/csv;charset=UTF-8")
            pages.append("\(answer.header("Sforce-NumberOfRecords") ?? "")\n\(answer.text)")
            locator = answer.header("Sforce-Locator").map { $0 == "null" ? $0 : "&locator=\($0)" } ?? ""
        } while locator.hasPrefix("&")
        #expect(locator == "null")
        let header = #""Account.Name","Id","Account.Rating","Email""#
        #expect(
            pages == [
                """
                2
                \(header)
                "Acme","003000000000001AAA","Hot","ana@example.org"
                "","003000000000003AAA","",""

                """,
                """
                1
                \(header)
                "Acme","003000000000002AAA","Hot",""

                """,
            ])
        let info = try await client.json(.get, "jobs/query/\(id)")
        #expect(info.state == "JobComplete" && info.numberRecordsProcessed == 3 && info.jobType == "V2Query")
        #expect(info.isPkChunkingSupported == false && info.object == "Contact")
    }

    @Test func `Values are written in the form of their types`() async throws {
        let client = try OrgClient()
        client.org.setOptions { $0.resolution = .millisecond }
        let id = try await job(
            client,
            "SELECT Name, AnnualRevenue, NumberOfEmployees, IsDeleted, CreatedDate, Owner.Name FROM Account "
                + "WHERE Name IN ('Acme', 'O\\'Neil 100%_x')",
            members: ["columnDelimiter": "PIPE", "lineEnding": "CRLF"])
        #expect(
            try await client.send(.get, "jobs/query/\(id)/results").text
                == [
                    #""Name"|"AnnualRevenue"|"NumberOfEmployees"|"IsDeleted"|"CreatedDate"|"Owner.Name""#,
                    #""Acme"|"1000000.0"|""|"false"|"2024-01-15T12:00:00.000+0000"|"Demo User""#,
                    #""O'Neil 100%_x"|""|""|"false"|"2024-01-15T12:00:00.000+0000"|"Demo User""#, "",
                ].joined(separator: "\r\n"))
    }

    @Test func `The result stays as it was`() async throws {
        let client = try OrgClient()
        let id = try await job(client, "SELECT LastName FROM Contact ORDER BY LastName")
        let before = try await client.send(.get, "jobs/query/\(id)/results").text
        try client.org.edit("Contact", id: client.org.id(of: "con1") ?? "", ["LastName": "Changed"])
        try client.org.delete("Contact", id: client.org.id(of: "con2") ?? "")
        #expect(try await client.send(.get, "jobs/query/\(id)/results").text == before)
        let all = try await job(
            client, "SELECT LastName FROM Contact ORDER BY LastName", members: ["operation": "queryAll"])
        #expect(
            try await client.send(.get, "jobs/query/\(all)/results").text
                == "\"LastName\"\n\"Changed\"\n\"Orphan\"\n\"Smith\"\n")
        #expect(try await client.send(.delete, "jobs/query/\(id)").status == 204)
        #expect(try await client.send(.get, "jobs/query/\(id)/results").status == 404)
    }

    @Test func `Parallel pages form the whole result`() async throws {
        var options = OrgOptions()
        options.bulkPageSize = 30
        let client = try OrgClient(.medium, options: options)
        let id = try await job(client, "SELECT Id, Name FROM Account")
        var next = "jobs/query/\(id)/resultPages"
        var counts: [Int] = []
        var text = ""
        while true {
            let answer = try await client.send(.get, next, headers: ["Accept-Encoding": "identity"])
            let list = try JSONValue(parsing: answer.body)
            let pages = list.resultPages?.arrayValue ?? []
            counts.append(pages.count)
            for page in pages {
                let packed = try await client.send(
                    .get, page.resultUrl?.stringValue ?? "", headers: ["Accept-Encoding": "gzip"])
                #expect(packed.header("Content-Encoding") == "gzip")
                let lines = String(decoding: try Gzip.unpacked(packed.body, limit: 1 << 20), as: UTF8.self)
                #expect(lines.hasPrefix("\"Id\",\"Name\"\n"))
                text += lines.dropFirst("\"Id\",\"Name\"\n".count)
            }
            #expect(list.done == .bool(list.nextRecordsUrl == .null) && list.nextRecordUrl == list.nextRecordsUrl)
            guard let more = list.nextRecordsUrl?.stringValue else { break }
            next = more
        }
        #expect(counts == [5, 2])
        let whole = try await client.send(.get, "jobs/query/\(id)/results?maxRecords=1000").text
        #expect(whole == "\"Id\",\"Name\"\n" + text)
        let packed = try await client.send(
            .get, "jobs/query/\(id)/resultPages", headers: ["X-PrettyPrint": "1", "Accept-Encoding": "gzip"])
        #expect(packed.header("Content-Encoding") == "gzip")
        var older = client
        older.version = "/services/data/v59.0"
        #expect(try await older.send(.get, "jobs/query/\(id)/resultPages").status == 409)
        older.version = "/services/data/v57.0"
        #expect(try await older.send(.get, "jobs/query/\(id)/resultPages").status == 404)
    }

    @Test(arguments: [
        "SELECT COUNT() FROM Contact", "SELECT COUNT(Id) c FROM Contact",
        "SELECT LastName FROM Contact GROUP BY LastName",
        "SELECT Id FROM Contact OFFSET 1", "SELECT BillingAddress FROM Account",
        "SELECT FIELDS(ALL) FROM Account LIMIT 5",
        "SELECT Id, (SELECT Id FROM Contacts) FROM Account", "SELECT TYPEOF What WHEN Account THEN Phone END FROM Task",
        "SELECT Nope FROM Contact", "SELECT Id FROM Nope", "SELECT", "",
    ])
    func `Queries that jobs cannot run are rejected`(_ soql: String) async throws {
        let client = try OrgClient()
        let answer = try await client.send(.post, "jobs/query", body: ["operation": "query", "query": .string(soql)])
        #expect(answer.status == 400)
        #expect(try await client.json(.get, "jobs/query").records == [])
    }

    @Test func `An unfinished job has no result`() async throws {
        var options = OrgOptions()
        options.bulkPolls = 1
        let client = try OrgClient(options: options)
        let id = try await job(client, "SELECT Id FROM Contact")
        #expect(try await client.send(.get, "jobs/query/\(id)/results").status == 204)
        client.org.setOptions { $0.refusesEarlyResults = true }
        #expect(client.code(try await client.json(.get, "jobs/query/\(id)/results")) == "INVALIDJOBSTATE")
        #expect(try await client.json(.get, "jobs/query/\(id)").state == "InProgress")
        #expect(try await client.json(.get, "jobs/query/\(id)").state == "JobComplete")
        #expect(try await client.send(.get, "jobs/query/\(id)/results").status == 200)
        let other = try await job(client, "SELECT Id FROM Contact")
        #expect(try await client.json(.patch, "jobs/query/\(other)", body: ["state": "Aborted"]).state == "Aborted")
        #expect(client.code(try await client.json(.get, "jobs/query/\(other)/results")) == "INVALIDJOBSTATE")
    }

    @Test(arguments: ["0", "x", "zz-", "-5", "3", "1-0", "+1", "1-1-1"])
    func `An unknown locator is rejected`(_ locator: String) async throws {
        let client = try OrgClient()
        let id = try await job(client, "SELECT Id FROM Contact")
        let answer = try await client.send(.get, "jobs/query/\(id)/results?locator=\(URLText.query(locator))")
        #expect(answer.status == 400)
        #expect(try await client.send(.get, "jobs/query/\(id)/results?maxRecords=0").status == 400)
    }
}

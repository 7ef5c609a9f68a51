// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupSalesforce
import SoupCore
import Testing

@Suite struct LocalOrgTests {
    @Test func `Every response has the org's own time`() async throws {
        let client = try OrgClient(clock: FixedClock(now: 1_800_000_000_000))
        for path in ["limits", "nothing", "/services/data"] {
            #expect(try await client.send(.get, path).serverTime?.millisecondsSince1970 == 1_705_320_300_000, "\(path)")
        }
        let running = try OrgClient(.medium, clock: FixedClock(now: 1_800_000_000_000))
        #expect(try await running.send(.get, "limits").serverTime?.millisecondsSince1970 == 1_800_000_000_000)
    }

    @Test func `Timestamps are whole seconds unless asked otherwise`() async throws {
        let clock = FixedClock(now: 1_800_000_000_456)
        let client = try OrgClient(.large(1), clock: clock)
        let created = try await client.json(.post, "sobjects/Contact", body: ["LastName": "A"])
        client.org.setOptions { $0.resolution = .millisecond }
        _ = try await client.json(.post, "sobjects/Contact", body: ["LastName": "B"])
        let dates = try client.org.state(of: "Contact").map { $0.LastModifiedDate }
        #expect(dates == ["2027-01-15T08:00:00.000+0000", "2027-01-15T08:00:00.456+0000"])
        #expect(created.success == true)
    }

    @Test func `The medium seed has the documented records`() async throws {
        let client = try OrgClient(.medium)
        var counts: [String: Int] = [:]
        for object in ["Account", "Contact", "Opportunity", "Case", "Task", "Visit__c", "Visit_Item__c"] {
            counts[object] = try client.org.state(of: object).count
        }
        #expect(
            counts == [
                "Account": 200, "Contact": 1000, "Opportunity": 400, "Case": 300, "Task": 500, "Visit__c": 100,
                "Visit_Item__c": 500,
            ])
        let contacts = try client.org.state(of: "Contact")
        let dates = contacts.compactMap { $0.LastModifiedDate?.stringValue }
        #expect(Set(dates).count == 1000)
        #expect((dates.min() ?? "") > "2023-07" && (dates.max() ?? "") < "2024-01-15T00")
        #expect(contacts.allSatisfy { ($0.Title ?? .null) != .null && ($0.Department ?? .null) != .null })
        #expect(try await client.json(.get, "sobjects/Contact").recentItems?.arrayValue?.count == 10)
        let again = try OrgClient(.medium)
        #expect(try again.org.state(of: "Contact") == contacts)
    }

    @Test func `The large seed has consecutive IDs`() async throws {
        let client = try OrgClient(.large(1000))
        let fields =
            "Id,LastModifiedDate,Name,AccountNumber,Type,Industry,Phone,Website,BillingStreet,BillingCity,Rating,"
            + "Description,AnnualRevenue,NumberOfEmployees"
        let answer = try await client.send(
            .get, "query?q=\(URLText.query("select \(fields) from Account order by LastModifiedDate"))")
        #expect((540...590).contains(answer.body.count / 1000))
        let page = try JSONValue(parsing: answer.body)
        #expect(page.records?.arrayValue?.count == 1000)
        #expect(page.records?[0]?.Id == "001000000000001AAA")
        #expect(page.records?[999]?.LastModifiedDate == "2020-01-01T00:16:40.000+0000")
        let created = try await client.json(.post, "sobjects/Account", body: ["Name": "New"])
        #expect(created.id == "0010000000000G9AAI")
    }

    @Test func `A custom seed is loaded`() async throws {
        let seed = try OrgSeed(
            json: Array(
                #"""
                {"freeze": "2030-02-03T04:05:06Z",
                 "objects": {"Shelf__c": {"fields": {"Code__c": {"type": "string", "externalId": true, "unique": true}}},
                             "Book__c": {"fields": {"Shelf__c": {"type": "masterdetail", "referenceTo": ["Shelf__c"],
                               "childRelationshipName": "Books__r"}, "Pages__c": {"type": "int"}}}},
                 "seed": [{"object": "Book__c", "values": {"Shelf__c": "@s", "Pages__c": 12}},
                          {"object": "Shelf__c", "key": "s", "values": {"Code__c": "A"}}],
                 "generate": [{"object": "Shelf__c", "count": 3, "seed": 7, "values": {"Code__c": "G-{n}"}}]}
                """#.utf8))
        let client = try OrgClient(seed)
        let answer = try await client.query(
            "select Code__c, (select Pages__c from Books__r) from Shelf__c order by Code__c")
        #expect(answer.records?.arrayValue?.map { $0.Code__c } == ["A", "G-1", "G-2", "G-3"])
        #expect(answer.records?[0]?.Books__r?.records?[0]?.Pages__c == 12)
        #expect(client.org.now.millisecondsSince1970 == 1_896_321_906_000)
        #expect(throws: SoupError.self) { try OrgSeed(json: Array("{".utf8)) }
    }

    @Test func `A reset restores the seed`() async throws {
        let client = try OrgClient()
        let before = try client.org.state(of: "Account")
        try client.org.insert("Account", ["Name": "Gone"])
        client.org.advanceClock(by: .milliseconds(5000))
        try client.org.reset(to: .tiny)
        #expect(try client.org.state(of: "Account") == before)
        #expect(client.org.now.millisecondsSince1970 == 1_705_320_300_000)
        #expect(try await client.send(.get, "limits").status == 200)
    }

    @Test func `No request ends the org`() async throws {
        var options = OrgOptions()
        options.admin = true
        let client = try OrgClient(options: options)
        var random = SeededBytes(seed: 99)
        let words = [
            "/", "services", "data", "v60.0", "sobjects", "Account", "Contact", "query", "?q=", "select", "composite",
            "%", "%zz", "%00", "Id", "001000000000001AAA", "describe", "tree", "batch", "oauth2", "token", "_emu",
            "reset",
            "faults", "é", "+", "&", "=", "'", "..", "recent", "?", "External_Id__c", "Visit__c", "-", "limits",
        ]
        let bodies = [
            "", "{", "[]", "{}", "null", "\u{0}", #"{"records":[1,{},{"attributes":{"type":"Account"}}]}"#,
            #"{"Name":{"a":[]}}"#, #"{"compositeRequest":[{"method":"GET","url":"@{","referenceId":"a"}]}"#,
            #"{"seed":{"seed":3}}"#, #"{"ids":[1,null],"fields":["Name"]}"#, #"{"do":{"kind":"drop","at":"x"}}"#,
        ]
        for _ in 0..<1500 {
            var path = "/services/data/v60.0"
            if random.next() % 4 == 0 { path = "" }
            for _ in 0..<random.next() % 7 {
                path += (random.next() % 3 == 0 ? "" : "/") + words[Int(random.next() % UInt64(words.count))]
            }
            let methods: [HTTPRequest.Method] = [.get, .post, .patch, .delete, .put, .head]
            var request = HTTPRequest(
                method: methods[Int(random.next() % 6)], scheme: nil, authority: nil, path: path)
            request.headerFields[.authorization] = "Bearer \(client.org.accessToken)"
            let body = bodies[Int(random.next() % UInt64(bodies.count))]
            let answer = try await client.org.respond(to: request, body: Array(body.utf8))
            #expect((100..<500).contains(answer.status), "\(request.method) \(path) \(body)")
        }
        try client.org.reset(to: .tiny)
        #expect(try await client.values("select Name from Account where Name = 'Acme'") == ["Acme"])
    }
}

/// A generator of pseudorandom numbers that are the same in every run.
struct SeededBytes {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 33
    }
}

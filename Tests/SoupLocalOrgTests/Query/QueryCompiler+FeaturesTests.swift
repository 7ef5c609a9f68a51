// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupCore
import Testing

/// The features of SOQL besides fields, conditions and orders.
@Suite struct QueryCompilerFeaturesTests {
    private func records(_ answer: JSONValue) -> [JSONObject] {
        (answer.records?.arrayValue ?? []).map { record in
            var object = record.objectValue ?? JSONObject()
            object["attributes"] = nil
            return object
        }
    }

    // MARK: Polymorphic parents

    private func clientWithTasks() throws -> OrgClient {
        let client = try OrgClient()
        let acme = JSONValue.string(client.org.id(of: "acc1") ?? "")
        let first = JSONValue.string(client.org.id(of: "opp1") ?? "")
        let ana = JSONValue.string(client.org.id(of: "con1") ?? "")
        try client.org.edit("Account", id: acme.stringValue ?? "", ["Phone": "555"])
        try client.org.insert("Task", ["Subject": "1", "WhatId": acme, "WhoId": ana])
        try client.org.insert("Task", ["Subject": "2", "WhatId": first])
        try client.org.insert("Task", ["Subject": "3", "WhatId": .string(client.org.id(of: "case1") ?? "")])
        try client.org.insert("Task", ["Subject": "4"])
        return client
    }

    @Test func `TYPEOF returns different fields by object`() async throws {
        let client = try clientWithTasks()
        let query =
            "select Subject, TYPEOF What WHEN Account THEN Phone, Owner.Name WHEN Opportunity THEN Amount, StageName"
        let answer = try await client.query("\(query) ELSE Name, Id END from Task order by Subject")
        let whats = records(answer).map { $0["What"] }
        #expect(whats[0]?.attributes?.type == "Account" && whats[0]?.Phone == "555")
        #expect(whats[0]?.Owner?["Name"] == "Demo User" && whats[0]?.Amount == nil)
        #expect(whats[1]?.attributes?.type == "Opportunity" && whats[1]?.Amount == 100)
        #expect(whats[2]?.attributes?.type == "Case" && whats[2]?.Id?.stringValue == client.org.id(of: "case1"))
        #expect(whats[3] == .null)
        let bare = try await client.query("\(query) END from Task order by Subject")
        #expect(records(bare).map { $0["What"]?.isNull } == [false, false, true, true])
    }

    @Test(
        arguments: [
            ("select Subject from Task where What.Type = 'account'", ["1"]),
            (
                "select Subject from Task where What.Type in ('Account', 'Opportunity') order by Subject desc",
                ["2", "1"]
            ),
            ("select Subject from Task where What.Type like 'o%'", ["2"]),
            ("select Subject from Task where What.Name = 'FIRST'", ["2"]),
            ("select Subject from Task where Who.FirstName = 'ana' and Who.Type = 'Contact'", ["1"]),
            ("select Subject from Task where What.Type = null", ["4"]),
            ("select What.Name from Task where What.Name != null order by What.Name", [""]),
        ] as [(String, [String])])
    func `Polymorphic parents are filtered by type`(_ soql: String, _ expected: [String]) async throws {
        let client = try clientWithTasks()
        if soql.hasPrefix("select What") {
            let names = records(try await client.query(soql)).map { $0["What"]?["Name"] }
            #expect(names == ["00001001", "Acme", "First"])
        } else {
            #expect(try await client.values(soql) == expected.map { .string($0) })
        }
    }

    // MARK: Functions

    @Test func `Functions return values under their field's name`() async throws {
        let client = try OrgClient()
        let answer = try await client.query(
            "select toLabel(StageName), convertCurrency(Amount) paid, FORMAT(Amount), FORMAT(CloseDate) due, "
                + "FORMAT(CreatedDate), "
                + "toLabel(Account.Rating) from Opportunity where Name = 'First'")
        var row = records(answer).first ?? JSONObject()
        #expect(row["Account"]?.Rating == "Hot")
        row["Account"] = nil
        #expect(
            row == [
                "StageName": "Prospecting", "paid": 100, "Amount": "$100.00", "due": "2/1/2024",
                "CreatedDate": "1/15/2024, 12:00 PM",
            ])
    }

    @Test func `Distances are measured on the sphere`() async throws {
        let client = try OrgClient()
        let acme = client.org.id(of: "acc1") ?? ""
        try client.org.edit("Account", id: acme, ["BillingLatitude": 59.91, "BillingLongitude": 10.75])
        let place = "DISTANCE(BillingAddress, GEOLOCATION(60.39, 5.32), 'km')"
        let answer = try await client.query("select \(place) far from Account where \(place) < 400 order by \(place)")
        let far = records(answer).first?["far"]?.doubleValue ?? 0
        #expect(records(answer).count == 1 && abs(far - 305) < 2, "\(far)")
        #expect(try await client.values("select Name from Account where \(place) > 400") == [])
    }

    @Test func `FIELDS selects several fields`() async throws {
        let client = try OrgClient()
        let all = records(try await client.query("select FIELDS(ALL) from Visit__c limit 200"))
        let standard = records(try await client.query("select FIELDS(STANDARD) from Visit__c"))
        let custom = records(try await client.query("select FIELDS(CUSTOM) from Visit__c limit 1"))
        #expect(all[0].count == standard[0].count + custom[0].count)
        #expect(custom[0].keys.allSatisfy { $0.hasSuffix("__c") } && standard[0]["Id"] != nil)
        let child = try await client.query(
            "select (select FIELDS(CUSTOM) from Visits__r limit 5) from Account where Name = 'Acme'")
        #expect(child.records?[0]?.Visits__r?.records?[0]?.External_Id__c == "V/1")
    }

    // MARK: Groups

    @Test func `Subtotals follow their groups`() async throws {
        let client = try OrgClient()
        for (rating, type) in [("Hot", "Other"), ("Hot", "Prospect"), ("Cold", "Other")] {
            try client.org.insert("Account", ["Name": "N", "Rating": .string(rating), "Type": .string(type)])
        }
        func lines(_ grouping: String) async throws -> [String] {
            let answer = try await client.query(
                "select Rating, Type, GROUPING(Rating) r, GROUPING(Type) t, COUNT(Id) n from Account where Name = 'N' "
                    + "group by \(grouping)")
            return records(answer).map { row in
                ["Rating", "Type", "r", "t", "n"].map { row[$0]?.stringValue ?? row[$0]?.description ?? "?" }
                    .joined(separator: " ")
            }
        }
        #expect(
            try await lines("ROLLUP(Rating, Type)") == [
                "Hot Prospect 0 0 1", "Hot Other 0 0 1", "Hot null 0 1 2", "Cold Other 0 0 1", "Cold null 0 1 1",
                "null null 1 1 3",
            ])
        #expect(
            try await lines("CUBE(Rating, Type)") == [
                "Hot Prospect 0 0 1", "Hot Other 0 0 1", "Hot null 0 1 2", "Cold Other 0 0 1", "Cold null 0 1 1",
                "null Prospect 1 0 1", "null Other 1 0 2", "null null 1 1 3",
            ])
    }

    @Test func `Equal keys count as separate keys`() async throws {
        let client = try OrgClient()
        let answer = try await client.query(
            "select CALENDAR_QUARTER(CloseDate) c, FISCAL_QUARTER(CloseDate) f, COUNT(Id) n from Opportunity "
                + "group by rollup(CALENDAR_QUARTER(CloseDate), FISCAL_QUARTER(CloseDate))")
        #expect(
            records(answer) == [
                ["c": 1, "f": 1, "n": 2], ["c": 1, "f": .null, "n": 2], ["c": .null, "f": .null, "n": 2],
            ])
    }

    @Test func `Groups are named filtered and ordered`() async throws {
        let client = try OrgClient()
        let answer = try await client.query(
            "select CALENDAR_YEAR(CloseDate) y, FORMAT(SUM(Amount)), AVG(Amount) mean from Opportunity "
                + "group by CALENDAR_YEAR(CloseDate) having AVG(Amount) > 1 and COUNT(Id) = 2 order by mean desc")
        #expect(records(answer) == [["y": 2024, "expr0": "$400.00", "mean": 200]])
        let labels = try await client.query(
            "select toLabel(Rating), MAX(Name) m from Account group by Rating order by Rating nulls last")
        #expect(records(labels).map { $0["Rating"] } == ["Hot", .null])
    }

    // MARK: Levels, scopes, options

    @Test func `Children are nested as deep as the version allows`() async throws {
        var client = try OrgClient()
        let deep = "select Name, (select Name, (select Name from Visit_Items__r) from Visits__r) from Account"
        #expect(try await client.query(deep).totalSize == 3)
        client.version = "/services/data/v57.0"
        #expect(client.code(try await client.query(deep)) == "MALFORMED_QUERY")
        #expect(try await client.query("select Name, (select Name from Visits__r) from Account").totalSize == 3)
    }

    @Test func `ALL ROWS needs an option`() async throws {
        var options = OrgOptions()
        options.allowsAllRows = true
        let client = try OrgClient(options: options)
        #expect(try await client.query("select COUNT() from Account all rows").totalSize == 4)
        #expect(try await client.query("select COUNT() from Account").totalSize == 3)
    }

    @Test func `No order is promised without one`() async throws {
        var options = OrgOptions()
        options.shuffleSeed = 5
        let client = try OrgClient(.large(50), options: options)
        let ids = try await client.values("select Id from Account").compactMap(\.stringValue)
        #expect(ids != ids.sorted() && Set(ids).count == 50)
        #expect(try await client.values("select Id from Account").compactMap(\.stringValue) == ids)
        let ordered = try await client.values("select Name from Account order by Name").compactMap(\.stringValue)
        #expect(ordered == ordered.sorted())
    }

    @Test func `Viewed children become recent items`() async throws {
        let client = try OrgClient()
        _ = try await client.query("select Id, (select Id from Contacts where LastName = 'Ng' for view) from Account")
        let recent = try await client.json(.get, "recent")
        #expect(recent.arrayValue?.map { $0["Name"] } == ["Ana Ng"])
        _ = try await client.query("select Id from Account where Name = 'Acme' for reference")
        #expect(try await client.json(.get, "recent").arrayValue?.map { $0["Name"] } == ["Acme", "Ana Ng"])
    }

    @Test(arguments: ["SECURITY_ENFORCED", "USER_MODE", "system_mode", "DATA CATEGORY Geography__c AT usa__c"])
    func `WITH clauses are accepted without effect`(_ clause: String) async throws {
        let client = try OrgClient()
        #expect(try await client.query("select Id from Account with \(clause) limit 2").totalSize == 2)
    }
}

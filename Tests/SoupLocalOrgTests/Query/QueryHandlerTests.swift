// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupCore
import Testing

@Suite struct QueryHandlerTests {
    /// Queries over the seed `tiny`, and the first field of each record that they find.
    @Test(
        arguments: [
            ("select Name from Account where Name = 'ACME'", ["Acme"]),
            ("select Name from Account where Name != 'acme' order by Name", ["Globex", "O'Neil 100%_x"]),
            ("select Name from Account where Rating != 'Hot' order by Name", ["Globex", "O'Neil 100%_x"]),
            ("select Name from Account where not Rating = 'Hot' order by Name", ["Globex", "O'Neil 100%_x"]),
            ("select Name from Account where Rating not in ('Hot') order by Name", ["Globex", "O'Neil 100%_x"]),
            (
                "select Name from Account where not (Rating = 'Hot' and Name = 'x') order by Name desc limit 1",
                ["O'Neil 100%_x"]
            ),
            ("select Name from Account where Rating = ''", ["Globex", "O'Neil 100%_x"]),
            ("select Name from Account where Name like '%100\\%\\_x'", ["O'Neil 100%_x"]),
            ("select Name from Account where Name like 'a__e'", ["Acme"]),
            ("select Name from Account where Name like '\\%'", []),
            ("select Name from Account where AnnualRevenue > 299.5 and AnnualRevenue < 301", ["Globex"]),
            ("select Name from Account where Parent.Name = 'Acme'", ["Globex"]),
            ("select Name from Account where Parent.Name = null order by Name", ["Acme", "O'Neil 100%_x"]),
            ("select a.Name from Account a where a.Parent.Rating = 'hot'", ["Globex"]),
            (
                "select c.LastName from Contact c, c.Account a where a.Name = 'Acme' order by a.Name, c.LastName",
                ["Ng", "Smith"]
            ),
            (
                "select LastName from Contact where AccountId in (select Id from Account where Rating = 'Hot')",
                ["Ng", "Smith"]
            ),
            (
                "select LastName from Contact where AccountId not in (select Id from Account where Rating = 'Hot')",
                ["Orphan"]
            ),
            ("select Name from Opportunity where CloseDate > 2024-01-20", ["First"]),
            ("select Name from Opportunity where CloseDate = LAST_N_DAYS:30", ["Second"]),
            ("select Name from Opportunity where CloseDate = NEXT_N_MONTHS:1", ["First"]),
            ("select Name from Opportunity where CloseDate = THIS_YEAR order by CloseDate", ["Second", "First"]),
            ("select Name from Opportunity where CloseDate < THIS_WEEK", ["Second"]),
            ("select Name from Opportunity where CALENDAR_MONTH(CloseDate) = 2", ["First"]),
            ("select Name from Opportunity where IsWon = true and IsClosed = true", ["Second"]),
            ("select Name from Account order by Rating nulls last, Name", ["Acme", "Globex", "O'Neil 100%_x"]),
            ("select Name from Account order by Rating desc, Name desc", ["O'Neil 100%_x", "Globex", "Acme"]),
            ("select Name from Account order by AnnualRevenue desc nulls last limit 1 offset 1", ["Globex"]),
            ("select Name from Account using scope mine order by Name limit 1", ["Acme"]),
            ("select Name from Account limit 0", []),
            ("select Subject from Case where Owner.Name = 'Demo User' and Owner.Type = 'User'", ["Broken"]),
            ("select Name from Account where CreatedDate = TODAY order by Name limit 1", ["Acme"]),
            ("select Name from Account where LastModifiedDate > 2024-01-15T12:00:00.000Z", []),
        ] as [(String, [String])])
    func `Query finds the rows`(_ soql: String, _ expected: [String]) async throws {
        let client = try OrgClient()
        #expect(try await client.values(soql) == expected.map { .string($0) })
    }

    @Test(arguments: [
        ("select Id from Nope", "INVALID_TYPE"), ("select Nope from Account", "INVALID_FIELD"),
        ("select Nope.Name from Account", "INVALID_FIELD"), ("select Id from Account where Nope = 1", "INVALID_FIELD"),
        ("select Id, (select Id from Nopes) from Account", "INVALID_FIELD"),
        ("select Id, id from Account", "MALFORMED_QUERY"), ("select Id from Account where", "MALFORMED_QUERY"),
        ("select Id from Account where Name = 1", "INVALID_FIELD"),
        ("select Id from Account where AnnualRevenue = '1'", "INVALID_FIELD"),
        ("select Id from Account where Id = 'x'", "INVALID_QUERY_FILTER_OPERATOR"),
        ("select Id from Account where Id in ('')", "INVALID_QUERY_FILTER_OPERATOR"),
        ("select Id from Account where Description = 'x'", "INVALID_FIELD"),
        ("select Id from Account order by Description", "INVALID_FIELD"),
        ("select Id from Account where AnnualRevenue like '1'", "INVALID_QUERY_FILTER_OPERATOR"),
        ("select Name, COUNT(Id) from Account", "MALFORMED_QUERY"),
        ("select FIELDS(ALL) from Account", "MALFORMED_QUERY"),
        ("select FIELDS(CUSTOM) from Account limit 201", "MALFORMED_QUERY"),
        ("select Id from Account all rows", "MALFORMED_QUERY"),
        ("select Id from Account for update", "MALFORMED_QUERY"),
        ("select Id from Contact where Id in (select Id from Contact)", "MALFORMED_QUERY"),
        ("select Id from Account where CreatedDate = 2024-01-01", "INVALID_FIELD"),
        ("select Id from Account where CloseDate = 2024-02-30", "INVALID_FIELD"),
        ("select a.b.c.d.e.f.g.h from Account", "INVALID_FIELD"),
    ])
    func `Query is rejected with a code`(_ soql: String, _ code: String) async throws {
        let client = try OrgClient()
        let answer = try await client.query(soql)
        #expect(client.code(answer) == code, "\(answer)")
    }

    @Test func `Errors contain their position`() async throws {
        let client = try OrgClient()
        let answer = try await client.query("select Id\nfrom Account where Nope = 1")
        let message = answer[0]?.message?.stringValue ?? ""
        #expect(
            message.hasPrefix(
                "\nfrom Account where Nope = 1\n                   ^\nERROR at Row:2:Column:20\nNo such column"))
    }

    @Test func `Rows have fields in order with the schema's names`() async throws {
        let client = try OrgClient()
        let acme = client.org.id(of: "acc1") ?? ""
        let answer = try await client.send(
            .get,
            "query?q=select+name,parent.name,owner.id,billingaddress,id,(select+lastname+from+contacts)+"
                + "from+account+where+id='\(acme)'")
        #expect(
            String(decoding: answer.body, as: UTF8.self) == """
                {"totalSize":1,"done":true,"records":[{"attributes":{"type":"Account",\
                "url":"/services/data/v60.0/sobjects/Account/\(acme)"},"Name":"Acme","Parent":null,\
                "Owner":{"attributes":{"type":"User","url":"/services/data/v60.0/sobjects/User/005000000000001AAA"},\
                "Id":"005000000000001AAA"},"BillingAddress":{"city":"Oslo","country":null,"geocodeAccuracy":null,\
                "latitude":null,"longitude":null,"postalCode":null,"state":null,"street":null},"Id":"\(acme)",\
                "Contacts":{"totalSize":2,"done":true,"records":[{"attributes":{"type":"Contact",\
                "url":"/services/data/v60.0/sobjects/Contact/003000000000001AAA"},"LastName":"Ng"},\
                {"attributes":{"type":"Contact","url":"/services/data/v60.0/sobjects/Contact/003000000000002AAA"},\
                "LastName":"Smith"}]}}]}
                """)
    }

    @Test func `Child queries nest and filter and limit`() async throws {
        let client = try OrgClient()
        let answer = try await client.query(
            "select Name, (select LastName from Contacts where LastName != 'Ng' order by LastName desc limit 1), "
                + "(select External_Id__c, (select External_Id__c from Visit_Items__r order by Name desc) from Visits__r) "
                + "from Account where Name = 'Acme'")
        let row = answer.records?[0]
        #expect(row?.Contacts?.records?.arrayValue?.map { $0.LastName } == ["Smith"])
        let items = row?.Visits__r?.records?[0]?.Visit_Items__r?.records?.arrayValue
        #expect(items?.map { $0.External_Id__c } == ["I-2", "I-1"])
    }

    @Test func `Groups count and sum`() async throws {
        let client = try OrgClient()
        let answer = try await client.query(
            "select Account.Name, COUNT(Id), SUM(Amount) total, MAX(CloseDate) from Opportunity group by Account.Name "
                + "having SUM(Amount) > 100 order by COUNT(Id) desc")
        #expect(
            answer == [
                "totalSize": 1, "done": true,
                "records": [
                    [
                        "attributes": ["type": "AggregateResult"], "Name": "Acme", "expr0": 2, "total": 400,
                        "expr1": "2024-02-01",
                    ]
                ],
            ])
        #expect(try await client.query("select COUNT() from Account where Name != null limit 2").totalSize == 2)
    }

    @Test func `Text is compared without case in any script`() async throws {
        let client = try OrgClient()
        for name in ["ÄPFEL", "äpfel 2", "Zebra", "apple", "Ωmega"] {
            try client.org.insert("Account", ["Name": .string(name)])
        }
        #expect(try await client.values("select Name from Account where Name = 'äpfel'") == ["ÄPFEL"])
        #expect(
            try await client.values("select Name from Account where Name like 'äP%' order by Name") == [
                "ÄPFEL", "äpfel 2",
            ])
        #expect(
            try await client.values("select Name from Account where Name >= 'APPLE' and Name <= 'zebra' order by Name")
                == ["apple", "Globex", "O'Neil 100%_x", "Zebra"])
    }

    @Test func `Values keep their escapes`() async throws {
        let client = try OrgClient()
        let name = "quote \" slash \\ tab \t line \n bell \u{7} é 漢 👩‍👧"
        let created = try await client.json(.post, "sobjects/Account", body: ["Name": .string(name)])
        let row = try await client.json(.get, "sobjects/Account/\(created.id?.stringValue ?? "")?fields=Name")
        #expect(row["Name"] == .string(name))
    }

    @Test func `A viewed row becomes a recent item`() async throws {
        let client = try OrgClient()
        _ = try await client.query("select Id from Account where Name = 'Globex' for view")
        _ = try await client.query("select Id from Account where Name = 'Acme' for view")
        let object = try await client.json(.get, "sobjects/Account")
        #expect(object.recentItems?.arrayValue?.map { $0["Name"] } == ["Acme", "Globex"])
        #expect(object.objectDescribe?.name == "Account")
        let recent = try await client.json(.get, "recent?limit=1")
        #expect(recent.arrayValue?.map { $0["Name"] } == ["Acme"])
        #expect(
            try await client.values("select LastViewedDate from Account where Name = 'Acme'")
                == ["2024-01-15T12:05:00.000+0000"])
    }
}

extension QueryHandlerTests {
    @Test func `Long conditions are accepted`() async throws {
        let client = try OrgClient()
        let terms = (0..<3000).map { "NumberOfEmployees = \($0)" }.joined(separator: " or ")
        let body: JSONValue = [
            "compositeRequest": [
                [
                    "method": "GET", "referenceId": "q",
                    "url": .string(
                        "/services/data/v60.0/query?q=select Id from Account where \(terms) or Name = 'Acme'"),
                ]
            ]
        ]
        let answer = try await client.json(.post, "composite", body: body)
        #expect(answer.compositeResponse?[0]?.body?.totalSize == 1)
        #expect(try await client.send(.get, "query?q=\(terms)").status == 414)
    }

    @Test func `Request bodies must be JSON`() async throws {
        let client = try OrgClient()
        let answer = try await client.send(
            .post, "sobjects/Account", body: ["Name": "x"], headers: [.contentType: "text/plain"])
        #expect(answer.status == 415)
    }

    @Test func `Unchanged describes get 304`() async throws {
        let client = try OrgClient()
        let path = "sobjects/Account/\(client.org.id(of: "acc1") ?? "")"
        let first = try await client.send(.get, path)
        let tag = first.response.headerFields[.eTag] ?? ""
        #expect(first.response.headerFields[.lastModified] == "Mon, 15 Jan 2024 12:00:00 GMT")
        let again = try await client.send(.get, path, headers: [.ifNoneMatch: tag])
        #expect(again.status == 304 && again.body.isEmpty)
        #expect(try await client.send(.patch, path, body: ["Rating": "Cold"], headers: [.ifMatch: tag]).status == 204)
        #expect(try await client.send(.patch, path, body: ["Rating": "Warm"], headers: [.ifMatch: tag]).status == 412)
        let late: HTTPFields = [.ifUnmodifiedSince: "Mon, 15 Jan 2024 12:04:59 GMT"]
        #expect(try await client.send(.patch, path, body: ["Rating": "Warm"], headers: late).status == 412)
        #expect(
            try await client.send(.patch, path, body: ["Rating": "Warm"], headers: [.ifUnmodifiedSince: "soon"]).status
                == 400
        )
        #expect(try await client.values("select Rating from Account where Name = 'Acme'") == ["Cold"])
    }

    @Test func `Relationships have paths`() async throws {
        let client = try OrgClient()
        let contact = client.org.id(of: "con1") ?? ""
        let parent = try await client.json(.get, "sobjects/Contact/\(contact)/Account?fields=Name")
        #expect(parent["Name"] == "Acme")
        #expect(
            try await client.send(.patch, "sobjects/Contact/\(contact)/Account", body: ["Rating": "Cold"]).status == 204
        )
        let acme = client.org.id(of: "acc1") ?? ""
        let children = try await client.json(.get, "sobjects/Account/\(acme)/Contacts?fields=LastName")
        #expect(children.records?.arrayValue?.map { $0.LastName } == ["Ng", "Smith"])
        #expect(try await client.send(.get, "sobjects/Account/\(acme)/Nope").status == 404)
        #expect(try await client.send(.get, "sobjects/Account/\(acme)/Contacts?fields=Nope").status == 400)
    }

    /// Comparisons, including LIKE, use the upper-case form of text, in which "ß" is "SS".
    @Test(arguments: [
        ("= 'LANGE STRASSE'", 1), ("LIKE 'lange stras%'", 1), ("LIKE '%STRASSE'", 1), ("LIKE '%straße'", 1),
        ("LIKE 'lange stra__e'", 1), ("LIKE 'lange stra_e'", 0), ("LIKE 'lange strase'", 0), ("LIKE '%'", 4),
    ])
    func `Letters that fold into others are found`(_ test: String, _ count: Int) async throws {
        let client = try OrgClient()
        try client.org.insert("Account", ["Name": "Lange Straße"])
        #expect(try await client.values("SELECT Name FROM Account WHERE Name \(test)").count == count)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import SoupLocalOrg
import SoupSalesforce
import SoupCore
import Testing

@Suite struct SearchHandlerTests {
    private func client(_ options: OrgOptions = OrgOptions()) throws -> OrgClient {
        let client = try OrgClient(options: options)
        let acme = JSONValue.string(client.org.id(of: "acc1") ?? "")
        try client.org.insert(
            "Contact",
            [
                "LastName": "Müller-Lüdenscheidt", "FirstName": "Hans", "Email": "hans.m@acme.example",
                "AccountId": acme,
                "Phone": "(415) 555-1234", "Description": "Likes the Acme Rocket, and 漢字 too",
                "Title": "Vice President",
            ])
        try client.org.insert("Lead", ["LastName": "Hansen", "Company": "Rocket Acme Ltd", "Email": "x@y.example"])
        try client.org.insert("Account", ["Name": "Acme Rockets", "AnnualRevenue": 5])
        return client
    }

    @Test func `Records later than the clock are found too`() async throws {
        let client = try OrgClient()
        client.org.freezeClock(at: Date(millisecondsSince1970: 0))
        #expect(names(try await search(client, "FIND {acme} RETURNING Account(Name)")).contains("Account Acme"))
    }

    private func search(_ client: OrgClient, _ sosl: String) async throws -> JSONValue {
        try await client.json(.get, "search?q=\(URLText.query(sosl))")
    }

    /// Returns the types and names of the records that a search finds.
    private func names(_ answer: JSONValue) -> [String] {
        guard let records = answer.searchRecords?.arrayValue else { return ["\(answer)"] }
        return records.map { record in
            "\(record.attributes?.type?.stringValue ?? "?") \(record["Name"]?.stringValue ?? "")"
        }
    }

    @Test(
        arguments: [
            ("{acme} RETURNING Account(Name)", ["Account Acme", "Account Acme Rockets"]),
            ("{ACME rockets} RETURNING Account(Name)", ["Account Acme Rockets"]),
            ("{acme AND NOT rockets} RETURNING Account(Name)", ["Account Acme"]),
            (
                "{globex OR rockets} RETURNING Account(Name ORDER BY Name DESC)",
                ["Account Globex", "Account Acme Rockets"]
            ),
            ("{rock*} RETURNING Account(Name), Lead(Name)", ["Account Acme Rockets", "Lead Hansen"]),
            ("{rock} RETURNING Account(Name)", []), ("{rock?ts} RETURNING Account(Name)", ["Account Acme Rockets"]),
            ("{*ckets} RETURNING Account(Name)", ["Account Acme Rockets"]),
            ("{\"acme rocket\"} RETURNING Contact(Name), Lead(Name)", ["Contact Hans Müller-Lüdenscheidt"]),
            ("{müller\\-lüdenscheidt} RETURNING Contact(Name)", ["Contact Hans Müller-Lüdenscheidt"]),
            ("{LÜDENSCHEIDT} IN NAME FIELDS RETURNING Contact(Name)", ["Contact Hans Müller-Lüdenscheidt"]),
            ("{漢字} RETURNING Contact(Name)", ["Contact Hans Müller-Lüdenscheidt"]),
            ("{rocket} IN NAME FIELDS RETURNING Contact(Name), Lead(Name)", []),
            ("{hans.m@acme.example} IN EMAIL FIELDS RETURNING Contact(Name)", ["Contact Hans Müller-Lüdenscheidt"]),
            ("{hans} IN EMAIL FIELDS RETURNING Contact(Name), Lead(Name)", ["Contact Hans Müller-Lüdenscheidt"]),
            ("{4155551234} IN PHONE FIELDS RETURNING Contact(Name)", ["Contact Hans Müller-Lüdenscheidt"]),
            ("{555\\-1234} RETURNING Contact(Name)", ["Contact Hans Müller-Lüdenscheidt"]),
            ("{hans president} IN SIDEBAR FIELDS RETURNING Contact(Name)", []),
            ("{hans president} RETURNING Contact(Name)", ["Contact Hans Müller-Lüdenscheidt"]),
            ("{acme} RETURNING Account(Name WHERE AnnualRevenue > 10 OR Rating = 'x')", ["Account Acme"]),
            ("{acme} RETURNING Account(Name ORDER BY Name LIMIT 1 OFFSET 1)", ["Account Acme Rockets"]),
            ("{acme} RETURNING Account(Name), Lead(Name) LIMIT 2", ["Account Acme", "Account Acme Rockets"]),
            ("{deleted} RETURNING Account(Name)", []),
            (
                "{acme} RETURNING Account(Name) WITH SNIPPET(target_length=120) LIMIT 1 UPDATE VIEWSTAT",
                ["Account Acme"]
            ),
        ] as [(String, [String])])
    func `Search finds the records`(_ sosl: String, _ expected: [String]) async throws {
        #expect(names(try await search(client(), "FIND \(sosl)")) == expected)
    }

    /// An object whose fields SQL filters first; objects with a phone field are not filtered in SQL.
    @Test(
        arguments: [
            ("{strasse}", ["a"]), ("{STRASSE}", ["a"]), ("{straße}", ["a"]), ("{stra*}", ["a"]),
            ("{école}", ["b"]), ("{E\u{301}COLE}", ["c"]), ("{office}", ["d"]), ("{plain}", ["e"]),
            ("{PLAIN strasse}", []), ("{nothing}", []),
        ] as [(String, [String])])
    func `Texts beyond ASCII are found without case`(_ term: String, _ expected: [String]) async throws {
        let definition: JSONValue = [
            "objects": ["Note__c": ["fields": ["Text__c": ["type": "string"], "Code__c": ["type": "int"]]]],
            "seed": .array(
                [
                    ("a", "Lange Straße 5"), ("b", "École"), ("c", "E\u{301}cole"), ("d", "oﬃce"), ("e", "Plain words"),
                ].map { ["object": "Note__c", "values": ["Name": .string($0), "Text__c": .string($1)]] }),
        ]
        let client = try OrgClient(try OrgSeed(json: Array(try JSONText(definition).bytes)))
        let found = try await search(client, "FIND \(term) RETURNING Note__c(Name)")
        #expect(found.searchRecords?.arrayValue?.map { $0["Name"]?.stringValue ?? "" } == expected)
    }

    @Test func `Searches default to the ID and all objects`() async throws {
        let client = try client()
        let answer = try await search(client, "FIND {acme}")
        let types = (answer.searchRecords?.arrayValue ?? []).compactMap { $0.attributes?.type?.stringValue }
        #expect(types.sorted() == ["Account", "Account", "Contact", "Lead"])
        let first = answer.searchRecords?[0]
        #expect(first?.objectValue?.keys == ["attributes", "Id"])
        let definition: JSONValue = [
            "apiVersions": ["36.0"], "seed": [["object": "Account", "values": ["Name": "Globex"]]],
        ]
        var old = try OrgClient(try OrgSeed(json: Array(try JSONText(definition).bytes)))
        old.version = "/services/data/v36.0"
        let list = try await search(old, "FIND {globex} RETURNING Account(Name)")
        #expect(list.arrayValue?.map { $0["Name"] } == ["Globex"])
    }

    @Test func `Parents and functions are returned as in queries`() async throws {
        let client = try client()
        let answer = try await search(
            client,
            "FIND {hans} IN NAME FIELDS RETURNING Contact(Account.Name, toLabel(Account.Rating) WHERE Account.Name = 'Acme')"
        )
        #expect(answer.searchRecords?[0]?.Account?["Name"] == "Acme")
        #expect(answer.searchRecords?[0]?.Account?.Rating == "Hot")
    }

    @Test(arguments: [
        ("FIND acme", "MALFORMED_SEARCH", "No search term found. The search term must be enclosed in braces."),
        ("FIND {a} RETURNING Account", "MALFORMED_SEARCH", "search term must be longer than one character: a"),
        ("FIND {a*} RETURNING Account", "MALFORMED_SEARCH", "search term must be longer than one character: a*"),
        ("FIND {\\-\\-\\-}", "MALFORMED_SEARCH", "search term must be longer than one character: \\-\\-\\-"),
        ("FIND {acme} RETURNING", "MALFORMED_SEARCH", "ERROR at Row:1:Column:22\nunexpected token: '<EOF>'"),
        ("FIND {acme} RETURNING Nope", "INVALID_TYPE", "the appropriate names."),
        ("FIND {acme} RETURNING Profile", "INVALID_TYPE", "entity type Profile does not support search"),
        ("FIND {acme} RETURNING Account(Nope)", "INVALID_FIELD", "the appropriate names."),
        (
            "FIND {acme} RETURNING Account(COUNT(Id))", "MALFORMED_SEARCH",
            "aggregate expressions cannot be used in a search"
        ),
        (
            "FIND {acme} RETURNING Account(Id WHERE Name = 'a' AND Name = 'b' OR Name = 'c')", "MALFORMED_SEARCH",
            "unexpected token: 'OR'"
        ),
    ])
    func `Query is rejected with a code`(_ sosl: String, _ code: String, _ ending: String) async throws {
        let client = try client()
        let answer = try await search(client, sosl)
        #expect(client.code(answer) == code && answer[0]?.message?.stringValue?.hasSuffix(ending) == true, "\(answer)")
    }

    @Test func `Long terms lose their operators, then match nothing`() async throws {
        let client = try client()
        let filler = String(repeating: " OR acme", count: 600)
        #expect(names(try await search(client, "FIND {globex\(filler)} RETURNING Account(Name)")) == [])
        let short = String(repeating: " OR acme", count: 20)
        #expect(names(try await search(client, "FIND {globex\(short)} RETURNING Account(Name)")).count == 3)
        let long = "acme " + String(repeating: "* ", count: 5000)
        let body: JSONValue = ["q": .string(long), "sobjects": [["name": "Account"]]]
        #expect(try await client.json(.post, "parameterizedSearch", body: body) == ["searchRecords": []])
    }

    @Test func `Parameters give the same searches`() async throws {
        let client = try client()
        let url = try await client.json(
            .get,
            "parameterizedSearch?q=acme&sobject=Account&Account.fields=id,name&Account.limit=1&sobject=Lead&fields=name"
        )
        #expect(names(url) == ["Account Acme", "Lead Hansen"])
        let body: JSONValue = [
            "q": "acme", "in": "NAME", "fields": ["Name"], "defaultLimit": 5, "overallLimit": 9,
            "sobjects": [
                ["name": "Account", "where": "AnnualRevenue < 10", "orderBy": "Name desc", "fields": ["id", "name"]],
                ["name": "Contact"],
            ],
        ]
        #expect(names(try await client.json(.post, "parameterizedSearch", body: body)) == ["Account Acme Rockets"])
        // Characters that would end a query do not end a search.
        for bad in ["Name = 'a') LIMIT 1", "Name = 'a' AND Name = 'b' OR Name = 'c'", "Name ="] {
            let body: JSONValue = ["q": "acme", "sobjects": [["name": "Account", "where": .string(bad)]]]
            #expect(client.code(try await client.json(.post, "parameterizedSearch", body: body)) == "MALFORMED_SEARCH")
        }
        #expect(client.code(try await client.json(.get, "parameterizedSearch?sobject=Account")) == "MALFORMED_SEARCH")
        #expect(
            client.code(try await client.json(.get, "parameterizedSearch?q=acme&overallLimit=x")) == "MALFORMED_SEARCH")
        #expect(
            names(try await client.json(.get, "parameterizedSearch?q=%7Bacme%5C&sobject=Account&fields=Name")).count
                == 2)
        #expect(try await client.send(.delete, "parameterizedSearch?q=acme").status == 405)
    }

    @Test func `Changes are found when the index knows them`() async throws {
        var options = OrgOptions()
        options.searchIndexDelay = .milliseconds(10_000)
        let client = try client(options)
        let sosl = "FIND {rockets} RETURNING Account(Name)"
        #expect(names(try await search(client, sosl)) == [])
        client.org.advanceClock(by: .milliseconds(10_000))
        #expect(names(try await search(client, sosl)) == ["Account Acme Rockets"])
    }

    @Test func `Scopes and layouts are returned`() async throws {
        let client = try client()
        let scope = try await client.json(.get, "search/scopeOrder")
        let account = scope.arrayValue?.first { $0.type == "Account" }
        #expect(account?.url == "/services/data/v60.0/sobjects/Account/describe")
        let layouts = try await client.json(.get, "search/layout?q=Account,Nope")
        #expect(layouts[0]?.objectType == "Account" && layouts[0]?.errorMsg == .null)
        #expect(
            layouts[0]?.searchColumns?[0]?["field"] == "Account.Name"
                && layouts[0]?.searchColumns?[0]?["name"] == "Name")
        #expect(layouts[1]?.searchColumns == [] && layouts[1]?.errorMsg?.isNull == false)
        #expect(try await client.send(.get, "search/nothing").status == 404)
    }
}

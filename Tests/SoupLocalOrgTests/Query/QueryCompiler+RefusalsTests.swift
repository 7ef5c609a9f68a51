// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupCore
import Testing

/// Rejected queries: their code, position and message.
@Suite struct QueryCompilerRefusalsTests {
    /// The query, the error code, the reported column, and the end of the message.
    static let refusals: [(String, String, Int?, String)] = [
        (
            "select Id from Account where Name = 'a' and Rating = 'b' or Rating = 'c'", "MALFORMED_QUERY", 58,
            "unexpected token: 'or'"
        ),
        (
            "select Id from Account where (Name = 'a' or Name = 'b' and Rating = 'c')", "MALFORMED_QUERY", 56,
            "unexpected token: 'and'"
        ),
        ("select Id form Account", "MALFORMED_QUERY", 16, "unexpected token: 'Account'"),
        ("select Id from", "MALFORMED_QUERY", 15, "unexpected token: '<EOF>'"),
        (
            "select Id from Account where Name = :name", "MALFORMED_QUERY", 37,
            "Bind variables only allowed in Apex code"
        ),
        ("select Name n from Account", "MALFORMED_QUERY", 8, "only aggregate expressions use field aliasing"),
        ("select Id from Account with NOTHING", "MALFORMED_QUERY", 29, "unexpected token: 'NOTHING'"),
        (
            "select Id, (select COUNT(Id) from Contacts) from Account", "MALFORMED_QUERY", 35,
            "only root queries support aggregate expressions"
        ),
        (
            "select Id, (select Id from Contacts), (select Name from contacts) from Account", "MALFORMED_QUERY", 57,
            "duplicate relationship selected: contacts"
        ),
        ("select COUNT(Id) n, SUM(AnnualRevenue) n from Account", "MALFORMED_QUERY", 21, "duplicate alias: n"),
        ("select SUM(Name) from Account", "MALFORMED_QUERY", 8, "field Name does not support aggregate operator SUM"),
        (
            "select MAX(IsDeleted) from Account", "MALFORMED_QUERY", 8,
            "field IsDeleted does not support aggregate operator MAX"
        ),
        (
            "select COUNT(), Name from Account", "MALFORMED_QUERY", 8,
            "COUNT() cannot be combined with other fields, an alias, groups or an order"
        ),
        (
            "select Rating from Account group by Rating having Name = 'x'", "MALFORMED_QUERY", 51,
            "Field must be grouped or aggregated: Name"
        ),
        (
            "select Rating from Account group by Rating order by Name", "MALFORMED_QUERY", 53,
            "Field must be grouped or aggregated: Name"
        ),
        (
            "select GROUPING(Rating) from Account group by Rating", "MALFORMED_QUERY", 8,
            "GROUPING takes one field of a ROLLUP or CUBE"
        ),
        (
            "select COUNT(Id) from Account group by cube(Name, Rating, Type, Industry)", "MALFORMED_QUERY", 65,
            "GROUP BY CUBE takes at most 3 fields"
        ),
        (
            "select COUNT(Id) from Account group by AnnualRevenue", "INVALID_FIELD", 40,
            "field 'AnnualRevenue' can not be grouped in a query call"
        ),
        (
            "select Id from Contact where Name = 'x' or AccountId in (select Id from Account)", "MALFORMED_QUERY", 44,
            "Semi join sub-selects are not allowed with the 'OR' operator"
        ),
        (
            "select Id from Contact where AccountId in (select Id from Account where Id in (select AccountId from Case))",
            "MALFORMED_QUERY", 73, "Nesting of semi join sub-selects is not supported"
        ),
        (
            "select Id from Contact where OwnerId in (select Id from Account)", "MALFORMED_QUERY", 30,
            "should point to the same object type"
        ),
        (
            "select Id from Contact where Account.Id in (select Id from Account)", "MALFORMED_QUERY", 30,
            "an id or a reference of the main object"
        ),
        (
            "select Id from Contact where AccountId in (select Id from Account limit 1)", "MALFORMED_QUERY", 30,
            "a semi join sub-select has one field, a WHERE, and no other clause"
        ),
        (
            "select What.Amount from Task", "INVALID_FIELD", 8,
            "reference your WSDL or the describe call for the appropriate names."
        ),
        (
            "select TYPEOF Account WHEN Account THEN Name END from Contact", "INVALID_FIELD", 15,
            "TYPEOF needs a polymorphic relationship, and 'Account' is not one"
        ),
        (
            "select TYPEOF What WHEN Lead THEN Name END from Task", "MALFORMED_QUERY", 15,
            "Lead is not among the types of 'What', or it is listed twice"
        ),
        (
            "select What.Name, TYPEOF What WHEN Account THEN Name END from Task", "MALFORMED_QUERY", 26,
            "duplicate field selected: What"
        ),
        (
            "select convertCurrency(Name) from Account", "INVALID_FIELD", 8,
            "convertCurrency is not valid for a field of type string"
        ),
        (
            "select DISTANCE(BillingAddress, GEOLOCATION(1, 2), 'x') from Account", "MALFORMED_QUERY", 8,
            "DISTANCE takes a location, a geolocation, and 'mi' or 'km'"
        ),
        (
            "select Id from Account where CreatedDate > '2024-01-01T00:00:00Z'", "INVALID_FIELD", 30,
            "value of filter criterion for field 'CreatedDate' must be of type dateTime and should not be enclosed in quotes"
        ),
        ("select Id from Opportunity where CloseDate = 1600-01-01", "INVALID_FIELD", 34, "invalid date: 1600-01-01"),
        (
            "select Id from Account where CreatedDate > 4001-01-01T00:00:00Z", "INVALID_FIELD", 30,
            "invalid date: 4001-01-01T00:00:00.000Z"
        ),
        (
            "select Id from Account, Contact", "MALFORMED_QUERY", 25,
            "relationships to the initial object. The driving object is Account."
        ),
        (
            "select Id from Contact c, c.Nothing n", "MALFORMED_QUERY", 27, "The driving object is Contact."
        ),
        (
            "select CALENDAR_YEAR(CloseDate) from Opportunity", "MALFORMED_QUERY", 22,
            "Field must be grouped or aggregated: CloseDate"
        ),
        (
            "select FORMAT(DAY_ONLY(CreatedDate)) from Opportunity", "MALFORMED_QUERY", 24,
            "Field must be grouped or aggregated: CreatedDate"
        ),
        (
            "select Id from Account where Name = 'a' and not Rating = 'b'", "MALFORMED_QUERY", 45,
            "unexpected token: 'not'"
        ),
        (
            "select COUNT(Id) from Account having COUNT(Id) > 1", "MALFORMED_QUERY", 31, "unexpected token: 'having'"
        ),
        ("select Id from Account using scope foo", "MALFORMED_QUERY", 36, "unexpected token: 'foo'"),
        (
            "select Id from Opportunity where Amount > ABC5000", "INVALID_FIELD", 34,
            "value of filter criterion for field 'Amount' must be of type double"
        ),
        ("select Id from Account where CreatedDate > 2024-01-01T00:00:00+99:99", "MALFORMED_QUERY", 44, ""),
    ]

    @Test(arguments: refusals) func `The position is shown`(
        _ soql: String, _ code: String, _ column: Int?, _ ending: String
    ) async throws {
        let client = try OrgClient()
        let answer = try await client.query(soql)
        let message = answer[0]?.message?.stringValue ?? ""
        #expect(client.code(answer) == code && message.hasSuffix(ending), "\(answer)")
        if let column { #expect(message.contains("^\nERROR at Row:1:Column:\(column)\n"), "\(message)") }
    }

    @Test func `Similar definitions are accepted`() async throws {
        let client = try OrgClient()
        for soql in [
            "select Id from Contact c, c.Account a, a.Parent p where p.Name = null",
            "select Id from Contact, Contact.Account",
            "select Id from Account where Name = 'a' and (not Rating = 'b')",
            "select Id from Account using scope everything",
            "select Id from Opportunity where Amount > usd5000",
            "select Id from Account where CreatedDate > 2024-01-01T00:00:00+14:00",
            "select Id from Opportunity order by CALENDAR_YEAR(CloseDate)",
        ] {
            #expect(try await client.query(soql).done == true, "\(soql)")
        }
    }

    @Test func `Size limits are enforced`() async throws {
        let client = try OrgClient()
        let nots = "select Id from Account where " + String(repeating: "not ", count: 91) + "Name = 'x'"
        #expect(try await client.query(nots).totalSize == 3)
        let deep =
            "select Id from Account where " + String(repeating: "(", count: 90) + "Name = 'acme'"
            + String(repeating: ")", count: 90)
        #expect(try await client.query(deep).totalSize == 1)
        let deeper = "select Id from Account where " + String(repeating: "(", count: 2000) + "Name = 'acme'"
        #expect(client.code(try await client.query(deeper)) == "MALFORMED_QUERY")
        let body = try await client.json(
            .post, "composite",
            body: [
                "compositeRequest": [
                    [
                        "method": "GET", "referenceId": "q",
                        "url": .string("/services/data/v60.0/query?q=" + String(repeating: "x", count: 100_001)),
                    ]
                ]
            ])
        let message = body.compositeResponse?[0]?.body?[0]?.message
        #expect(message == "SOQL statements can not be longer than 100000 characters")
    }

    @Test func `A query has at most 20 child queries`() async throws {
        let client = try OrgClient()
        let children = (0..<21).map { _ in "(select Id from Contacts)" }.joined(separator: ", ")
        let answer = try await client.query("select \(children) from Account")
        #expect(client.code(answer) == "MALFORMED_QUERY")
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

@testable import SoupSalesforce

/// Changes to queries that the cases of `Tests/Conformance/sync` do not cover.
@Suite struct SOQLRewriterTests {
    @Test(arguments: [
        ("select id, lastmodifieddate from Contact order by LASTMODIFIEDDATE asc", nil),
        ("select c.Id, Contact.LastModifiedDate from Contact c order by Name", nil),
        ("select fields(standard) from Contact order by Name limit 10", nil),
        (
            "select\n\tName\r\nfrom Contact\u{A0}where Name = ' from x order by '",
            "select Id,LastModifiedDate,Name from Contact where Name = ' from x order by ' order by LastModifiedDate"
        ),
        (
            "SELECT (SELECT Id, LastModifiedDate FROM Contacts) FROM Account USING SCOPE Mine WITH SECURITY_ENFORCED",
            "select Id,LastModifiedDate,(SELECT Id, LastModifiedDate FROM Contacts) from Account using scope Mine "
                + "with SECURITY_ENFORCED order by LastModifiedDate"
        ),
        ("select COUNT(Id) n, Name from Contact group by Name", nil),
    ])
    func `Only missing fields and a missing order are added`(_ soql: String, _ expected: String?) throws {
        let completed = try SOQLRewriter(soql).completed(idField: "Id", modificationDateField: "LastModifiedDate")
        #expect(completed.text == expected ?? soql)
        let twice = completed.completed(idField: "Id", modificationDateField: "LastModifiedDate")
        #expect(twice.text == completed.text)
    }

    @Test func `Changes are combined`() throws {
        let query = try SOQLRewriter("SELECT Name FROM Account WHERE A = 1 OR B = 2 ORDER BY Name LIMIT 5 FOR VIEW")
        let mark = HighWaterMark(milliseconds: 1_705_320_000_123, inclusive: true)
        let changed = query.changed(after: mark, modificationDateField: "SystemModstamp").adding(
            condition: "C = 3 or D = 4")
        #expect(
            changed.text
                == "select Name from Account where (C = 3 or D = 4) and SystemModstamp >= 2024-01-15T12:00:00.123Z "
                + "and (A = 1 OR B = 2) order by Name limit 5 for VIEW")
        #expect(
            query.remoteIds(idField: "Id").text
                == "select Id from Account where A = 1 OR B = 2 order by Name limit 5")
    }

    @Test func `A condition with OR stays in parentheses`() throws {
        let query = try SOQLRewriter("select Id from A").adding(condition: "X = 1 or Y = 2").adding(condition: "Z = 3")
        #expect(query.text == "select Id from A where Z = 3 and (X = 1 or Y = 2)")
        #expect(try SOQLQuery(parsing: query.text).condition == SOQLCondition(parsing: "Z = 3 and (X = 1 or Y = 2)"))
    }

    @Test func `A query is ordered by its first ascending key`() throws {
        func ordered(_ order: String) throws -> Bool {
            try SOQLRewriter("select Id from Contact order by \(order)").isOrdered(by: "LastModifiedDate")
        }
        #expect(try ordered("LastModifiedDate, Id"))
        #expect(try ordered("lastmodifieddate asc nulls last"))
        #expect(try ordered("Contact.LastModifiedDate"))
        #expect(try !ordered("LastModifiedDate desc"))
        #expect(try !ordered("Id, LastModifiedDate"))
        #expect(try !ordered("Account.LastModifiedDate"))
    }

    @Test func `An invalid query is rejected with its place`() {
        func failure(_ soql: String) -> String? {
            do {
                _ = try SOQLRewriter(soql)
                return nil
            } catch let error as SoupError {
                return "\(error.code) \(error)"
            } catch {
                return "\(error)"
            }
        }
        #expect(
            failure("select Id from") == "soql line 1, column 15: unexpected token: '<EOF>'. Write a name here."
        )
        #expect(
            failure("select Id\nfrom A where\n  Name = 'x")
                == "soql line 3, column 10: the string that begins here has no closing quote")
        #expect(failure("select Id from A where Name ~ 1") == "soql line 1, column 29: unexpected token: '~'")
        #expect(failure("") == "soql line 1, column 1: unexpected token: '<EOF>'. Write SELECT here.")
    }
}

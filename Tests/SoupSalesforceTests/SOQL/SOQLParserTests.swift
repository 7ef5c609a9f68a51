// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTesting
import Testing

@testable import SoupSalesforce

@Suite struct SOQLParserTests {
    static let queries = [
        "SELECT COUNT() FROM Account",
        "select Name, Account.Owner.Name from Contact c where c.Account.Name LIKE 'a\\_%' and (not Email = null)",
        "SELECT Id, (SELECT Id, LastName FROM Contacts ORDER BY LastName DESC NULLS LAST LIMIT 3) FROM Account",
        "select StageName, COUNT(Id), SUM(Amount) total from Opportunity group by rollup(StageName) having COUNT(Id) > 1",
        "select Id from Contact where AccountId in (select Id from Account where Rating in ('Hot', 'Warm'))",
        "select Id from Contact where Id not in ('a','b') and x excludes ('a;b', 'c') or y = USD50.25 or z <> -1.5",
        "select Id from Task where CreatedDate >= LAST_N_DAYS:30 and ActivityDate = 2024-01-31 and t = 10:20:30Z",
        "select Id from X where d > 2024-01-01T00:00:00.123+0530 and e < 2024-01-01t00:00:00z and f = true",
        "select FIELDS(ALL) from Account using scope mine limit 200 offset 10 all rows for view for reference",
        "select TYPEOF What WHEN Account THEN Phone, Name WHEN Case THEN Subject ELSE Name END from Event update tracking, viewstat",
        "select Id from Order order by Group.Name asc, CALENDAR_YEAR(CreatedDate) desc limit 0",
        "select convertCurrency(Amount) as a, DISTANCE(Loc__c, GEOLOCATION(37.7,-122.4), 'mi') d from X",
        "select a.Id from Contact c, c.Account a where not not (not a.Name = 'x\\u00e9\\'\\\\') with DATA CATEGORY G__c AT x__c",
        "select Id from Account where a = 1 and b = 2 or c = 3 and (d = 4 or e = 5)",
    ]

    @Test(arguments: queries) func `Parsing a printed query gives an equal tree`(_ soql: String) throws {
        let query = try SOQLQuery(parsing: soql)
        #expect(try SOQLQuery(parsing: query.description) == query)
    }

    @Test func `AND binds closer than OR`() throws {
        let condition = try SOQLCondition(parsing: "a = 1 and b = 2 or c = 3")
        let terms = try ["a = 1", "b = 2", "c = 3"].map { try SOQLCondition(parsing: $0) }
        #expect(condition == .or([.and([terms[0], terms[1]]), terms[2]]))
        #expect(SOQLCondition.and([.or([terms[0], terms[1]]), terms[2]]).description == "(a = 1 or b = 2) and c = 3")
    }

    @Test func `A datetime keeps its instant`() throws {
        let condition = try SOQLCondition(parsing: "d > 2024-01-15T14:00:00.5+02:00")
        #expect(condition.description == "d > 2024-01-15T12:00:00.500Z")
    }

    @Test func `Parsing a printed random query gives an equal tree`() throws {
        var random = SeededRandom(seed: 42)
        for _ in 0..<400 {
            let query = SOQLGenerator.query(&random, depth: 3)
            #expect(try SOQLQuery(parsing: query.description) == query, "\(query)")
        }
    }

    @Test func `Random text is parsed or rejected and never crashes`() throws {
        var random = SeededRandom(seed: 7)
        let words = [
            "select", "from", "where", "Id", "(", ")", ",", "'", "\\", "and", "or", "not", "in", "like", "=", "<", "1",
            ".5",
            "2024-01-01", "T00", ":", "USD5", "é", "\u{2028}", "group by", "order by", "limit", "\0", "typeof", "end",
            "+", "-",
        ]
        var read = 0
        for _ in 0..<5000 {
            let count = Int.random(in: 0..<12, using: &random)
            var text = Bool.random(using: &random) ? "select Id from A where " : ""
            for _ in 0..<count {
                text += (words.randomElement(using: &random) ?? "") + (Bool.random(using: &random) ? " " : "")
            }
            do {
                let query = try SOQLQuery(parsing: text)
                #expect(try SOQLQuery(parsing: query.description) == query, "\(text)")
                read += 1
            } catch let error as SoupError {
                #expect(error.code == .soql && error.place?.line != nil)
            }
        }
        #expect(read > 0)
    }

    @Test(arguments: [
        ("a = 1 and b = 2 or c = 3", "OR", 17), ("a = 1 or b = 2 and c = 3", "AND", 16),
        ("(a = 1 or b = 2 and c = 3)", "AND", 17), ("not (a = 1) and (b = 2 or c = 3) or d = 4", "OR", 34),
    ])
    func `AND and OR side by side are rejected for servers`(_ text: String, _ word: String, _ column: Int) throws {
        #expect(try SOQLCondition(parsing: text).description == text)
        let error = #expect(throws: SoupError.self) { try SOQLCondition(parsing: text, mixedConditions: false) }
        #expect(
            error?.message.lowercased() == "unexpected token: '\(word.lowercased())'" && error?.place?.column == column)
    }

    @Test(arguments: [
        "a = 1 and (b = 2 or c = 3)", "a = 1 or (b = 2 and c = 3) or d = 4", "not a = 1 and (not (b = 2 or c = 3))",
    ])
    func `AND and OR may be combined with parentheses`(_ text: String) throws {
        #expect(try SOQLCondition(parsing: text, mixedConditions: false).description == text)
    }

    @Test(arguments: ["a = 1 and not b = 2", "a = 1 or not (b = 2)"])
    func `NOT after another condition needs parentheses`(_ text: String) throws {
        let error = #expect(throws: SoupError.self) { try SOQLCondition(parsing: text, mixedConditions: false) }
        #expect(error?.message.lowercased() == "unexpected token: 'not'")
        let printed = try SOQLCondition(parsing: text).description
        #expect(printed == (text.hasSuffix(")") ? "a = 1 or (not (b = 2))" : "a = 1 and (not b = 2)"))
        #expect(try SOQLCondition(parsing: printed, mixedConditions: false).description == printed)
        let built = SOQLCondition.and([try SOQLCondition(parsing: "a = 1"), .not(try SOQLCondition(parsing: "b = 2"))])
        #expect(built.description == "a = 1 and (not b = 2)")
    }

    @Test func `Currency values have signs`() throws {
        let condition = try SOQLCondition(parsing: "a > USD-5.25 and b = EUR+1")
        #expect(condition.description == "a > USD-5.25 and b = EUR+1")
        #expect(throws: SoupError.self) { try SOQLCondition(parsing: "a > USD -5") }
    }

    @Test func `Long queries are parsed in linear time`() throws {
        let terms = String(repeating: "a = 'x' or ", count: 20_000) + "b = 1"
        guard case .or(let parsed) = try SOQLCondition(parsing: terms) else {
            Issue.record("not a list of alternatives")
            return
        }
        #expect(parsed.count == 20_001)
        let nots = String(repeating: "not ", count: 50_000) + "a = 1"
        #expect(throws: SoupError.self) { try SOQLCondition(parsing: nots) }
        let children = String(repeating: "(select Id, ", count: 50_000)
        #expect(throws: SoupError.self) { try SOQLQuery(parsing: "select " + children) }
    }

    @Test func `Nesting is limited`() {
        let deep = String(repeating: "(", count: 100_000) + "a = 1" + String(repeating: ")", count: 100_000)
        #expect(throws: SoupError.self) { try SOQLCondition(parsing: deep) }
    }
}

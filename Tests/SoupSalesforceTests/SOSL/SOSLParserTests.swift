// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupTesting
import Testing

@testable import SoupSalesforce

@Suite struct SOSLParserTests {
    static let searches = [
        "FIND {acme}",
        "find { \"acme corp\" } in name fields",
        "FIND {acme* AND (glob?x OR \"a b\") AND NOT zed} IN EMAIL FIELDS RETURNING Account",
        "FIND {a\\}b \\and and and\\-or} RETURNING Account(Id, toLabel(Rating) r WHERE Name = 'x' AND (Rating = null) "
            + "ORDER BY Name DESC NULLS LAST LIMIT 5 OFFSET 2), Contact, Lead(Name USING ListView=Recent LIMIT 1)",
        "FIND {a && b || c ! d} IN SIDEBAR FIELDS RETURNING Account WITH DIVISION = 'Global' "
            + "WITH DATA CATEGORY Geography__c AT usa__c AND Product__c ABOVE tv__c WITH SNIPPET(target_length=120) LIMIT 7 "
            + "UPDATE TRACKING, VIEWSTAT",
        "FIND{x}RETURNING Contact(Id WITH NETWORK IN ('a', 'b') ORDER BY Name)",
    ]

    @Test(arguments: searches) func `Parsing a printed search gives an equal tree`(
        _ text: String
    ) throws {
        let search = try SOSLQuery(parsing: text)
        #expect(try SOSLQuery(parsing: search.description) == search, "\(search)")
    }

    @Test func `The term is parsed as a tree`() throws {
        func word(_ text: String) -> SOSLTerm { .word([.text(text)]) }
        #expect(try SOSLQuery.term(parsing: "a b OR c") == .or([.and([word("a"), word("b")]), word("c")]))
        #expect(try SOSLQuery.term(parsing: "a and not b") == .and([word("a"), .not(word("b"))]))
        #expect(try SOSLQuery.term(parsing: "a ! (b|c)") == .and([word("a"), .not(.or([word("b"), word("c")]))]))
        #expect(try SOSLQuery.term(parsing: "glo*x?") == .word([.text("glo"), .anyRun, .text("x"), .anyCharacter]))
        #expect(try SOSLQuery.term(parsing: "\\or \"x\\\" OR y\"") == .and([word("or"), .phrase("x\" OR y")]))
        // The brace ends the term even if a combining mark follows it.
        #expect(throws: SoupError.self) { try SOSLQuery(parsing: "FIND {ab}\u{301} RETURNING Account") }
        #expect(try SOSLQuery(parsing: "FIND {\u{301}ab} RETURNING Account").term == word("\u{301}ab"))
    }

    @Test func `Every clause is parsed`() throws {
        let search = try SOSLQuery(parsing: Self.searches[3])
        #expect(search.returning.map(\.name) == ["Account", "Contact", "Lead"])
        let account = search.returning[0]
        #expect(account.items.count == 2 && account.order.count == 1 && account.limit == 5 && account.offset == 2)
        #expect(account.condition?.description == "Name = 'x' and (Rating = null)")
        #expect(search.returning[2].using == "ListView=Recent")
        let wide = try SOSLQuery(parsing: Self.searches[4])
        #expect(wide.group == .sidebar && wide.limit == 7 && wide.tracking == ["TRACKING", "VIEWSTAT"])
        #expect(
            wide.with == [
                "DIVISION = 'Global'", "DATA CATEGORY Geography__c AT usa__c AND Product__c ABOVE tv__c",
                "SNIPPET(target_length=120)",
            ])
    }

    @Test(
        arguments: [
            ("FIND acme", "No search term found. The search term must be enclosed in braces.", nil),
            ("FIND {acme", "No search term found. The search term must be enclosed in braces.", nil),
            ("select x", "unexpected token: 'select'", 1), ("FIND {a OR}", "unexpected token: '}'", 11),
            ("FIND {NOT a}", "unexpected token: 'NOT'", 7), ("FIND {(a}", "unexpected token: '}'", 9),
            ("FIND {a)}", "unexpected token: ')'", 8),
            ("FIND {\"a}", "the phrase that begins here has no closing quote", 7),
            ("FIND {aa} IN ALL", "unexpected token: '<EOF>'", 17),
            ("FIND {aa} IN x FIELDS", "unexpected token: 'x'", 14),
            ("FIND {aa} RETURNING", "unexpected token: '<EOF>'", 20),
            ("FIND {aa} RETURNING A(WHERE x = 1)", "unexpected token: 'x'", 29),
            ("FIND {aa} RETURNING A((select Id from Bs))", "unexpected token: '('", 23),
            ("FIND {aa} LIMIT x", "unexpected token: 'x'", 17), ("FIND {aa} LIMIT 1 x", "unexpected token: 'x'", 19),
            ("FIND {}", "the search term is empty", 7),
        ] as [(String, String, Int?)])
    func `An invalid search is rejected with its place`(_ text: String, _ message: String, _ column: Int?) {
        let error = #expect(throws: SoupError.self) { try SOSLQuery(parsing: text) }
        #expect(
            error?.code == .sosl && error?.message == message && error?.place?.column == column,
            "\(String(describing: error))")
    }

    @Test func `Nesting is limited and length is not`() throws {
        let deep = String(repeating: "(", count: 100_000) + "aa" + String(repeating: ")", count: 100_000)
        #expect(throws: SoupError.self) { try SOSLQuery.term(parsing: deep) }
        let long = String(repeating: "word ", count: 20_000) + String(repeating: "x", count: 100_000)
        guard case .and(let terms) = try SOSLQuery.term(parsing: long) else {
            Issue.record("the words are not joined by AND")
            return
        }
        #expect(terms.count == 20_001)
    }

    @Test func `The text of the builder is parsed`() throws {
        var builder = SOSLBuilder(searchTerm: "a}(b) \"c\" & d's")
        builder.searchGroup = "NAME FIELDS"
        var contact = SOSLReturning("Contact", fields: "Id, Name")
        contact.condition = "Name != null"
        contact.orderBy = "Name"
        contact.limit = 3
        builder.returning = [SOSLReturning("Account"), contact]
        builder.limit = 9
        let search = try SOSLQuery(parsing: builder.build() ?? "")
        #expect(search.group == .name && search.returning.count == 2 && search.limit == 9)
    }

    @Test func `Random text is parsed or rejected and never crashes`() throws {
        var random = SeededRandom(seed: 11)
        let words = [
            "find", "{", "}", "acme", "\"", "\\", "(", ")", "and", "or", "not", "*", "?", "in all fields", "returning",
            "Account",
            "(Id)", "where", "limit 5", "with", "&", "|", "!", "é", "\u{301}", "'", "-", ",",
        ]
        var read = 0
        for _ in 0..<5000 {
            var text = Bool.random(using: &random) ? "find {acme" : ""
            for _ in 0..<Int.random(in: 0..<10, using: &random) {
                text += (words.randomElement(using: &random) ?? "") + (Bool.random(using: &random) ? " " : "")
            }
            do {
                let search = try SOSLQuery(parsing: text)
                #expect(try SOSLQuery(parsing: search.description) == search, "\(text)")
                read += 1
            } catch let error as SoupError {
                #expect(error.code == .sosl)
            }
        }
        #expect(read > 0)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SoupSalesforce

@Suite struct SOQLBuilderTests {
    @Test func `The path is percent-encoded by default`() throws {
        let query = SOQLBuilder(fields: "Id", from: "Account")
        #expect(
            try query.path(under: "/services/data/v66.0/")
                == "/services/data/v66.0/query/?q=select%20Id%20from%20Account")
        #expect(try query.path(under: "/v", percentEncoded: false) == "/v/query/?q=select Id from Account")
    }

    @Test func `A search contains all its levels`() {
        var returning = SOSLReturning("Contact", fields: "Id")
        returning.condition = "Name != null"
        returning.orderBy = "Name"
        returning.network = "n"
        returning.limit = 3
        var search = SOSLBuilder(searchTerm: "a")
        search.divisionFilter = "DIVISION = 'x'"
        search.dataCategory = "G__c AT x__c"
        search.returning = [SOSLReturning("Account"), returning]
        #expect(
            search.build() == "find {a} returning  Account,  Contact(Id where Name != null order by Name "
                + "with network = n limit 3) with DIVISION = 'x' with data category G__c AT x__c")
        #expect(SOSLBuilder(searchTerm: "").build() == nil)
        // A bracket is escaped even if a combining mark follows it.
        let marked = SOSLBuilder.escaped("a}\u{301} '\u{20DD}")
        #expect(marked.unicodeScalars.elementsEqual("a\\}\u{301} \\'\u{20DD}".unicodeScalars))
    }

    @Test(arguments: [
        ("hello world: my name is   James    Bond", "hello# #world:# #my# #name# #is#   #James#    #Bond"),
        (
            "hello something  by world order  by abc group    by def order",
            "hello# #something#  #by# #world# #order by# #abc# #group by# #def# #order"
        ),
        ("hello 'my world\\''", "hello# #'my world\\''"),
        ("hello (a or (b and c) or d),(e or f)", "hello# #(a or (b and c) or d)#,#(e or f)"),
        ("hello (a or (b and 'the name of c') or d)", "hello# #(a or (b and 'the name of c') or d)"),
        ("hello 'oh oh ( ) ( )))'", "hello# #'oh oh ( ) ( )))'"),
        ("(open 'str)", "(open 'str)"), ("a\n\tb 'c\\\\' d", "a#\n\t#b# #'c\\\\'# #d"), ("", ""),
    ])
    func `A text is split into pieces at the top level`(_ text: String, _ expected: String) {
        #expect(SOQLPieces.split(text).joined(separator: "#") == expected)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

@testable import SalesforceAPI

@Suite struct SOQLBuilderTests {
    @Test func buildsWhatTheMobileSDKsBuild() throws {
        for testCase in try soqlCases("B") {
            let id = testCase.id?.stringValue ?? ""
            let given = testCase.given ?? .null
            switch testCase.op?.stringValue {
            case "SOSL build": #expect(Self.search(given).build() == testCase.expect?.stringValue, "\(id)")
            case "SOQL buildWithPath":
                let query = Self.query(given)
                let path = given.path?.stringValue ?? ""
                #expect(try query.path(under: path, percentEncoded: false) == testCase.expect?.stringValue, "\(id)")
                #expect(
                    try query.path(under: path + "/") == "\(path)/query/?q=select%20Id%20from%20Account", "\(id)")
            default:
                if let expected = testCase.expect?.stringValue {
                    #expect(try Self.query(given).build() == expected, "\(id)")
                } else {
                    #expect(throws: SoupError.self, "\(id)") { try Self.query(given).build() }
                }
            }
        }
    }

    static func query(_ given: JSONValue) -> SOQLBuilder {
        let list = given.fields?.arrayValue?.compactMap(\.stringValue)
        let from = given.from?.stringValue ?? ""
        var builder =
            list.map { SOQLBuilder(fields: $0, from: from) }
            ?? SOQLBuilder(fields: given.fields?.stringValue ?? "", from: from)
        builder.condition = given["where"]?.stringValue ?? ""
        builder.groupBy = given.groupBy?.stringValue ?? ""
        builder.having = given.having?.stringValue ?? ""
        builder.orderBy = given.orderBy?.stringValue ?? ""
        builder.limit = given.limit?.intValue.map(Int.init) ?? 0
        builder.offset = given.offset?.intValue.map(Int.init) ?? 0
        return builder
    }

    static func search(_ given: JSONValue) -> SOSLBuilder {
        var builder = SOSLBuilder(searchTerm: given.searchTerm?.stringValue ?? "")
        builder.searchGroup = given.searchGroup?.stringValue ?? ""
        builder.limit = given.limit?.intValue.map(Int.init) ?? 0
        builder.returning = (given.returning?.arrayValue ?? []).map {
            SOSLReturning($0.objectName?.stringValue ?? "", fields: $0.fields?.stringValue ?? "")
        }
        return builder
    }

    @Test func aSearchPrintsAllItsParts() {
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
    func piecesAreCutAtTheTopLevel(_ text: String, _ expected: String) {
        #expect(SOQLPieces.split(text).joined(separator: "#") == expected)
    }
}

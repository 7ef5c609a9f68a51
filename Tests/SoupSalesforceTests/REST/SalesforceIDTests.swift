// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupSalesforce
import SoupCore
import SoupTesting
import Testing

@Suite struct SalesforceIDTests {
    /// The last three characters define which of the letters before them are upper case; a digit never is.
    @Test(arguments: [
        ("001000000000005AAA", true), ("001000000000005AAB", false), ("0015500001QdQWaAAN", true),
        ("001000000000005AA9", false), ("001000000000005", true), ("00100000000000é", false), ("", false),
    ])
    func `The check characters of the long form are verified`(id: String, isPossible: Bool) {
        #expect(SalesforceID.isPossible(id) == isPossible)
    }

    @Test func `Both forms of an ID denote one record`() {
        #expect(SalesforceID.same("0015500001QdQWa", "0015500001QdQWaAAN"))
        #expect(!SalesforceID.same("0015500001QdQWa", "0015500001QdQWbAAN"))
        #expect(SalesforceID.same("003q000000KvQ2D", "003q000000KvQ2DAAV"))
        #expect(!SalesforceID.same("0015500001QdQWa", "0015500001QdQWaAAX"))
        #expect(!SalesforceID.same("001000000000100078", "001000000000100079"))
        #expect(!SalesforceID.same("a", "b"))
    }

    @Test func `A matcher returns the texts as they were given`() {
        let ids = ["0015500001QdQWa", "0015500001QdQWaAAN", "x"]
        #expect(SalesforceID.Matcher(ids, field: "id").matches("0015500001QdQWaAAN") == Array(ids.prefix(2)))
        #expect(SalesforceID.Matcher(ids, field: "Ext__c").matches("0015500001QdQWaAAN") == ["0015500001QdQWaAAN"])
    }
}

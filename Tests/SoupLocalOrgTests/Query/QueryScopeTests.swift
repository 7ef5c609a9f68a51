// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupCore
import Testing

/// Picklists sort in the order of their values; values that are not in the list sort last.
@Suite struct QueryScopeTests {
    private func client() throws -> OrgClient {
        let client = try OrgClient(
            OrgSeed(
                json: Array(
                    #"{"objects": {"T__c": {"fields": {"P__c": {"type": "picklist", "picklist": ["it's", "b", "a"]}}}}}"#
                        .utf8)))
        for value in ["zz", "a", "b", "it's", "aa"] { try client.org.insert("T__c", ["P__c": .string(value)]) }
        try client.org.insert("T__c", [:])
        return client
    }

    @Test func `Rows are sorted by the order of the picklist`() async throws {
        let client = try client()
        let sorted: [JSONValue] = ["it's", "b", "a", "aa", "zz"]
        #expect(try await client.values("select P__c from T__c order by P__c") == [.null] + sorted)
        #expect(try await client.values("select P__c from T__c order by P__c nulls last") == sorted + [.null])
        #expect(
            try await client.values("select P__c from T__c order by toLabel(P__c) desc nulls last")
                == sorted.reversed() + [.null])
        #expect(try await client.values("select P__c from T__c group by P__c order by P__c") == [.null] + sorted)
        // Comparisons use the text.
        #expect(try await client.values("select P__c from T__c where P__c < 'b' order by P__c") == ["a", "aa"])
    }

    @Test func `MIN and MAX follow the order of the picklist`() async throws {
        let client = try client()
        let answer = try await client.query("select MIN(P__c) low, MAX(P__c) high from T__c where P__c != 'zz'")
        #expect(answer.records?[0]?.low == "it's" && answer.records?[0]?.high == "aa")
        let groups = try await client.values(
            "select MIN(P__c) p from T__c group by Id order by MIN(P__c) desc nulls last limit 2")
        #expect(groups == ["zz", "aa"])
        #expect(try await client.values("select MAX(P__c) from T__c where P__c = null") == [.null])
    }
}

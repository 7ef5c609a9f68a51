// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupCore
import Testing

@Suite struct QueryExplanationTests {
    @Test func `Plans are counted and the cheapest comes first`() async throws {
        let client = try OrgClient(.large(100))
        let soql = "select Id from Account where Id = '001000000000001AAA' and Industry = 'Energy'"
        let answer = try await client.json(.get, "query?explain=\(URLText.query(soql))")
        let plans = answer.plans?.arrayValue ?? []
        #expect(answer.sourceQuery == .string(soql))
        #expect(plans.map(\.leadingOperationType) == ["Index", "TableScan"])
        #expect(plans[0].fields == ["Id"] && plans[0].cardinality == 1 && plans[0].sobjectCardinality == 100)
        #expect(plans[1].notes?.arrayValue?.map { $0.fields?[0] } == ["IsDeleted", "Industry"])
        #expect(plans.allSatisfy { $0.sobjectType == "Account" })
        let everything = try await client.json(
            .get, "query?explain=\(URLText.query("select Id from Account where CreatedDate > 2000-01-01T00:00:00Z"))")
        #expect(everything.plans?.arrayValue?.map { $0.leadingOperationType } == ["TableScan", "Index"])
        let broken = try await client.json(.get, "query?explain=select")
        #expect(client.code(broken) == "MALFORMED_QUERY")
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupSalesforce
import SoupCore
import Testing

/// Tooling queries: the org has no code and no metadata.
@Suite struct ToolingQueryHandlerTests {
    @Test(arguments: ["SELECT Id, Name FROM ApexClass WHERE Name LIKE '%Test'", "select count() from ApexClass"])
    func `Queries find nothing`(_ soql: String) async throws {
        let client = try OrgClient()
        #expect(
            try await client.json(.get, "tooling/query/?q=\(URLText.query(soql))") == [
                "size": 0, "totalSize": 0, "done": true, "queryLocator": nil, "entityTypeName": "ApexClass",
                "records": [],
            ])
    }

    @Test func `Other tooling queries are rejected`() async throws {
        let client = try OrgClient()
        func code(_ soql: String) async throws -> String? {
            client.code(try await client.json(.get, "tooling/query?q=\(URLText.query(soql))"))
        }
        #expect(try await code("SELECT Id FRM ApexClass") == "MALFORMED_QUERY")
        #expect(try await code("SELECT Id FROM Account") == "INVALID_TYPE")
        #expect(client.code(try await client.json(.get, "tooling/query")) == "MALFORMED_QUERY")
        #expect(try await client.send(.get, "tooling/sobjects").status == 404)
        #expect(try await client.send(.post, "tooling/query", body: [:]).status == 405)
    }
}

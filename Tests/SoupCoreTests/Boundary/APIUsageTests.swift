// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import Testing

@Suite struct APIUsageTests {
    private func usage(_ header: String) throws -> APIUsage? {
        APIUsage([try #require(HTTPField.Name("Sforce-Limit-Info")): header])
    }

    @Test(arguments: [
        "", "api-usage", "api-usage=", "api-usage=1", "api-usage=a/b", "other=1/2", "api-usage=9e9/1/2",
        "api-usage=0/0",
    ])
    func `A header in another form has no usage`(header: String) throws { #expect(try usage(header) == nil) }

    @Test(arguments: [
        "per-app-api-usage=17/250(appName=sample), api-usage=25/5000",
        "api-usage=25/5000; per-app-api-usage=17/250(appName=sample)", "api-usage=25/5000",
    ])
    func `The usage of the org is not that of one app`(header: String) throws {
        #expect(try usage(header) == APIUsage(used: 25, maximum: 5000))
    }

    @Test func `A missing header has no usage`() { #expect(APIUsage(HTTPFields()) == nil) }

    @Test func `A share is reached with the request that uses it`() {
        #expect(!APIUsage(used: 94, maximum: 100).reaches(0.95))
        #expect(APIUsage(used: 95, maximum: 100).reaches(0.95))
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupSalesforce
import SoupCore
import SoupTesting
import Testing

@Suite struct SalesforceClientObjectsTests {
    private func hasAccount(_ step: ScriptedTransport.Step) async throws -> Bool {
        let transport = ScriptedTransport([step])
        return try await SalesforceClient(
            SyncContext(transport: transport, basePath: "/v", clock: ManualClock(), soup: "s")
        ).hasObject("Account")
    }

    @Test func `An object exists if the API describes it`() async throws {
        let description = #"{"objectDescribe":{"name":"Account"},"recentItems":[]}"#
        #expect(try await hasAccount(.answer(to: "GET /v/sobjects/Account", description)))
        #expect(try await !hasAccount(.answer(status: 404, #"[{"errorCode":"NOT_FOUND","message":"m"}]"#)))
    }

    @Test(arguments: [
        (200, "<html>"), (200, "{}"), (200, #"{"objectDescribe":{"name":"Contact"}}"#), (404, "<html>"), (404, ""),
        (404, #"{"errorCode":"NOT_FOUND"}"#), (403, #"[{"errorCode":"INSUFFICIENT_ACCESS","message":"m"}]"#), (302, ""),
    ])
    func `Any other response to the object check is an error`(status: Int, body: String) async throws {
        await #expect(throws: SoupError.self) { try await hasAccount(.answer(status: status, body)) }
    }
}

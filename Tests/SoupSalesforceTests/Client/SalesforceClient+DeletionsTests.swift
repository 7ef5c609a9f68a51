// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupSalesforce
import SoupTesting
import Testing

/// Reports of the server about deleted records.
@Suite struct SalesforceClientDeletionsTests {
    /// A gateway can shorten IDs, or change their case.
    @Test(arguments: ["001000000000Abc", "001000000000AbcAAE", "001000000000abcaae"])
    func `Deleted records have their IDs of 18 characters`(id: String) async throws {
        let clock = ManualClock()
        let now = DateText.format(clock.milliseconds, zone: "Z")
        let body = #"""
            {"deletedRecords": [{"id": "\#(id)", "deletedDate": "\#(now)"}],
              "earliestDateAvailable": "2000-01-01T00:00:00Z", "latestDateCovered": "\#(now)"}
            """#
        let client = SalesforceClient(
            SyncContext(transport: ScriptedTransport([.answer(body)]), basePath: "/v", clock: clock, soup: "s"))
        let report = try await client.deletions(of: "Account", since: clock.now, lookback: .zero)
        guard case .complete(let ids, _) = report else {
            Issue.record("\(report)")
            return
        }
        #expect(ids == ["001000000000AbcAAE"])
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import SOQLTargets
import SoupCore
import SoupTesting
import Testing

/// The answers about deletions that need no request.
@Suite struct SOQLSyncDownTargetDeletionsTests {
    private func report(_ deletes: SOQLSyncDownTarget.DeleteMode) async throws -> DeletionReport? {
        let target = try SOQLSyncDownTarget(
            configuration: .init(query: "SELECT Name FROM Account", deletes: deletes))
        let transport = ScriptedTransport([])
        let context = SyncContext(transport: transport, basePath: "/v", clock: ManualClock(), soup: "accounts")
        let report = try await target.deletions(since: nil, level: 0, in: context)
        #expect(transport.requests.isEmpty)
        return report
    }

    /// Otherwise the deletions until then would be missed.
    @Test func `A covered time in the future is not believed`() async throws {
        let target = try SOQLSyncDownTarget(
            configuration: .init(query: "SELECT Name FROM Account", deletes: .incremental))
        let body = #"""
            {"deletedRecords": [], "earliestDateAvailable": "2023-01-01T00:00:00.000+0000",
              "latestDateCovered": "2024-01-15T12:09:00.000+0000"}
            """#
        let transport = ScriptedTransport([.answer(body, headers: [.date: "Mon, 15 Jan 2024 12:00:07 GMT"])])
        let context = SyncContext(transport: transport, basePath: "/v", clock: ManualClock(), soup: "accounts")
        let since = try #require(DateText.milliseconds("2024-01-15T11:00:00Z"))
        let report = try await target.deletions(
            since: Date(millisecondsSince1970: since), level: 0, in: context)
        guard case .complete(_, let covered) = report else {
            Issue.record("\(String(describing: report))")
            return
        }
        #expect(covered.millisecondsSince1970 == DateText.milliseconds("2024-01-15T12:00:07Z"))
    }

    /// The period of the first request ends ten minutes after the time of the device.
    @Test func `A device whose clock is behind asks again`() async throws {
        let target = try SOQLSyncDownTarget(
            configuration: .init(query: "SELECT Name FROM Account", deletes: .incremental, lookback: .zero))
        func answer(_ covered: String, ids: String) -> String {
            #"""
            {"deletedRecords": [\#(ids)], "earliestDateAvailable": "2023-01-01T00:00:00.000+0000",
              "latestDateCovered": "\#(covered)"}
            """#
        }
        let date = "Mon, 15 Jan 2024 14:00:07 GMT"
        let transport = ScriptedTransport([
            .answer(answer("2024-01-15T12:10:00.000+0000", ids: ""), headers: [.date: date]),
            .answer(
                answer("2024-01-15T14:00:00.000+0000", ids: #"{"id": "001000000000001AAA"}"#), headers: [.date: date]),
        ])
        let context = SyncContext(transport: transport, basePath: "/v", clock: ManualClock(), soup: "accounts")
        let since = try #require(DateText.milliseconds("2024-01-15T11:00:00Z"))
        let report = try await target.deletions(
            since: Date(millisecondsSince1970: since), level: 0, in: context)
        guard case .complete(let ids, let covered) = report else {
            Issue.record("\(String(describing: report))")
            return
        }
        #expect(ids == ["001000000000001AAA"])
        #expect(covered.millisecondsSince1970 == DateText.milliseconds("2024-01-15T14:00:00Z"))
        #expect(transport.requests.count == 2)
    }

    @Test func `Deletions are reported if the configuration says so`() async throws {
        #expect(try await report(.compare) == nil)
        #expect(try await report(.incremental) == .incomplete)
    }
}

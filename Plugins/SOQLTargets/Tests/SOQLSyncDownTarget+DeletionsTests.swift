// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

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

    @Test func `Deletions are reported if the configuration says so`() async throws {
        #expect(try await report(.compare) == nil)
        #expect(try await report(.incremental) == .incomplete)
    }
}

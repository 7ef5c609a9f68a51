// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import SoupSync
import Testing

@testable import SoupBridge

@Suite struct BridgeSessionTests {
    private let session = BridgeSession(maximumCursors: 1, cursorNumbers: CursorNumbers(), now: 1)

    @Test func `A session is in use until its last user releases it`() {
        #expect(session.unusedSince == 1)
        session.hold()
        session.hold()
        session.release(at: 2)
        #expect(session.unusedSince == nil)
        session.release(at: 3)
        #expect(session.unusedSince == 3)
    }

    @Test func `A call that begins after the end is cancelled`() async {
        let call = Task {
            try? await Promise<Void>().wait()
            return BridgeAnswer.value(nil)
        }
        session.end()
        _ = session.begin(call)
        #expect(call.isCancelled)
        _ = await call.value
    }

    @Test func `A sync that begins after the end is stopped`() async throws {
        let transport = StalledTransport()
        let world = try await BridgeWorld { _ in transport }
        try await world.registerCats()
        let syncs = try #require(try await world.stores.open(BridgeStoreName()).syncs)
        let target: JSONValue = ["type": "soql", "query": "SELECT Id FROM Account"]
        let run = try await syncs.syncDown(TargetReference(target), into: "cats")
        session.end()
        session.follow(run, of: BridgeStoreName(), after: Promise())
        #expect(await run.result.state.status == .stopped)
    }
}

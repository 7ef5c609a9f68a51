// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

@testable import SoupSync

@Suite struct RunLogTests {
    private static func event(_ number: Int) -> SyncEvent {
        let target = TargetReference(["type": "fake"])
        var state = SyncState(
            id: 1, definition: SyncDefinition(name: "a", type: .syncDown, soup: "a", target: target))
        state.totalSize = number
        return .state(state)
    }

    private static func totals(_ stream: AsyncStream<SyncEvent>) async -> [Int] {
        var totals: [Int] = []
        for await case .state(let state) in stream { totals.append(state.totalSize) }
        return totals
    }

    @Test func `Every reader gets all events, early or late`() async {
        let log = RunLog()
        let subscription = RunLog.Subscription(log)
        let early = subscription.events()
        log.append(Self.event(1))
        let middle = subscription.events()
        log.append(Self.event(2))
        log.finish()
        let late = subscription.events()
        for stream in [early, middle, late] { #expect(await Self.totals(stream) == [1, 2]) }
    }

    @Test func `A stream outlives the run's value`() async throws {
        let log = RunLog()
        var subscription: RunLog.Subscription? = RunLog.Subscription(log)
        let stream = try #require(subscription?.events())
        log.append(Self.event(1))
        subscription = nil
        log.append(Self.event(2))
        log.finish()
        #expect(await Self.totals(stream) == [1, 2])
        // Without a subscription no events are kept.
        #expect(await Self.totals(RunLog.Subscription(log).events()) == [])
    }
}

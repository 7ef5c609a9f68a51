// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import SoupTesting
import Synchronization
import Testing

@Suite struct ManualClockTests {
    @Test func `Sleepers wake in the order of their deadlines`() async throws {
        let clock = ManualClock(now: Date(timeIntervalSince1970: 0))
        let woken = Record()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for time: Int64 in [300, 100, 200] {
                group.addTask {
                    try await clock.sleep(milliseconds: time)
                    woken.add(time)
                }
            }
            await clock.waitForSleepers(3)
            clock.advance(by: .milliseconds(100))
            while woken.times.count < 1 { await Task.yield() }
            #expect(woken.times == [100])
            clock.advance(by: .milliseconds(100))
            while woken.times.count < 2 { await Task.yield() }
            clock.advance(by: .seconds(1))
            try await group.waitForAll()
        }
        #expect(woken.times == [100, 200, 300])
        #expect(clock.sleeps.sorted() == [.milliseconds(100), .milliseconds(200), .milliseconds(300)])
        #expect(clock.milliseconds == 1200)
    }

    @Test func `Cancellation wakes a sleeper`() async throws {
        let clock = ManualClock()
        let task = Task { try await clock.sleep(milliseconds: 1) }
        await clock.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `An advancing clock does not wait`() async throws {
        let clock = ManualClock.advancing(from: Date(timeIntervalSince1970: 0.005))
        try await clock.sleep(milliseconds: 100)
        try await clock.sleep(milliseconds: -1)
        #expect(clock.milliseconds == 105)
        #expect(clock.sleeps == [.milliseconds(100), .milliseconds(-1)])
    }
}

/// Times, in the order in which they were added.
private final class Record: Sendable {
    private let state = Mutex<[Int64]>([])
    var times: [Int64] { state.withLock { $0 } }
    func add(_ time: Int64) { state.withLock { $0.append(time) } }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import SoupCore
import Synchronization

/// The time of an org: it stands still, and its pauses do what a test wants.
///
/// A fault of latency makes the org pause when a request has come and before it is looked at. With this clock that is
/// the moment at which something can be done to whoever sent it.
final class PausingClock: SoupClock {
    private struct State {
        var now: Int64 = 1_705_320_000_000
        var atPause: (@Sendable () async -> Void)?
    }

    private let state = Mutex(State())

    var now: Int64 { state.withLock { $0.now } }

    func advance(by milliseconds: Int64) { state.withLock { $0.now += milliseconds } }

    /// Says what the next pause does; nil for nothing.
    func atNextPause(_ body: (@Sendable () async -> Void)?) { state.withLock { $0.atPause = body } }

    /// Does what the pause is to do, whether or not the task is cancelled: the org goes on afterwards.
    func sleep(milliseconds: Int64) async throws {
        let body = state.withLock { state in
            defer { state.atPause = nil }
            return state.atPause
        }
        await body?()
    }
}

#endif

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupCore
import Synchronization

/// A clock that advances only on request, and whose pauses call a closure of the test.
///
/// A latency fault makes the org pause after it has received a request and before it processes the request. With this
/// clock, a test can act on the sender at that moment.
final class PausingClock: SoupClock {
    private struct State {
        var now: Int64 = 1_705_320_000_000
        var atPause: (@Sendable () async -> Void)?
    }

    private let state = Mutex(State())

    var now: Date { Date(millisecondsSince1970: state.withLock { $0.now }) }

    func advance(by duration: Duration) { state.withLock { $0.now += duration.milliseconds } }

    /// Sets the closure that the next pause calls; nil for none.
    func atNextPause(_ body: (@Sendable () async -> Void)?) { state.withLock { $0.atPause = body } }

    /// Calls the closure even if the task is cancelled, because the org continues after a pause.
    func sleep(for duration: Duration) async throws {
        let body = state.withLock { state in
            defer { state.atPause = nil }
            return state.atPause
        }
        await body?()
    }
}

#endif

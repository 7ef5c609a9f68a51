// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore
internal import Synchronization

/// The pauses of faults while an org is served: a server that ends does not wait for them.
final class ServerPauses: Sendable {
    private struct State {
        var hasEnded = false
        var count = 0
        var running: [Int: Task<Void, any Error>] = [:]
    }

    private let clock: any SoupClock
    private let state = Mutex(State())

    init(clock: any SoupClock) { self.clock = clock }

    /// Waits for a number of milliseconds.
    ///
    /// - Throws: `CancellationError` as soon as the pauses end, or the task is cancelled.
    func pause(milliseconds: Int64) async throws {
        let sleep = Task { [clock] in try await clock.sleep(milliseconds: milliseconds) }
        let number: Int? = state.withLock { state in
            guard !state.hasEnded else { return nil }
            state.count += 1
            state.running[state.count] = sleep
            return state.count
        }
        guard let number else {
            sleep.cancel()
            throw CancellationError()
        }
        defer { state.withLock { $0.running[number] = nil } }
        try await withTaskCancellationHandler {
            try await sleep.value
        } onCancel: {
            sleep.cancel()
        }
    }

    /// Ends all pauses, including future ones.
    func end() {
        let running = state.withLock { state in
            state.hasEnded = true
            return Array(state.running.values)
        }
        for sleep in running { sleep.cancel() }
    }
}

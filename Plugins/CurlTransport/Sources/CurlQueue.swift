// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import CSoupCurl
internal import Synchronization

/// The queue from the callers to the thread: the only state that both access.
final class CurlQueue: Sendable {
    /// The pending work of the thread.
    struct Work {
        var arrivals: [CurlExchange] = []
        /// The exchanges that their caller has cancelled; they may have ended already.
        var cancelled: [UInt64] = []
        /// The exchanges whose receiver has room for more of the body.
        var resumed: [UInt64] = []
        /// Whether the transport was released, so that the thread has to end.
        var isClosed = false
    }

    private struct State {
        var work = Work()
        var lastID: UInt64 = 0
        var isRunning = false
        /// The address of the thread's multi handle, while it has one.
        ///
        /// Other threads use it only for `curl_multi_wakeup`, which libcurl allows, and only while they hold the lock.
        /// The thread acquires the lock before it frees the handle.
        var multi: UInt = 0

        func wake() {
            if let multi = UnsafeMutableRawPointer(bitPattern: multi) { curl_multi_wakeup(multi) }
        }
    }

    private let state = Mutex(State())

    func makeID() -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    /// Adds an exchange.
    ///
    /// - Returns: whether the caller must start the thread.
    func add(_ exchange: CurlExchange) -> Bool {
        state.withLock { state in
            state.work.arrivals.append(exchange)
            state.wake()
            defer { state.isRunning = true }
            return !state.isRunning
        }
    }

    func cancel(_ id: UInt64) {
        state.withLock { state in
            guard state.isRunning else { return }
            state.work.cancelled.append(id)
            state.wake()
        }
    }

    func resume(_ id: UInt64) {
        state.withLock { state in
            guard state.isRunning else { return }
            state.work.resumed.append(id)
            state.wake()
        }
    }

    func close() {
        state.withLock { state in
            state.work.isClosed = true
            state.wake()
        }
    }

    /// Sets the handle with which other threads wake the calling thread; 0 before the thread frees it.
    func setMulti(_ address: UInt) { state.withLock { $0.multi = address } }

    /// Removes and returns all work; called by the thread.
    func take() -> Work {
        state.withLock { state in
            let work = state.work
            state.work = Work(isClosed: work.isClosed)
            return work
        }
    }

    /// Records the end of the thread, and returns the exchanges that were added after its last check.
    func finish() -> [CurlExchange] {
        state.withLock { state in
            state.isRunning = false
            let late = state.work.arrivals
            state.work = Work(isClosed: state.work.isClosed)
            return late
        }
    }
}

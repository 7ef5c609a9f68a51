// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import CSoupCurl
internal import Synchronization

/// The queue from the callers to the thread: the only state that both touch.
final class CurlInbox: Sendable {
    /// What the thread has to do next.
    struct Work {
        var arrivals: [CurlExchange] = []
        /// Exchanges whose caller has given up; they may have ended already.
        var cancelled: [UInt64] = []
        /// Exchanges whose receiver has room for more of the body.
        var resumed: [UInt64] = []
        /// Whether the transport was released: the thread ends.
        var isClosed = false
    }

    private struct State {
        var work = Work()
        var lastID: UInt64 = 0
        var isRunning = false
        /// The address of the thread's multi handle, while it has one.
        ///
        /// Other threads use it for `curl_multi_wakeup` alone, which libcurl allows, and only below the lock, which the
        /// thread takes before it frees the handle.
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

    /// Lets the other threads wake the thread that calls; 0 before it frees its handle.
    func setMulti(_ address: UInt) { state.withLock { $0.multi = address } }

    /// Takes all work; called by the thread.
    func take() -> Work {
        state.withLock { state in
            let work = state.work
            state.work = Work(isClosed: work.isClosed)
            return work
        }
    }

    /// Notes the end of the thread, and returns the exchanges that came too late for it.
    func finish() -> [CurlExchange] {
        state.withLock { state in
            state.isRunning = false
            let late = state.work.arrivals
            state.work = Work(isClosed: state.work.isClosed)
            return late
        }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import CSoupCurl
internal import Foundation
internal import SoupCore

/// All exchanges of a transport, on a dedicated thread.
///
/// The thread sleeps until a connection, the queue or a timeout needs it.
final class CurlLoop {
    /// The maximum number of connections and handles that are kept for later requests.
    private static let maximumKept = 16
    private static let maximumRedirects = 16

    private struct Running {
        let transfer: CurlTransfer
        let handle: CurlHandle
        /// The time at which the exchange exceeds its total timeout.
        let deadline: ContinuousClock.Instant
        var lastActivity: ContinuousClock.Instant
        var redirects = 0
    }

    /// Performs the pending work of all transfers of a multi handle.
    ///
    /// Returns a description of the error if libcurl cannot continue, otherwise nil.
    typealias Perform = @Sendable (UnsafeMutableRawPointer) -> String?

    /// libcurl's own function; tests replace it to fail.
    static let perform: Perform = { multi in
        var count: Int32 = 0
        let code = curl_multi_perform(multi, &count)
        return code == CURLM_OK ? nil : String(cString: curl_multi_strerror(code))
    }

    private let multi: UnsafeMutableRawPointer
    private let perform: Perform
    private let queue: CurlQueue
    private let configuration: LibcurlTransport.Configuration
    private let clock = ContinuousClock()
    private var running: [UInt64: Running] = [:]
    private var ids: [UnsafeMutableRawPointer: UInt64] = [:]
    private var idleHandles: [CurlHandle] = []

    /// Initialises libcurl, once in a process.
    private static let isReady: Bool = {
        OpenSSLExit.keepStateAtExit()
        return curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
    }()

    /// Starts the thread; it ends when the queue is closed.
    static func startThread(
        for queue: CurlQueue, configuration: LibcurlTransport.Configuration, perform: @escaping Perform
    ) {
        Thread.detachNewThread {
            Thread.current.name = "soup.curl"
            ignoreBrokenPipes()
            // If a loop fails while it has exchanges, it is replaced, because other exchanges may have arrived
            // meanwhile. If it fails without any, it is not replaced, because this could repeat endlessly.
            while CurlLoop(queue, configuration: configuration, perform: perform)?.run() == true {}
            for exchange in queue.finish() {
                exchange.fail(SoupError.network(.notSent, "libcurl cannot be started"))
            }
        }
    }

    /// Blocks SIGPIPE, because TLS libraries write without the flag that suppresses it.
    private static func ignoreBrokenPipes() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    private init?(
        _ queue: CurlQueue, configuration: LibcurlTransport.Configuration, perform: @escaping Perform
    ) {
        guard Self.isReady, let multi = curl_multi_init() else { return nil }
        self.multi = multi
        self.perform = perform
        self.queue = queue
        self.configuration = configuration
        _ = soup_curl_set_connections(multi, Self.maximumKept)
        queue.setMulti(UInt(bitPattern: multi))
    }

    deinit {
        queue.setMulti(0)
        idleHandles = []
        curl_multi_cleanup(multi)
    }

    /// Runs until the transport is released or libcurl fails.
    ///
    /// - Returns: whether libcurl failed and exchanges were ended because of it.
    private func run() -> Bool {
        while true {
            let work = queue.take()
            for exchange in work.arrivals { start(exchange) }
            for id in work.cancelled { end(id, CancellationError()) }
            if work.isClosed { break }
            for id in work.resumed { resume(id) }
            let failure = perform(multi)
            finishEnded()
            if let failure { return endAll(failure) }
            let wait = expire()
            curl_multi_poll(multi, nil, 0, Int32(clamping: wait), nil)
        }
        // The transport was released, which no caller does while it waits for a response.
        for id in Array(running.keys) { end(id, CancellationError()) }
        return false
    }

    /// Ends the exchanges that are in progress: libcurl cannot continue them, and would report the same error again.
    ///
    /// - Returns: whether there were any.
    private func endAll(_ failure: String) -> Bool {
        let ids = Array(running.keys)
        for id in ids { end(id, SoupError.network(.unknown, "libcurl cannot continue: \(failure)")) }
        return !ids.isEmpty
    }

    private func start(_ exchange: CurlExchange) {
        guard !exchange.cancellation.isSet else { return exchange.fail(CancellationError()) }
        guard let handle = idleHandles.popLast() ?? CurlHandle() else {
            return exchange.fail(SoupError.network(.notSent, "there is no memory for the request"))
        }
        let now = clock.now
        let transfer = CurlTransfer(exchange, limits: configuration.limits)
        add(
            Running(
                transfer: transfer, handle: handle,
                deadline: now + .milliseconds(Self.milliseconds(configuration.limits.totalTimeout)), lastActivity: now))
    }

    private func add(_ exchange: Running) {
        let id = exchange.transfer.exchange.id
        running[id] = exchange
        ids[exchange.handle.easy] = id
        let left = max(1, Self.milliseconds(clock.now.duration(to: exchange.deadline)))
        if !exchange.handle.prepare(for: exchange.transfer, configuration, milliseconds: left)
            || curl_multi_add_handle(multi, exchange.handle.easy) != CURLM_OK
        {
            end(id, SoupError.network(.notSent, "libcurl refuses an option of the request"))
        }
    }

    private func finishEnded() {
        var code: Int32 = 0
        while let easy = soup_curl_next_ended(multi, &code) {
            guard let id = ids[easy], let exchange = running[id] else { continue }
            if let target = exchange.transfer.redirect, exchange.redirects < Self.maximumRedirects {
                detach(exchange)
                exchange.transfer.follow(target)
                var next = exchange
                next.redirects += 1
                next.lastActivity = clock.now
                add(next)
            } else if exchange.transfer.redirect != nil {
                end(id, SoupError.network(.unknown, "the server redirects more than \(Self.maximumRedirects) times"))
            } else {
                finish(exchange, CURLcode(UInt32(bitPattern: code)))
            }
        }
    }

    /// Ends an exchange that is in progress; does nothing for others.
    private func end(_ id: UInt64, _ error: any Error) {
        guard let exchange = running[id] else { return }
        exchange.transfer.fail(error)
        finish(exchange, CURLE_ABORTED_BY_CALLBACK)
    }

    private func finish(_ exchange: Running, _ code: CURLcode) {
        let text = exchange.handle.text(of: code)
        detach(exchange)
        exchange.transfer.end(code, text)
        // libcurl keeps the buffers of a transfer that failed early, such as for a name that cannot be resolved, and
        // refuses to change their size.
        guard code == CURLE_OK, idleHandles.count < Self.maximumKept else { return }
        exchange.handle.reset()
        idleHandles.append(exchange.handle)
    }

    /// Removes the handle from libcurl; if the transfer has not ended, its connection is closed.
    private func detach(_ exchange: Running) {
        curl_multi_remove_handle(multi, exchange.handle.easy)
        running[exchange.transfer.exchange.id] = nil
        ids[exchange.handle.easy] = nil
    }

    private func resume(_ id: UInt64) {
        guard let exchange = running[id], exchange.transfer.isPaused else { return }
        exchange.transfer.resume()
        curl_easy_pause(exchange.handle.easy, CURLPAUSE_CONT)
    }

    /// Ends the exchanges whose server has sent nothing for too long.
    ///
    /// - Returns: the number of milliseconds after which the next exchange may have to end.
    private func expire() -> Int {
        let now = clock.now
        let idleTimeout = Duration.milliseconds(Self.milliseconds(configuration.limits.idleTimeout))
        var next = Duration.seconds(600)
        for (id, exchange) in running {
            // The reader of a paused exchange is slow, not its server.
            if exchange.transfer.wasActive || exchange.transfer.isPaused {
                exchange.transfer.wasActive = false
                running[id]?.lastActivity = now
                next = min(next, idleTimeout)
            } else if now - exchange.lastActivity >= idleTimeout {
                end(id, exchange.transfer.timeout)
            } else {
                next = min(next, exchange.lastActivity + idleTimeout - now)
            }
        }
        return max(0, Self.milliseconds(next))
    }

    /// Converts seconds to milliseconds, rounded up and within libcurl's range.
    static func milliseconds(_ duration: Duration) -> Int {
        Int(Int32(clamping: max(0, duration.milliseconds)))
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore
internal import Synchronization

/// A transport that records the server's earliest time of its requests, and the duration of the longest one.
///
/// The server reports its time when it responds. The recorded time is the earliest one at which the server can have
/// processed a request. If the clocks differ by more than a day, the device's is assumed to be wrong.
final class RequestTimeRecorder: HTTPTransport {
    let base: any HTTPTransport
    private let clock: any SoupClock
    private let time = Mutex<Int64?>(nil)
    private let duration = Mutex<Int64>(0)

    init(_ base: any HTTPTransport, clock: any SoupClock) {
        self.base = base
        self.clock = clock
    }

    /// The time in milliseconds since 1970 by the server's clock; `nil` until a response contained a time.
    var earliest: Int64? { time.withLock { $0 } }

    /// The duration of the longest request in milliseconds.
    var longest: Int64 { duration.withLock { $0 } }

    var secretMask: SecretMask? { base.secretMask }

    func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
        let start = clock.milliseconds
        let answer = try await base.send(request, body: body)
        let duration = max(0, clock.milliseconds - start)
        self.duration.withLock { $0 = max($0, duration) }
        if let time = answer.serverTime?.millisecondsSince1970, DateText.plausible.contains(time) {
            let earliest = ServerTime.earliest(time - duration, deviceTime: start) ?? time - duration
            self.time.withLock { $0 = min($0 ?? .max, max(0, earliest)) }
        }
        return answer
    }
}

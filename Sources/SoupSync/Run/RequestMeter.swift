// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore
internal import Synchronization

/// The number of used requests that a server reported at a time.
struct UsageReport: Sendable, Hashable {
    /// The time in milliseconds after which a report is out of date, so that a request may find out the next number.
    static let validity: Int64 = 15 * 60_000

    let usage: APIUsage
    /// The time of the report in milliseconds.
    let time: Int64

    /// Returns whether this report is to be used instead of another.
    ///
    /// The later report is. A report of the future, from before the clock was set back, is not later than any.
    func replaces(_ other: UsageReport?, at now: Int64) -> Bool {
        guard time <= now else { return false }
        guard let other, other.time <= now else { return true }
        return time > other.time
    }

    /// Returns whether the report is not out of date and reaches a share of the maximum.
    func reaches(_ share: Double, at now: Int64) -> Bool {
        usage.reaches(share) && (0..<Self.validity).contains(now - time)
    }
}

/// The last known number of used requests of a server, and its last refusal because of them.
final class RequestMeter: Sendable {
    private let last = Mutex<UsageReport?>(nil)

    /// The time in milliseconds for which a watch is slow after the server has refused a request because of its limit.
    static let refusalPause: Int64 = 60_000

    private let refused = Mutex<Int64?>(nil)

    /// Records that the server refused a request because of its limit.
    func recordRefusal(at time: Int64) { refused.withLock { $0 = time } }

    /// Returns whether the server has just refused a request because of its limit.
    func isRefused(at now: Int64) -> Bool {
        refused.withLock { time in time.map { (0..<Self.refusalPause).contains(now - $0) } ?? false }
    }

    /// Records the report of another process, unless a later one is known.
    ///
    /// - Parameter now: the time, which is read after those of all recorded reports: a report that is recorded
    ///   meanwhile is not of the future.
    func record(_ other: UsageReport, at now: @autoclosure () -> Int64) {
        last.withLock { if other.replaces($0, at: now()) { $0 = other } }
    }

    /// Records the number that a response reports.
    ///
    /// - Parameter time: the time of the response; as above, it is read last.
    func record(_ usage: APIUsage, at time: @autoclosure () -> Int64) {
        last.withLock { $0 = UsageReport(usage: usage, time: time()) }
    }

    /// The last report; `nil` if the server has not reported any number.
    var latest: UsageReport? { last.withLock { $0 } }

    /// Returns the last reported number if it is not out of date and reaches a share of the maximum.
    func usage(reaching share: Double, at now: Int64) -> APIUsage? {
        latest.flatMap { $0.reaches(share, at: now) ? $0.usage : nil }
    }
}

/// The cause of a pause: the share of requests that syncs may use is used up.
struct RequestLimitReached: Error {
    let usage: APIUsage

    /// Returns the error that ends a run.
    func error(_ share: Double) -> SoupError {
        SoupError(
            .requestLimit, "\(usage) are used, and syncs may use \(Int((share * 100).rounded())) %",
            hint:
                "Run the sync again later: it continues where it stopped. \"requestLimitPercent\" in org.json sets the "
                + "limit.", cause: self)
    }
}

/// A transport that records the number of used requests that the server reports.
///
/// When the limit is reached, it refuses further requests. During a push, it asks the target to send none, because only
/// the target knows which requests belong together.
struct MeteredTransport: HTTPTransport {
    let base: any HTTPTransport
    private let meter: RequestMeter
    private let limit: Double
    private let clock: any SoupClock

    /// - Parameter limit: the share of the requests that syncs may use.
    init(_ base: any HTTPTransport, _ meter: RequestMeter, limit: Double, clock: any SoupClock) {
        (self.base, self.meter, self.limit, self.clock) = (base, meter, limit, clock)
    }

    var secretMask: SecretMask? { base.secretMask }

    func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
        try checkLimit()
        let answer = try await base.send(request, body: body)
        record(answer.response)
        return answer
    }

    func send(
        _ request: HTTPRequest, body: [UInt8]?, showing beginning: @escaping @Sendable (HTTPAnswer) -> Void
    ) async throws -> HTTPAnswer {
        try checkLimit()
        // The next page may be requested as soon as this one begins.
        let answer = try await base.send(request, body: body) { answer in
            record(answer.response)
            beginning(answer)
        }
        record(answer.response)
        return answer
    }

    func stream(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswerStream {
        try checkLimit()
        let stream = try await base.stream(request, body: body)
        record(stream.response)
        return stream
    }

    private func checkLimit() throws {
        guard StopSignal.current == nil, let usage = meter.usage(reaching: limit, at: clock.milliseconds) else {
            return
        }
        throw RequestLimitReached(usage: usage).error(limit)
    }

    private func record(_ response: HTTPResponse) {
        guard let usage = APIUsage(response.headerFields) else { return }
        meter.record(usage, at: clock.milliseconds)
        if usage.reaches(limit) { StopSignal.current?.raise() }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import SoupCore
internal import Synchronization

/// A Salesforce org that runs in the process: the REST API over a database of its own, without a network.
///
/// ```swift
/// let org = try LocalOrg(seed: .tiny)
/// let context = SyncContext(
///     transport: org.authorizedTransport, basePath: SalesforceCredentials.defaultAPIPath, soup: "accounts")
/// ```
///
/// Requests are answered one at a time, each in a transaction. The `Date` header of every response is the org's own
/// time. Nothing is kept after the org is released, unless ``OrgOptions/stateFile`` names a file.
public final class LocalOrg: Sendable {
    let core: Mutex<OrgCore>
    let clock: any SoupClock
    let bodyLimits: BodyLimits
    /// Whether the org was filled from its seed; false if it continues from its state file.
    public let isFromSeed: Bool

    /// Creates an org.
    ///
    /// - Parameters:
    ///   - seed: the content; a state file that already has an org is not filled again.
    ///   - clock: the clock that the org follows unless the seed or the administration stops it; it also measures
    ///     pauses.
    /// - Throws: ``SoupError``: `badConfiguration` for an inconsistent seed, `sql` if the database cannot be created,
    ///   `storeUnusable` for a state file that is in use, that was not created by an org, or by a later version.
    ///   `CancellationError` if the task is cancelled while the org is filled; then nothing is kept.
    public init(seed: OrgSeed = .tiny, clock: any SoupClock = SystemClock(), options: OrgOptions = OrgOptions()) throws
    {
        self.clock = clock
        bodyLimits = options.bodyLimits
        core = Mutex(try OrgCore(seed: seed, clock: clock, options: options))
        isFromSeed = core.withLock { $0.isFromSeed }
    }

    /// Answers a request.
    ///
    /// The response to a bad request is an error in the form of Salesforce. No request can end the process.
    ///
    /// - Throws: ``SoupError`` with `network` if a fault breaks the connection; `CancellationError` in the pause of a
    ///   fault.
    public func respond(to request: HTTPRequest, body: [UInt8] = []) async throws -> HTTPAnswer {
        try await respond(to: request, body: body) { _ in }
    }

    /// Answers a request, and passes on the part of the beginning that is sent, unless the body is compressed.
    private func respond(
        to request: HTTPRequest, body: [UInt8], showing beginning: @Sendable (HTTPAnswer) -> Void
    ) async throws -> HTTPAnswer {
        var received = OrgRequest(request)
        received.take(body, bodyLimits)
        let exchange = try await exchange(received) { try await clock.sleep(milliseconds: $0) }
        if let shown = exchange.beginning { beginning(shown) }
        if let pace = exchange.pace, exchange.cut == nil {
            for piece in pace.pieces(of: exchange.answer.body.count) where piece.pause > 0 {
                try await clock.sleep(milliseconds: piece.pause)
            }
        }
        switch exchange.cut {
        case nil: return exchange.answer
        case .refused: throw SoupError.network(.notSent, "a fault of the local org refused the connection")
        case .beforeHeaders, .inBody:
            throw SoupError.network(.unknown, "a fault of the local org broke the connection")
        }
    }

    /// A response, and the position at which the connection breaks while it is sent.
    struct Exchange: Sendable {
        enum Cut: Sendable {
            case refused
            case beforeHeaders
            /// After this number of bytes of the body.
            case inBody(Int)
        }

        /// The speed at which the body is sent.
        struct Pace: Sendable {
            var bytesPerSecond: Int?
            var stallAfter: Int?
            /// Milliseconds.
            var stall: Int64

            /// Returns the pieces of a body of `count` bytes, each with the pause before it: ten a second.
            ///
            /// The sequence is lazy: there may be as many pieces as bytes.
            func pieces(of count: Int) -> UnfoldSequence<(range: Range<Int>, pause: Int64), Int> {
                // A rate above the body's size per second has no effect.
                let rate = bytesPerSecond.map { max(1, min($0, max(1, count) * 10)) }
                let step = rate.map { max(1, $0 / 10) } ?? max(1, count)
                let wait = rate.map { Int64(step * 1000 / $0) } ?? 0
                return sequence(state: 0) { start in
                    guard start < count else { return nil }
                    var end = min(start + step, count)
                    if let stallAfter, start < stallAfter { end = min(end, stallAfter) }
                    defer { start = end }
                    return (start..<end, wait.plus(start == stallAfter ? stall : 0))
                }
            }
        }

        var answer: HTTPAnswer
        var cut: Cut?
        var pace: Pace?

        /// The beginning of the response, if anything is sent; nil for a compressed body.
        fileprivate var beginning: HTTPAnswer? {
            guard answer.response.headerFields[.contentEncoding] == nil else { return nil }
            switch cut {
            case nil: return answer.beginning
            case .inBody(let count):
                return HTTPAnswer(answer.response, body: Array(answer.body.prefix(count))).beginning
            case .refused, .beforeHeaders: return nil
            }
        }
    }

    /// Answers a request with the faults that apply to it.
    ///
    /// - Parameter pause: waits for a number of milliseconds.
    func exchange(_ request: OrgRequest, pause: (Int64) async throws -> Void) async throws -> Exchange {
        let started = clock.milliseconds
        let struck: [Strike]
        do {
            struck = try core.withLock { core in
                if core.isAdministration(request) { return [] }
                let asked = try core.faultAskedFor(by: request)
                let others = core.faults.strike(request, from: core.sender(of: request), now: core.clock.now)
                guard let asked else { return others }
                return [asked] + others.filter { asked.fault.effect.isDelay || $0.fault.effect.isDelay }
            }
        } catch let error as OrgError {
            return core.withLock { Exchange(answer: $0.finished(OrgAnswer(error), request)) }
        }
        for strike in struck {
            switch strike.fault.effect {
            case .latency(let time, _), .refreshFails(.timeout(let time)):
                try await pause(min(time.milliseconds, Int64(MemberForm.longestTime)))
            default: break
            }
        }
        return core.withLock { $0.exchange(request, struck, started: started) }
    }

    /// Sends requests to the org without a network.
    ///
    /// It adds no token. ``authorizedTransport`` does.
    public var transport: any HTTPTransport { Transport(org: self, token: nil) }

    /// Sends requests to the org, with the first access token if a request has none.
    public var authorizedTransport: any HTTPTransport { Transport(org: self, token: accessToken) }

    private struct Transport: HTTPTransport {
        let org: LocalOrg
        let token: String?

        func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
            try await send(request, body: body) { _ in }
        }

        func send(
            _ request: HTTPRequest, body: [UInt8]?, showing beginning: @escaping @Sendable (HTTPAnswer) -> Void
        ) async throws -> HTTPAnswer {
            try Task.checkCancellation()
            var request = request
            if let token, request.headerFields[.authorization] == nil {
                request.headerFields[.authorization] = "Bearer \(token)"
            }
            let answer = try await org.respond(to: request, body: body ?? [], showing: beginning)
            // Without `Accept-Encoding` the body is decompressed, as the network's transports do it.
            return request.headerFields[.acceptEncoding] == nil ? try Self.unpacked(answer) : answer
        }

        private static func unpacked(_ answer: HTTPAnswer) throws -> HTTPAnswer {
            guard answer.response.headerFields[.contentEncoding] == "gzip" else { return answer }
            guard let body = try? Gzip.unpacked(answer.body, limit: 1 << 30) else {
                throw SoupError.network(.unknown, "the packed body is damaged")
            }
            var answer = HTTPAnswer(answer.response, body: body)
            answer.response.headerFields[.contentEncoding] = nil
            answer.response.headerFields[.contentLength] = nil
            return answer
        }
    }

    /// An access token of the seed's first user; it is valid from the start, also after resets.
    public var accessToken: String { core.withLock { $0.tokens.first.access } }

    /// The refresh token of ``accessToken``.
    public var refreshToken: String { core.withLock { $0.tokens.first.refresh } }
}

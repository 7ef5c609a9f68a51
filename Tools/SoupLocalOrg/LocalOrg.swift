// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import SoupCore
internal import Synchronization

/// A Salesforce org that runs in the process: the REST API over a database of its own, no network needed.
///
/// ```swift
/// let org = try LocalOrg(seed: .tiny)
/// let context = SyncContext(transport: org.transport, soup: "accounts")
/// ```
///
/// Requests are answered one at a time, each from a state that no other changes meanwhile. Every answer carries the
/// org's own time as its `Date`. Nothing is kept when the org goes, unless ``OrgOptions/stateFile`` names a file.
public final class LocalOrg: Sendable {
    let core: Mutex<OrgCore>
    let clock: any SoupClock
    let bodyLimits: BodyLimits
    /// Whether the org was filled from its seed; false for one that goes on from its state file.
    public let isFromSeed: Bool

    /// - Parameters:
    ///   - seed: what is in it; a state file that has an org already is not filled again.
    ///   - clock: the time that the org follows unless the seed or the administration stops it; it also measures
    ///     pauses.
    /// - Throws: ``SoupError``: `badConfiguration` for a seed that does not fit together, `sql` when there is no
    ///   database, `storeUnusable` for a state file that is in use, or was not made by an org, or by one of a later
    ///   version. `CancellationError` when the task is cancelled while a seed is put in; nothing is kept of it then.
    public init(seed: Seed = .tiny, clock: any SoupClock = SystemClock(), options: OrgOptions = OrgOptions()) throws {
        self.clock = clock
        bodyLimits = options.bodyLimits
        core = Mutex(try OrgCore(seed: seed, clock: clock, options: options))
        isFromSeed = core.withLock { $0.isFromSeed }
    }

    /// Answers a request.
    ///
    /// Bad requests are answered with errors as Salesforce words them; nothing in a request can stop the org.
    ///
    /// - Throws: ``SoupError`` with `network` when a fault breaks the connection; `CancellationError` in a pause that a
    ///   fault makes.
    public func respond(to request: HTTPRequest, body: [UInt8] = []) async throws -> HTTPAnswer {
        try await respond(to: request, body: body) { _ in }
    }

    /// The same, and shows as much of the beginning as goes out, unless it is packed.
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

    /// An answer, and where the connection breaks while it is sent.
    struct Exchange: Sendable {
        enum Cut: Sendable {
            case refused
            case beforeHeaders
            /// Behind so many bytes of the body.
            case inBody(Int)
        }

        /// How slowly the body goes out.
        struct Pace: Sendable {
            var bytesPerSecond: Int?
            var stallAfter: Int?
            /// Milliseconds.
            var stall: Int64

            /// The pieces of a body of so many bytes, each with the pause before it: ten a second.
            ///
            /// Each is made when its turn comes: there may be as many as bytes.
            func pieces(of count: Int) -> UnfoldSequence<(range: Range<Int>, pause: Int64), Int> {
                // More than the body in a second is no pace.
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

        /// What a client sees first, if anything goes out; nil for a body that is packed.
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

    /// - Parameter pause: waits so many milliseconds.
    func exchange(_ request: OrgRequest, pause: (Int64) async throws -> Void) async throws -> Exchange {
        let started = clock.now
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
                try await pause(min(time, Int64(MemberForm.longestTime)))
            default: break
            }
        }
        return core.withLock { $0.exchange(request, struck, started: started) }
    }

    /// Sends requests to the org without a network.
    ///
    /// It is no session: requests bring their own token. ``authorizedTransport`` adds one.
    public var transport: any HTTPTransport { Transport(org: self, token: nil) }

    /// Sends requests to the org, each with the first access token unless it brings one.
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
            // Who says nothing of codings gets what the network's transports give: a body that is unpacked.
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

    /// An access token of the seed's first user; valid from the start, and across resets.
    public var accessToken: String { core.withLock { $0.tokens.first.access } }

    /// The refresh token that belongs to it.
    public var refreshToken: String { core.withLock { $0.tokens.first.refresh } }
}

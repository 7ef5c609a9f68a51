// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupKit

/// The speed of the platform's standard transport on loopback, compared with URLSession: long responses, and consecutive
/// short requests.
struct TransportSpeed: Suite {
    let name = "transport"

    // The size of a page of 2,000 records. Much longer responses mainly measure the system's allocation of memory.
    private static let answerBytes = 1 << 20
    private static let answerCount = 512
    private static let smallRequests = 2000

    private struct Rates {
        var megabytes: [Double] = []
        var requests: [Double] = []
        var streamed: [Double] = []
    }

    func run(_ settings: Settings) async throws -> [Metric] {
        let authority = "127.0.0.1:\(try BlockServer.start())"
        let transports: [any HTTPTransport] = [StandardTransport.make(), URLSessionTransport()]
        var rates = [Rates(), Rates()]
        for round in 0..<settings.rounds {
            Rounds.progress(
                "round \(round + 1) of \(settings.rounds): \(Self.answerCount) long responses, short requests")
            for turn in transports.indices {
                // Each round begins with another transport.
                let index = (round + turn) % transports.count
                let transport = transports[index]
                let reading = try await Rounds.seconds(settings.clock) {
                    for _ in 0..<Self.answerCount {
                        try await Self.get(Self.answerBytes, from: authority, over: transport)
                    }
                }
                rates[index].megabytes.append(Double(Self.answerBytes * Self.answerCount) / 1_000_000 / reading)
                let requesting = try await Rounds.seconds(settings.clock) {
                    for _ in 0..<Self.smallRequests { try await Self.get(200, from: authority, over: transport) }
                }
                rates[index].requests.append(Double(Self.smallRequests) / requesting)
                // The URLSession transport collects streams in memory, and rejects a body of this size.
                guard index == 0 else { continue }
                let total = Self.answerBytes * Self.answerCount
                let streaming = try await Rounds.seconds(settings.clock) {
                    try await Self.stream(total, from: authority, over: transport)
                }
                rates[index].streamed.append(Double(total) / 1_000_000 / streaming)
            }
        }
        return metrics(rates[0], rates[1])
    }

    private func metrics(_ standard: Rates, _ session: Rates) -> [Metric] {
        #if os(Linux)
            let goal: Metric.Goal? = .atLeast(4)
        #else
            // The standard transport is URLSession.
            let goal: Metric.Goal? = nil
        #endif
        return [
            Metric(
                "\(name).mb_per_s.vs_urlsession", Rounds.ratio(of: standard.megabytes, to: session.megabytes),
                goal: goal),
            Metric("\(name).requests_per_s.vs_urlsession", Rounds.ratio(of: standard.requests, to: session.requests)),
            Metric("\(name).mb_per_s", Rounds.median(standard.megabytes)),
            Metric("\(name).requests_per_s", Rounds.median(standard.requests)),
            Metric("\(name).stream.mb_per_s", Rounds.median(standard.streamed)),
            Metric("\(name).urlsession.mb_per_s", Rounds.median(session.megabytes)),
            Metric("\(name).urlsession.requests_per_s", Rounds.median(session.requests)),
        ]
    }

    private static func get(
        _ bytes: Int, from authority: String, over transport: any HTTPTransport
    ) async throws {
        let request = HTTPRequest(method: .get, scheme: "http", authority: authority, path: "/\(bytes)")
        let count = try await transport.send(request, body: nil).body.count
        guard count == bytes else { throw ContestantError("\(count) of \(bytes) bytes arrived") }
    }

    private static func stream(
        _ bytes: Int, from authority: String, over transport: any HTTPTransport
    ) async throws {
        let request = HTTPRequest(method: .get, scheme: "http", authority: authority, path: "/\(bytes)")
        var count = 0
        for try await piece in try await transport.stream(request, body: nil).body { count += piece.count }
        guard count == bytes else { throw ContestantError("\(count) of \(bytes) bytes were streamed") }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupKit

/// How fast the standard transport of the platform is on loopback, beside URLSession: bytes of long answers, and short
/// requests one after another.
struct TransportSpeed: Suite {
    let name = "transport"

    private static let answerBytes = 64 << 20
    private static let answers = 8
    private static let smallRequests = 2000

    private struct Rates {
        var megabytes: [Double] = []
        var requests: [Double] = []
    }

    func run(_ settings: Settings) async throws -> [Metric] {
        let authority = "127.0.0.1:\(try BlockServer.start())"
        let transports: [any HTTPTransport] = [StandardTransport.make(), URLSessionTransport()]
        var rates = [Rates(), Rates()]
        for round in 0..<settings.rounds {
            Rounds.progress("round \(round + 1) of \(settings.rounds): \(Self.answers) long answers, short requests")
            for turn in transports.indices {
                // Each round begins with another one.
                let index = (round + turn) % transports.count
                let transport = transports[index]
                let reading = try await Rounds.seconds(settings.clock) {
                    for _ in 0..<Self.answers { try await Self.get(Self.answerBytes, authority, transport) }
                }
                rates[index].megabytes.append(Double(Self.answerBytes * Self.answers) / 1_000_000 / reading)
                let asking = try await Rounds.seconds(settings.clock) {
                    for _ in 0..<Self.smallRequests { try await Self.get(200, authority, transport) }
                }
                rates[index].requests.append(Double(Self.smallRequests) / asking)
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
            Metric("\(name).urlsession.mb_per_s", Rounds.median(session.megabytes)),
            Metric("\(name).urlsession.requests_per_s", Rounds.median(session.requests)),
        ]
    }

    private static func get(_ bytes: Int, _ authority: String, _ transport: any HTTPTransport) async throws {
        let request = HTTPRequest(method: .get, scheme: "http", authority: authority, path: "/\(bytes)")
        let count = try await transport.send(request, body: nil).body.count
        guard count == bytes else { throw ContestantError("\(count) of \(bytes) bytes arrived") }
    }
}

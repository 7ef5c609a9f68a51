// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import SoupHTTP
import SoupSalesforce
import SoupCore
import SoupTesting
import Testing

@Suite struct HTTPRequestRepeatingTests {
    private static let kinds: [(HTTPRequest.Method, String)] = [
        (.get, "/services/data/v66.0/query?q=x"), (.post, "/services/data/v66.0/composite/sobjects/Account"),
        (.post, "/services/data/v66.0/composite/sobjects"),
        (.patch, "/services/data/v66.0/composite/sobjects/Account/E"),
        (.delete, "/services/data/v66.0/sobjects/Account/1"),
    ]

    /// Returns how often each kind of request is sent if every response is the same.
    private func attempts(_ reply: @escaping ScriptedTransport.Server) async -> [Int] {
        var counts: [Int] = []
        for (method, path) in Self.kinds {
            let base = ScriptedTransport(server: reply)
            let request = HTTPRequest(method: method, scheme: nil, authority: nil, path: path)
            _ = try? await session(base).send(request, body: nil)
            counts.append(base.requests.count)
        }
        return counts
    }

    @Test func `Only safe retries are made`() async {
        let own = #"[{"errorCode":"SERVER_UNAVAILABLE","message":"m"}]"#
        for status in [429, 503] {
            #expect(await attempts { _ in HTTPAnswer(status: status, own) } == [4, 4, 4, 4, 4])
            let asked = HTTPAnswer(status: status, "", headers: [.retryAfter: "1"])
            // A creation is sent again only if the API itself reports that it was not carried out.
            #expect(await attempts { _ in asked } == [4, 4, 1, 4, 4])
            for gateways in ["", "<html>", #"{"error":"upstream"}"#, "[]"] {
                #expect(await attempts { _ in HTTPAnswer(status: status, gateways) } == [4, 4, 1, 1, 1])
            }
        }
        #expect(await attempts { _ in throw SoupError.network(.notSent, "refused") } == [4, 4, 4, 4, 4])
        #expect(await attempts { _ in throw SoupError.network(.unknown, "reset") } == [4, 4, 1, 1, 1])
        #expect(await attempts { _ in HTTPAnswer(status: 502, "") } == [4, 4, 1, 1, 1])
        #expect(await attempts { _ in HTTPAnswer(status: 500, "") } == [1, 1, 1, 1, 1])
        #expect(await attempts { _ in HTTPAnswer(status: 400, "") } == [1, 1, 1, 1, 1])
    }

    @Test func `Each pause is twice as long as the one before`() async throws {
        let clock = ManualClock.advancing()
        let base = ScriptedTransport { _ in HTTPAnswer(status: 503, "") }
        let policy = RetryPolicy(maximumAttempts: 6, firstPause: .seconds(1), longestPause: .seconds(5))
        _ = try await session(base, clock: clock, retry: policy).send(get("/a"), body: nil)
        #expect(clock.sleeps == [1, 2, 4, 5, 5].map { .seconds($0) })
    }

    @Test func `The pause of Retry-After is used`() async throws {
        let clock = ManualClock.advancing(from: Date(timeIntervalSince1970: 1_705_320_000))
        let date = DateText.formatHTTPDate(1_705_320_000_000 + 7000 + 9000)
        let base = ScriptedTransport([
            .answer(status: 429, "", headers: [.retryAfter: "7"]),
            .answer(status: 503, "", headers: [.retryAfter: date]),
            .answer("{}"),
        ])
        #expect(try await session(base, clock: clock).send(get("/a"), body: nil).status == 200)
        #expect(clock.sleeps == [.seconds(7), .seconds(9)])
    }

    @Test func `A Retry-After beyond the longest pause is returned`() async throws {
        let clock = ManualClock.advancing()
        let base = ScriptedTransport([.answer(status: 503, "", headers: [.retryAfter: "3600"])])
        #expect(try await session(base, clock: clock).send(get("/a"), body: nil).status == 503)
        #expect(clock.sleeps == [])
    }

    @Test func `Cancelling the pause of a read throws`() async throws {
        let clock = ManualClock()
        let base = ScriptedTransport { _ in HTTPAnswer(status: 503, "") }
        let session = session(base, clock: clock)
        let task = Task { try await session.send(get("/a"), body: nil) }
        await clock.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `Cancelling the pause of a write returns the response`() async throws {
        let clock = ManualClock()
        let own = #"[{"errorCode":"SERVER_UNAVAILABLE","message":"m"}]"#
        let base = ScriptedTransport { _ in HTTPAnswer(status: 503, own, headers: [.retryAfter: "1"]) }
        let session = session(base, clock: clock)
        let task = Task { try await session.send(post("/a"), body: nil).status }
        await clock.waitForSleepers()
        task.cancel()
        #expect(try await task.value == 503)
        #expect(base.requests.count == 1)
    }
}

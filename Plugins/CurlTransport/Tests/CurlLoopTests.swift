// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import SoupTesting
import Synchronization
import Testing

@testable import CurlTransport

/// Failures of libcurl itself, instead of a single transfer.
@Suite(.timeLimit(.minutes(1))) struct CurlLoopTests {
    /// A number of failures to simulate in place of libcurl.
    private final class Failures: Sendable {
        private let left: Mutex<Int>

        init(_ count: Int) { left = Mutex(count) }

        func take() -> Bool {
            left.withLock { left in
                defer { left -= 1 }
                return left > 0
            }
        }
    }

    private func makeTransport(failing count: Int) -> LibcurlTransport {
        var configuration = LibcurlTransport.Configuration()
        configuration.proxy = ""
        let failures = Failures(count)
        return LibcurlTransport(configuration) { multi in
            failures.take() ? "out of order" : CurlLoop.perform(multi)
        }
    }

    /// If the exchange did not end, it would wait, and the thread would call libcurl endlessly.
    @Test func `A failure ends the exchanges, and the next one works`() async throws {
        let server = try RawServer { _ in RawReply(body: "fine") }
        defer { server.stop() }
        let transport = makeTransport(failing: 1)
        let request = HTTPRequest(method: .post, scheme: "http", authority: server.authority, path: "/")
        let error = await #expect(throws: SoupError.self) { try await transport.send(request, body: [1]) }
        #expect(error?.code == .network)
        #expect(error?.delivery == .unknown)
        #expect(error?.message.contains("libcurl cannot continue: out of order") == true)
        #expect(try await transport.send(request, body: [1]).body == Array("fine".utf8))
    }

    @Test func `A permanent failure of libcurl ends every exchange`() async throws {
        let transport = makeTransport(failing: .max)
        let request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:1", path: "/")
        for _ in 0..<3 {
            let error = await #expect(throws: SoupError.self) { try await transport.send(request, body: nil) }
            #expect(error?.code == .network)
        }
    }
}

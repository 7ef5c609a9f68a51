// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import SoupTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct HTTPTransportSuiteTests {
    typealias Rule = HTTPTransportSuite.Rule

    /// Returns the same response to every request, without a network.
    private struct ConstantTransport: HTTPTransport {
        func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer { HTTPAnswer(status: 299, "?") }
    }

    /// Fails every request with the same error.
    private struct FailingTransport: HTTPTransport {
        func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
            throw SoupError.network(.notSent, "no network")
        }
    }

    /// Buffers all received bytes in memory, and does not close connections.
    private struct UnboundedTransport: HTTPTransport {
        func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
            var bytes: [UInt8] = []
            for try await piece in try await stream(request, body: body).body { bytes += piece }
            try Task.checkCancellation()
            return HTTPAnswer(HTTPResponse(status: .ok), body: bytes)
        }

        func stream(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswerStream {
            try Task.checkCancellation()
            let port = try #require(request.authority?.split(separator: ":").last.flatMap { Int($0) })
            let text = "\(request.method.rawValue) \(request.path ?? "/") HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
            let pieces = RawConnection.pieces(Array(text.utf8), to: port)
            return HTTPAnswerStream(
                HTTPResponse(status: .ok),
                body: HTTPAnswerBody {
                    for try await piece in pieces { return piece }
                    return nil
                })
        }
    }

    @Test(arguments: Rule.allCases) func `A transport without a network violates each rule`(rule: Rule) async {
        let constant = await HTTPTransportSuite { _ in ConstantTransport() }.violations(of: rule)
        let failing = await HTTPTransportSuite { _ in FailingTransport() }.violations(of: rule)
        #expect(!constant.isEmpty)
        // `notSent` is the correct error if no server can be reached.
        #expect(failing.isEmpty == (rule == .refusals))
    }

    @Test func `A violation states the fact and the requirement`() async {
        let violations = await HTTPTransportSuite { _ in ConstantTransport() }.violations(of: .trailers)
        #expect(
            violations.first
                == "the trailers X-A and X-Checksum followed the body, and send returned status 299 with 1 bytes (\"?\"), "
                + "X-A: none: ignore trailers")
    }

    @Test func `A stream with an unbounded buffer is rejected`() async {
        let violations = await HTTPTransportSuite { _ in UnboundedTransport() }.violations(of: .backPressure)
        #expect(violations.count == 1)
        let violation = violations.first ?? ""
        #expect(violation.hasPrefix("one piece of a stream was read, and the transport took "))
        #expect(
            violation.hasSuffix(
                " bytes from the server: stop reading from the connection until the caller has read the received bytes")
        )
    }

    @Test func `A connection that stays open is rejected`() async {
        var suite = HTTPTransportSuite { _ in UnboundedTransport() }
        suite.closingTimeout = 100
        let violation = "the connection of a cancelled request stayed open: close it when the task is cancelled"
        #expect(await suite.violations(of: .cancellation) == [violation, violation, violation])
    }

    @Test func `Exempt rules are not checked`() async {
        let exemptions = Dictionary(
            uniqueKeysWithValues: Rule.allCases.filter { $0 != .answers }.map { ($0, "a test") })
        let suite = HTTPTransportSuite(exempting: exemptions) { _ in ConstantTransport() }
        #expect(await suite.violations() == suite.violations(of: .answers))
        await #expect(throws: ConformanceError.self) { try await suite.check() }
    }
}

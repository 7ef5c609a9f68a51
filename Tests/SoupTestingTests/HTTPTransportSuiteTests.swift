// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import SoupTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct HTTPTransportSuiteTests {
    typealias Rule = HTTPTransportSuite.Rule

    /// Returns the same answer to everything, without a network.
    private struct ConstantTransport: HTTPTransport {
        func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer { HTTPAnswer(status: 299, "?") }
    }

    /// Fails every request with the same error.
    private struct FailingTransport: HTTPTransport {
        func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
            throw SoupError.network(.notSent, "no network")
        }
    }

    @Test(arguments: Rule.allCases) func aTransportWithoutANetworkBreaksTheRule(rule: Rule) async {
        let constant = await HTTPTransportSuite { _ in ConstantTransport() }.violations(of: rule)
        let failing = await HTTPTransportSuite { _ in FailingTransport() }.violations(of: rule)
        #expect(!constant.isEmpty)
        // An error without a delivery is right where no server can be reached.
        #expect(failing.isEmpty == (rule == .refusals))
    }

    @Test func aViolationSaysWhatHappenedAndWhatToDo() async {
        let violations = await HTTPTransportSuite { _ in ConstantTransport() }.violations(of: .trailers)
        #expect(
            violations.first
                == "the trailers X-A and X-Checksum followed the body, and send returned status 299 with 1 bytes (\"?\"), "
                + "X-A: none: ignore trailers")
    }

    @Test func exemptRulesAreNotChecked() async {
        let exemptions = Dictionary(
            uniqueKeysWithValues: Rule.allCases.filter { $0 != .answers }.map { ($0, "a test") })
        let suite = HTTPTransportSuite(exempting: exemptions) { _ in ConstantTransport() }
        #expect(await suite.violations() == suite.violations(of: .answers))
        await #expect(throws: ConformanceError.self) { try await suite.check() }
    }
}

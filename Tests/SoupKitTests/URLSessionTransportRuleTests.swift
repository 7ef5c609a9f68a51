// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupKit
import SoupTesting
import Testing

@Suite(.timeLimit(.minutes(15))) struct URLSessionTransportRuleTests {
    private typealias Rule = HTTPTransportSuite.Rule

    /// The rules that FoundationNetworking on Linux cannot keep; Apple's URLSession keeps them.
    #if canImport(FoundationNetworking)
        private static let exemptions: [Rule: String] = [
            .trailers: "FoundationNetworking ends the process on a trailer"
        ]
    #else
        private static let exemptions: [Rule: String] = [:]
    #endif

    private let suite = HTTPTransportSuite(exempting: Self.exemptions) { try URLSessionTransport(configuration: $0) }

    @Test(arguments: HTTPTransportSuite.Rule.allCases.filter { Self.exemptions[$0] == nil })
    func keepsTheRule(rule: HTTPTransportSuite.Rule) async {
        let violations = await suite.violations(of: rule)
        #expect(violations == [])
    }
}

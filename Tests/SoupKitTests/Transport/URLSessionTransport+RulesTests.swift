// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupKit
import SoupTesting
import Testing

@Suite(.timeLimit(.minutes(15))) struct URLSessionTransportRulesTests {
    private typealias Rule = HTTPTransportSuite.Rule

    /// The rules that the transport cannot follow, most of them because of FoundationNetworking on Linux.
    #if canImport(FoundationNetworking)
        private static let exemptions: [Rule: String] = [
            .fields: "fields are read from a dictionary, and an invalid line ends the exchange",
            .paths: "segments such as .. are removed",
            .trailers: "a trailer ends the process",
            .brokenHeads: "a response without a complete head ends the process",
            .gzipMembers: "only the first member is decompressed",
            .damagedCompression: "a body that ends too early counts as complete",
            .headLimit: "the error does not say that the head is too long",
            .oddRedirects: "such redirects are followed, or lose their body",
            .reuseForWrites: "each request that writes uses its own connection, so that it is sent only once",
            .totalTimeout: "a whole exchange has no time limit",
            .backPressure: "bodies are collected in memory",
        ]
    #else
        private static let exemptions: [Rule: String] = [
            .reuseForWrites: "each request that writes uses its own connection, so that it is sent only once",
            .backPressure: "bodies are collected in memory",
        ]
    #endif

    private let suite = HTTPTransportSuite(exempting: Self.exemptions) { try URLSessionTransport(configuration: $0) }

    @Test(arguments: HTTPTransportSuite.Rule.allCases.filter { URLSessionTransportRulesTests.exemptions[$0] == nil })
    func `The transport follows the rule`(rule: HTTPTransportSuite.Rule) async {
        let violations = await suite.violations(of: rule)
        #expect(violations == [])
    }
}

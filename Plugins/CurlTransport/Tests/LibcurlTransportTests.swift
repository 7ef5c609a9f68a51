// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import CurlTransport
import Foundation
import SoupCore
import SoupTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct LibcurlTransportTests {
    private let suite = HTTPTransportSuite { limits in
        var configuration = LibcurlTransport.Configuration()
        configuration.limits = limits
        // The requests must reach the test's server, regardless of the variables of the environment.
        configuration.proxy = ""
        return try LibcurlTransport(configuration: configuration)
    }

    @Test(arguments: HTTPTransportSuite.Rule.allCases) func `The transport passes each rule of the suite`(
        rule: HTTPTransportSuite.Rule
    ) async {
        let violations = await suite.violations(of: rule)
        #expect(violations == [])
    }

    private func make(_ json: JSONValue) -> (transport: LibcurlTransport?, problems: [String]) {
        var registry = PluginRegistry()
        var problems: [ConfigurationProblem] = []
        do { try CurlTransportModule().register(in: &registry) } catch { Issue.record(error) }
        let transport = registry.transport(TransportReference(json), at: [.key("transport")], problems: &problems)
        return (transport as? LibcurlTransport, problems.map { "\($0)" })
    }

    @Test func `The transport is created by name or from an object`() {
        for json in ["curl", ["type": "curl", "idleTimeout": 5, "maximumAnswerBytes": 1000, "proxy": ""]] as [JSONValue]
        {
            let result = make(json)
            #expect(result.transport != nil)
            #expect(result.problems == [])
        }
    }

    @Test func `The sample is accepted`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../sample.json")
        let json = try JSONValue(parsing: Array(Data(contentsOf: file)))
        let result = make(json["transport"] ?? .null)
        #expect(result.transport != nil)
        #expect(result.problems == [])
    }

    @Test(
        arguments: [
            (
                ["type": "crul"],
                "transport.type: no transport \"crul\" is registered. Known: curl. Did you mean \"curl\"?"
            ),
            ("urlsesion", "transport: no transport \"urlsesion\" is registered. Known: curl."),
            (
                ["type": "curl", "idleTimeout": 0],
                "transport.idleTimeout: a timeout must be longer than 0 seconds. Write a number of seconds, such as 60."
            ),
            (
                ["type": "curl", "maximumDecompressedBytes": -1],
                "transport.maximumDecompressedBytes: a size cannot be negative. "
                    + "Write a number of bytes, such as 268435456."
            ),
            (7, "transport: the transport has no name. Write a name, or an object with a \"type\". Known: curl."),
        ] as [(JSONValue, String)])
    func `An invalid choice is an error with its place`(json: JSONValue, problem: String) {
        let result = make(json)
        #expect(result.transport == nil)
        #expect(result.problems == [problem])
    }
}

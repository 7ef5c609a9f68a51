// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import SoupKit
import Testing

@Suite struct OrgTransportTests {
    /// What the folder says about an `org.json` with this choice.
    private func read(_ transport: String) throws -> (reference: TransportReference?, problems: [String]) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "soupkit-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let text = """
            {
              "instanceUrl": "https://a.example",
              "accessToken": "x",
              "transport": \(transport)
            }
            """
        try Data(text.utf8).write(to: folder.appending(path: "org.json"))
        let configuration = ConfigurationFolder(reading: folder.path, environment: [:])
        return (configuration.transport, configuration.orgProblems.map { "\($0)" })
    }

    @Test(arguments: [#""urlsession""#, #"{"type": "urlsession", "idleTimeout": 5, "maximumDecompressedBytes": 1000}"#])
    func aKnownTransportIsTaken(json: String) throws {
        let (reference, problems) = try read(json)
        #expect(reference?.name == "urlsession")
        #expect(problems == [])
    }

    @Test func withoutAChoiceThereIsNone() throws {
        let (reference, problems) = try read("null")
        #expect(reference == nil)
        #expect(problems == [])
    }

    @Test(arguments: [
        (#""urlsesion""#, "4:16: transport: no transport \"urlsesion\" is registered. Known: "),
        (#"{"type": "crul"}"#, "4:25: transport.type: no transport \"crul\" is registered. Known: "),
        ("[]", "4:16: transport: the transport has no name. Write a name, or an object with a \"type\". Known: "),
        (
            #"{"type": "urlsession", "totalTimeout": -1}"#,
            "4:55: transport.totalTimeout: a timeout must be longer than 0 seconds. "
        ),
        (
            #"{"type": "urlsession", "idleTimeout": "soon"}"#,
            "4:54: transport.idleTimeout: "
        ),
    ])
    func aBadChoiceIsAnErrorWithFileAndPlace(json: String, problem: String) throws {
        let (reference, problems) = try read(json)
        #expect(reference == nil)
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("org.json:" + problem) == true, "\(problems)")
    }
}

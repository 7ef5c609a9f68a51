// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import SoupKit
import SoupTesting
import Testing

@Suite struct OrgTransportTests {
    /// Returns the transport and the problems of a folder whose `org.json` has this choice.
    private func read(
        _ transport: String, with files: [String: String] = [:]
    ) throws -> (reference: TransportReference?, problems: [String]) {
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
        for (name, text) in files.merging(["org.json": text], uniquingKeysWith: { $1 }) {
            try Data(text.utf8).write(to: folder.appending(path: name))
        }
        let configuration = ConfigurationFolder(reading: folder, environment: [:])
        return (configuration.transport, configuration.orgProblems.map { "\($0)" })
    }

    /// On Linux with a warning, because Foundation's URLSession does not follow all rules there.
    @Test(arguments: [
        (#""urlsession""#, "4:16: transport"),
        (#"{"type": "urlsession", "idleTimeout": 5, "maximumDecompressedBytes": 1000}"#, "4:25: transport.type"),
    ])
    func `A registered transport is accepted`(json: String, place: String) throws {
        let (reference, problems) = try read(json)
        #expect(reference?.name == "urlsession")
        #if os(Linux)
            #expect(problems.count == 1)
            let warning = "org.json:\(place): warning: on Linux \"urlsession\" does not follow all rules"
            #expect(problems.first?.hasPrefix(warning) == true, "\(problems)")
            #expect(problems.first?.contains("\"curl\"") == true)
        #else
            #expect(problems == [])
        #endif
    }

    #if os(Linux)
        @Test func `A certificate file is relative to the configuration folder`() async throws {
            let json = #"{"type": "curl", "certificateFile": "org.pem"}"#
            let missing = try read(json)
            #expect(missing.reference == nil && missing.problems.count == 1)
            let problem = missing.problems.first ?? ""
            #expect(problem.hasPrefix("org.json:4:52: transport.certificateFile: "), "\(problem)")
            #expect(problem.contains("/org.pem\" is not a readable file"), "\(problem)")
            #expect(try read(json, with: ["org.pem": "x"]).problems == [])

            let folder = try TemporaryFolder([
                "userstore.json": #"{"soups": [{"soupName": "s", "indexes": [{"path": "Id", "type": "string"}]}]}"#,
                "org.json": #"{"instanceUrl": "https://a.example", "accessToken": "x", "transport": \#(json)}"#,
                "org.pem": "x",
            ])
            let kit = try await SoupClient.open(at: folder.url, options: .init(environment: [:]))
            try await kit.close()
        }
    #endif

    @Test func `Without a choice no transport is set`() throws {
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
    func `An invalid choice is reported with its place`(json: String, problem: String) throws {
        let (reference, problems) = try read(json)
        #expect(reference == nil)
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("org.json:" + problem) == true, "\(problems)")
    }
}

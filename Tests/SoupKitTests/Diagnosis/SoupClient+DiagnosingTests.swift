// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import SoupCore
import SoupKit
import SoupTesting
import Synchronization
import Testing

/// A target that reads no server.
private struct FileTarget: SyncDownTarget {
    struct Configuration: Decodable, Sendable {}
    static let name: PluginName = "file"
    init(configuration: Configuration) {}

    func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage {
        RecordPage(RecordBatch([try JSONText(["Id": "1"])]))
    }
}

@Suite struct SoupClientDiagnosingTests {
    private func folder(target: String, store: String = "") throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let syncs = #"""
            {"syncs": [{"syncName": "down", "syncType": "syncDown", "soupName": "items", "target": TARGET,
              "options": {"mergeMode": "OVERWRITE"}}]}
            """#
        let soups = #"""
            {"soups": [{"soupName": "items", "indexes": [{"path": "Id", "type": "string"},
              {"path": "__local__", "type": "string"}]}]STORE}
            """#
        for (name, text) in [
            ("usersyncs.json", syncs.replacing("TARGET", with: target)),
            ("userstore.json", soups.replacing("STORE", with: store)),
        ] {
            try Data(text.utf8).write(to: folder.url.appending(path: name))
        }
        return folder
    }

    private func lines(_ diagnosis: Diagnosis) -> [String] {
        diagnosis.findings.map { "\($0.status) \($0.subject): \($0.message)" }
    }

    #if Encryption
        @Test(arguments: [("file", false), ("environment", true), ("passphrase", true)])
        func `A key that must exist is looked for`(_ key: String, isMissing: Bool) async throws {
            let folder = try folder(
                target: #"{"type": "file"}"#,
                store: #", "backend": {"type": "sqlite", "encryption": {"key": {"type": "KEY"VARIABLE}}}"#
                    .replacing("KEY", with: key)
                    .replacing("VARIABLE", with: key == "file" ? "" : #", "variable": "SOUPKIT_NO_SUCH_VARIABLE""#))
            var registry = PluginRegistry.standard
            try registry.register(down: FileTarget.self)
            let diagnosis = try await SoupClient.diagnose(
                at: folder.url, options: .init(registry: registry, environment: [:]))
            let failures = diagnosis.findings.filter { $0.status == .failure && $0.subject == .store }
            #expect(failures.map { $0.message.contains("is not set") } == (isMissing ? [true] : []))
            #expect(try folder.files == ["userstore.json", "usersyncs.json"])
        }
    #endif

    @Test func `A target that needs no server is examined without one`() async throws {
        let folder = try folder(target: #"{"type": "file"}"#, store: #", "backend": {"type": "memory"}"#)
        var registry = PluginRegistry.standard
        try registry.register(down: FileTarget.self)
        let reported = Mutex<[Diagnosis.Finding]>([])
        let diagnosis = try await SoupClient.diagnose(
            at: folder.url, options: .init(registry: registry, environment: [:])
        ) { finding in reported.withLock { $0.append(finding) } }
        #expect(
            lines(diagnosis) == [
                "ok configuration: read userstore.json, usersyncs.json",
                "ok store: the records are kept in memory, until the process ends",
                "ok sync down: the server returned 1 record",
            ])
        #expect(reported.withLock { $0 } == diagnosis.findings)
    }

    /// The run would end with the same error.
    @Test(arguments: [(1, "announced 1 record"), (100, "announced 100 record")])
    func `A page that contradicts its total is a failure`(total: Int, text: String) async throws {
        let folder = try folder(target: #"{"type": "soql", "query": "SELECT Id FROM Contact"}"#)
        let server = ScriptedTransport { request in
            let records = (1...3).map { #"{"attributes": {"type": "Contact"}, "Id": "00300000000000\#($0)AAA"}"# }
            let page = #"{"totalSize": \#(total), "done": true, "records": [\#(records.joined(separator: ","))]}"#
            return HTTPAnswer(
                HTTPResponse(status: .ok), body: Array((request.pathAndQuery.contains("query?q=") ? page : "{}").utf8))
        }
        let diagnosis = try await SoupClient.diagnose(
            at: folder.url, options: .init(transport: server, environment: [:]))
        let found = try #require(lines(diagnosis).last)
        #expect(found.hasPrefix("failure sync down: ") && found.contains(text), "\(lines(diagnosis))")
    }
}

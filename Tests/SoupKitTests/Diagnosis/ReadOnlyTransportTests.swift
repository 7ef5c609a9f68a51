// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import SoupCore
import SoupTesting
import Testing

@testable import SoupKit

/// A target whose first request creates an export on the server.
private struct ExportTarget: SyncDownTarget {
    struct Configuration: Decodable, Sendable {}
    static let name: PluginName = "export"
    init(configuration: Configuration) {}

    func page(after cursor: PageCursor?, in context: SyncContext) async throws -> RecordPage {
        let answer = try await context.send(.post, "/exports", json: .object([]))
        return try RecordPage(answer, recordsAt: "items", nextAt: "next")
    }
}

@Suite struct ReadOnlyTransportTests {
    @Test(arguments: [
        ("GET", "/a", true), ("HEAD", "/a", true), ("POST", "/a", false), ("PATCH", "/a", false),
        ("DELETE", "/a", false), ("POST", "/services/data/v66.0/composite/sobjects/Contact?x=1", true),
        ("POST", "/services/data/v66.0/jobs/query", false),
    ])
    func `Only requests that read are sent`(method: String, path: String, isSent: Bool) async throws {
        let server = ScriptedTransport { _ in HTTPAnswer(HTTPResponse(status: .ok)) }
        let transport = ReadOnlyTransport(over: server)
        let request = HTTPRequest(
            method: try #require(HTTPRequest.Method(rawValue: method)), scheme: nil, authority: nil, path: path)
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await transport.send(request, body: nil) },
            { _ = try await transport.send(request, body: nil, showing: { _ in }) },
            { _ = try await transport.stream(request, body: nil) },
        ]
        for call in calls {
            do {
                try await call()
                #expect(isSent)
            } catch let error as SoupError {
                #expect(!isSent && error.code == ReadOnlyTransport.refusal, "\(error)")
            }
        }
        #expect(server.requests.count == (isSent ? calls.count : 0))
    }

    @Test func `A sync that would change the server is not run`() async throws {
        let folder = try TemporaryFolder()
        let syncs = #"""
            {"syncs": [{"syncName": "down", "syncType": "syncDown", "soupName": "items", "target": {"type": "export"},
              "options": {"mergeMode": "OVERWRITE"}}]}
            """#
        let store = #"{"soups": [{"soupName": "items", "indexes": [{"path": "Id", "type": "string"}]}]}"#
        try Data(syncs.utf8).write(to: folder.url.appending(path: "usersyncs.json"))
        try Data(store.utf8).write(to: folder.url.appending(path: "userstore.json"))
        let server = ScriptedTransport { request in
            HTTPAnswer(
                HTTPResponse(status: request.pathAndQuery.hasSuffix("/") ? .ok : .internalServerError),
                body: [123, 125])
        }
        var registry = PluginRegistry.standard
        try registry.register(down: ExportTarget.self)
        let diagnosis = try await SoupClient.diagnose(
            at: folder.url, options: .init(registry: registry, transport: server, environment: [:]))
        let found = try #require(diagnosis.findings.first { $0.subject == .sync("down") })
        #expect(found.status == .warning)
        #expect(found.message == "not fetched: the sync sends POST /exports, which can change the server")
        #expect(server.requests.map(\.method) == [.get], "\(server.requests)")
        #expect(diagnosis.count(of: .failure) == 0, "\(diagnosis.findings)")
    }
}

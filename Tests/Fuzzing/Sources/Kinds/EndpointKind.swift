// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import SoupBridge
internal import SoupBridgeServer
internal import SoupCore
internal import SoupMemory
internal import SoupStore

/// The HTTP form of the bridge: the method and the path in the first line, header fields, an empty line, and the body.
///
/// Without the secret, no request reaches a service or reads events, and every refusal is an object with a message.
struct EndpointKind: FuzzKind {
    let name = "endpoint"
    let words = [
        "POST /bridge/exec", "GET /bridge/events?session=", "OPTIONS /bridge/exec", "GET /", "GET /index.html",
        "%2e%2e/", "../",
        "\nAuthorization: Bearer secret", "\nHost: localhost:80", "\nHost: [::1]", "\nOrigin: http://localhost:3000",
        "\nOrigin: null", "\nX-Bridge-Session: a", "\n\n", #"{"service":"com.salesforce.smartstore","action":"#,
        #""pgGetAllStores","args":[]}"#, "Bearer ", "\0", "?session=%zz", "&session=b",
    ]

    private let bridge: JavaScriptBridge
    private let endpoint: BridgeEndpoint

    init() async throws {
        let store = SmartStore(try await MemoryStore.open(.init(), in: StoreContext(folder: .temporaryDirectory)))
        bridge = JavaScriptBridge(OpenStores([BridgeStoreName(): BridgeStore(store: store, syncs: nil)]))
        endpoint = BridgeEndpoint(
            bridge, secret: "secret", origins: ["http://localhost:3000"],
            pages: PageFiles(["index.html": Array("page".utf8)]))
    }

    func check(_ input: [UInt8]) async throws -> String {
        let text = String(decoding: input, as: UTF8.self)
        let parts = text.split(separator: "\n\n", maxSplits: 1, omittingEmptySubsequences: false)
        var lines = (parts.first ?? "").split(separator: "\n", omittingEmptySubsequences: false)
        let first = lines.isEmpty ? [] : lines.removeFirst().split(separator: " ", maxSplits: 1)
        guard first.count == 2, let method = HTTPRequest.Method(String(first[0])) else { return "no request" }
        var head = HTTPRequest(method: method, scheme: "http", authority: nil, path: String(first[1]))
        for line in lines {
            let field = line.split(separator: ":", maxSplits: 1)
            guard field.count == 2, let name = HTTPField.Name(String(field[0])) else { continue }
            head.headerFields[name] = String(field[1]).trimmingCharacters(in: .whitespaces)
        }
        let body = parts.count > 1 ? Array(parts[1].utf8) : []
        defer { bridge.close() }
        let isAuthorized = head.headerFields[.authorization] == "Bearer secret"
        switch await endpoint.response(to: head, body: { body }) {
        case .preflight:
            try require(
                head.headerFields[.origin] == "http://localhost:3000" || isOwnPage(head), "a preflight is answered")
            return "preflight"
        case .page(let file):
            try require(file.bytes == Array("page".utf8), "another file is served")
            return "page"
        case .reply(let reply):
            try require(isAuthorized, "a call without the secret is performed")
            try require((try? JSONText(reply.answer.json.bytes)) != nil, "the answer is not JSON")
            return "reply"
        case .events:
            try require(isAuthorized, "events are sent without the secret")
            return "events"
        case .failure(let error):
            try require(error.body.value["error"]?.stringValue?.isEmpty == false, "a refusal has no message")
            return outline("refused \(error.status.code)", error.message)
        }
    }

    /// Whether the origin is that of the server itself.
    private func isOwnPage(_ head: HTTPRequest) -> Bool {
        guard let origin = head.headerFields[.origin],
            let host = HTTPField.Name("Host").flatMap({ head.headerFields[$0] })
        else { return false }
        return origin == "http://\(host)"
    }
}

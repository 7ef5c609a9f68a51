// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupBridge
import SoupCore
import Testing

@testable import SoupBridgeServer

@Suite struct BridgeEndpointTests {
    private let endpoint = BridgeEndpoint(
        JavaScriptBridge(OpenStores([:]), limits: .init(sessions: 1)), secret: "s", origins: ["http://localhost:3000"])

    private func request(
        _ method: HTTPRequest.Method, _ path: String, session: String? = "a", secret: String = "s",
        origin: String? = nil
    ) -> HTTPRequest {
        var request = HTTPRequest(method: method, scheme: "http", authority: "localhost:1", path: path)
        request.headerFields[.authorization] = "Bearer \(secret)"
        request.headerFields[.origin] = origin
        if let name = HTTPField.Name("X-Bridge-Session") { request.headerFields[name] = session }
        return request
    }

    private func status(_ request: HTTPRequest) -> HTTPResponse.Status? {
        do {
            _ = try endpoint.route(request)
            return nil
        } catch {
            return error.status
        }
    }

    @Test func `Requests are checked before they reach the bridge`() {
        #expect(status(request(.post, "/bridge/exec")) == nil)
        #expect(status(request(.get, "/bridge/events?session=a", session: nil)) == nil)
        #expect(status(request(.post, "/bridge/exec", session: nil)) == .badRequest)
        #expect(status(request(.get, "/bridge/events", session: nil)) == .badRequest)
        #expect(status(request(.get, "/bridge/exec")) == .methodNotAllowed)
        #expect(status(request(.post, "/bridge/events?session=a")) == .methodNotAllowed)
        #expect(status(request(.post, "/bridge/exec", secret: "x")) == .unauthorized)
        #expect(status(request(.get, "/")) == .notFound)
        #expect(status(request(.options, "/bridge/exec", secret: "", origin: "http://localhost:3000")) == nil)
        #expect(status(request(.options, "/bridge/exec", origin: "http://localhost:3001")) == .forbidden)
    }

    @Test func `Calls that reach no service have a status of their own`() async throws {
        func status(_ body: String, session: String = "a") async -> HTTPResponse.Status? {
            do {
                _ = try await endpoint.exec(Array(body.utf8), in: session)
                return nil
            } catch {
                return error.status
            }
        }
        let call = #"{"service":"com.salesforce.sdkinfo","action":"getInfo","args":[]}"#
        #expect(await status("{") == .badRequest)
        #expect(await status(call, session: "a b") == .badRequest)
        let events = try endpoint.events(of: "a")
        #expect(await status(call) == nil)
        #expect(await status(call, session: "b") == .serviceUnavailable)
        withExtendedLifetime(events) {}
    }

    @Test func `An event is one line of data`() throws {
        let event = try JSONText("{\"a\":\n\"b\"}")
        #expect(
            String(decoding: BridgeEndpoint.text(of: event), as: UTF8.self) == "event: sync\ndata: {\"a\":\"b\"}\n\n")
    }

    @Test func `Secrets are long and different, and origins have no path`() {
        #expect(BridgeEndpoint.newSecret().utf8.count == 64)
        #expect(BridgeEndpoint.newSecret() != BridgeEndpoint.newSecret())
        #expect(["http://localhost:3000", "https://example.org"].allSatisfy { BridgeEndpoint.isOrigin($0) })
        #expect(["http://localhost:80", "https://a:443", "http://A"].allSatisfy { !BridgeEndpoint.isOrigin($0) })
        #expect(["", "localhost", "http://a/", "http://a/b", "*", "null"].allSatisfy { !BridgeEndpoint.isOrigin($0) })
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupCore
import SoupTesting
import Testing

@testable import RESTTargets

@Suite struct CursorLocationTests {
    /// Returns the requests for all pages of a service that responds with the given values of a header.
    private func requests(_ keys: String, _ values: [String?]) async throws -> [String] {
        let paging = #""paging": {"type": "cursor", "next": {"header": "X-Next-Page"}}"#
        let target = try HTTPSyncDownTarget(configuration: JSONText(#"{"path": "/x", \#(paging)\#(keys)}"#).decode())
        let transport = ScriptedTransport { request in
            let number = request.pathAndQuery.split(separator: "=").last.flatMap { Int($0) } ?? 1
            let value = values[number - 1]
            return HTTPAnswer(status: 200, "[]", headers: value.map { [.ownNextPage: $0] } ?? [:])
        }
        let context = SyncContext(transport: transport, clock: ManualClock.advancing(), soup: "x")
        var cursor: PageCursor?
        repeat { cursor = try await target.page(after: cursor, in: context).next } while cursor != nil
        return transport.dump
    }

    @Test(arguments: [nil, ""]) func `A header may contain a number`(end: String?) async throws {
        let requests = try await requests(#", "parameters": {"page": "{cursor}"}"#, ["2", "3", end])
        #expect(requests == ["GET /x", "GET /x?page=2", "GET /x?page=3"])
    }

    @Test func `A header may contain a URL`() async throws {
        #expect(try await requests("", ["https://a.example/x?p=2", nil]) == ["GET /x", "GET /x?p=2"])
    }

    @Test func `A header that is no URL is reported`() async throws {
        let error = try await #require(throws: SoupError.self) { try await requests("", ["x y", nil]) }
        #expect(error.code == .server)
    }

    @Test func `A body with the value is not read`() throws {
        let location = try JSONText(#"{"header": "next"}"#).decode(CursorLocation.self)
        #expect(location == .header("next") && location.path == nil)
        #expect(location.value(in: HTTPResponse(status: .ok)) == nil)
        #expect(try JSONText(#""next""#).decode(CursorLocation.self) == .body("next"))
    }
}

extension HTTPField.Name {
    /// The name of the header; the fallback is never used, because the name is valid.
    fileprivate static let ownNextPage = HTTPField.Name("X-Next-Page") ?? .accept
}

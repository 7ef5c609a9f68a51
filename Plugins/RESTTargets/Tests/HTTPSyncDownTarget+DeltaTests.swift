// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RESTTargets
import SoupCore
import SoupTesting
import Testing

@Suite struct HTTPSyncDownTargetDeltaTests {
    private func page(
        _ keys: String, _ body: String, token: String? = nil, status: Int = 200
    ) async throws -> (page: RecordPage, requests: [String]) {
        let target = try HTTPSyncDownTarget(configuration: JSONText(#"{"path": "/x", \#(keys)}"#).decode())
        let transport = ScriptedTransport { _ in HTTPAnswer(status: status, body) }
        var context = SyncContext(transport: transport, clock: ManualClock.advancing(), soup: "x")
        context.syncToken = token
        return (try await target.page(after: nil, in: context), transport.dump)
    }

    @Test func `The last page contains the token of the next run`() async throws {
        let keys = #""records": "r", "delta": {"token": "t"}, "parameters": {"from": "{token}", "n": 2}"#
        let first = try await page(keys, #"{"r": [{"id": 1}], "t": "a b"}"#)
        #expect(first.page.syncToken == "a b")
        #expect(first.requests == ["GET /x?n=2"])
        let next = try await page(keys, #"{"r": [], "t": "c"}"#, token: "a b")
        #expect(next.requests == ["GET /x?from=a b&n=2"])
    }

    @Test func `A token may be a URL`() async throws {
        let keys = #""records": "r", "delta": {"token": "t"}"#
        let first = try await page(keys, #"{"r": [], "t": "https://x.example/x/delta?a=1"}"#)
        #expect(first.page.syncToken == "/x/delta?a=1")
        #expect(try await page(keys, #"{"r": [], "t": "/y"}"#, token: "/x/delta?a=1").requests == ["GET /x/delta?a=1"])
    }

    /// A token that is given up by mistake hides the deletions since then.
    @Test(arguments: [
        (404, "<html></html>", false), (404, "", false), (404, #"{"message": "no route"}"#, false),
        (404, #"{"error": {"code": "TOKEN_EXPIRED"}}"#, true), (410, "", true), (410, "<html></html>", false),
    ])
    func `Only the service itself reports an expired token`(status: Int, body: String, isExpired: Bool) async throws {
        let keys = #""records": "r", "delta": {"token": "t"}, "error": {"code": "error.code"}"#
        let error = try await #require(throws: SoupError.self) {
            try await page(keys, body, token: "/x?token=a", status: status)
        }
        #expect((error.code == .cursorExpired) == isExpired, "\(error)")
    }

    @Test func `An expired token is reported`() async throws {
        let keys = #""records": "r", "delta": {"token": "t", "expired": [410]}, "parameters": {"from": "{token}"}"#
        let expired = try await #require(throws: SoupError.self) { try await page(keys, "{}", token: "a", status: 410) }
        #expect(expired.code == .cursorExpired)
        let other = try await #require(throws: SoupError.self) { try await page(keys, "{}", token: "a", status: 404) }
        #expect(other.code == .server)
        let none = try await #require(throws: SoupError.self) { try await page(keys, "{}", status: 410) }
        #expect(none.code == .server)
        let missing = try await #require(throws: SoupError.self) { try await page(keys, #"{"r": []}"#) }
        #expect(missing.code == .json)
    }

    @Test func `Deleted records are not saved`() async throws {
        let body = #"""
            {"r": [{"id": 1, "gone": false}, {"id": 2, "gone": true}, {"id": 3}], "d": [4, {"id": "5"}]}
            """#
        let page = try await page(#""records": "r", "deleted": "gone", "deletedIds": "d""#, body).page
        #expect(page.levels.map(\.count) == [2])
        #expect(page.deletedIds == [["4", "5", "2"]])
        let byValue = try await self.page(#""records": "r", "deleted": {"path": "gone", "value": false}"#, body).page
        #expect(byValue.deletedIds == [["1"]])
    }

    @Test func `Values at other paths are copied to the entry`() async throws {
        let keys = #""id": {"path": "meta.id", "field": "Id"}, "modified": "meta.changed", "version": "v""#
        let page = try await page(keys, #"[{"meta": {"id": 7, "changed": "2026-01-01T00:00:00Z"}, "v": 1}]"#).page
        let batch = try #require(page.levels.first)
        #expect(batch.stampedMember("Id", of: 0)?.value == .integer(7))
        #expect(batch.stampedMember("changed", of: 0)?.value == .string("2026-01-01T00:00:00Z"))
        #expect(batch.stampedMember("v", of: 0) == nil)
    }

    @Test func `A list with pages is not read as one page`() async throws {
        await #expect(throws: SoupError.self) {
            try await page(#""records": "r""#, #"{"r": [{"id": 1}], "next": "https://x.example/x?page=2"}"#)
        }
        #expect(try await page(#""records": "r""#, #"{"r": [{"id": 1}], "next": null}"#).page.next == nil)
    }

    @Test func `A server that ignores the page is noticed`() async throws {
        let target = try HTTPSyncDownTarget(configuration: JSONText(#"{"path": "/x", "paging": "page"}"#).decode())
        let transport = ScriptedTransport { _ in HTTPAnswer(#"[{"id": 1}]"#) }
        let context = SyncContext(transport: transport, clock: ManualClock(), soup: "x")
        let next = try await target.page(after: nil, in: context).next
        let error = try await #require(throws: SoupError.self) { try await target.page(after: next, in: context) }
        #expect(error.code == .incompleteAnswer)
    }

    @Test func `Requests of a connection begin with its path`() async throws {
        let target = try HTTPSyncDownTarget(
            configuration: JSONText(#"{"path": "/x", "connection": "crm", "survivors": "each", "headers": {"A": "b"}}"#)
                .decode())
        let transport = ScriptedTransport {
            $0.pathAndQuery.hasSuffix("/7") ? HTTPAnswer(#"{"id": 7}"#) : HTTPAnswer("[]")
        }
        let context = SyncContext(transport: transport, basePath: "/api/v2", clock: ManualClock(), soup: "x")
        _ = try await target.page(after: nil, in: context)
        #expect(try await target.survivors(of: ["7"], level: 0, in: context) == ["7"])
        #expect(target.connectionName == "crm")
        #expect(transport.dump == ["GET /api/v2/x", "GET /api/v2/x/7"])
        #expect(transport.requests.allSatisfy { $0.header("A") == "b" && $0.request.authority == nil })
    }

    @Test func `Credentials of the configuration are reported`() throws {
        let target = try HTTPSyncDownTarget(
            configuration: JSONText(
                #"""
                {"path": "/x", "headers": {"X-API-Key": "a", "X-Client": "b", "Authorization": "c"}, "modified": "m",
                "parameters": {"access_token": "d", "keyword": "e", "api_key": "f", "state": "g", "token": "{since}"}}
                """#
            ).decode())
        #expect(
            target.problems(with: SyncOptions()).compactMap { $0.place.path }.sorted() == [
                "headers.Authorization", "headers.X-API-Key", "parameters.access_token", "parameters.api_key",
            ])
    }

    @Test func `The interval between requests is kept`() async throws {
        let target = try HTTPSyncDownTarget(configuration: JSONText(#"{"path": "/x", "minInterval": 0.25}"#).decode())
        let clock = ManualClock.advancing()
        let context = SyncContext(transport: ScriptedTransport { _ in HTTPAnswer("[]") }, clock: clock, soup: "x")
        _ = try await target.page(after: nil, in: context)
        #expect(clock.sleeps == [.milliseconds(250)])
    }
}

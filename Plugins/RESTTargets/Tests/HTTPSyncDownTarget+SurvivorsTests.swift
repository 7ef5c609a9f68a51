// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RESTTargets
import SoupCore
import SoupTesting
import Testing

@Suite struct HTTPSyncDownTargetSurvivorsTests {
    private static let ways = [
        #""each""#, #""list""#, #"{"type": "ids", "parameters": {"ids": "{ids}"}}"#,
    ]

    /// A service with the record 7, behind a gateway that replaces the response to the requests from `first` to `last`.
    private func survivors(
        _ way: String, gateway: HTTPAnswer, first: Int, last: Int
    ) async throws -> (ids: Set<String>?, requests: Int) {
        let target = try HTTPSyncDownTarget(
            configuration: JSONText(#"{"path": "/x", "survivors": \#(way)}"#).decode())
        let counter = RequestCounter()
        let transport = ScriptedTransport { request in
            if (first...last).contains(await counter.next()) { return gateway }
            return switch request.pathWithoutQuery {
            case "/x": HTTPAnswer((request[parameter: "ids"] ?? "7,8").contains("7") ? #"[{"id": 7}]"# : "[]")
            case "/x/7": HTTPAnswer(#"{"id": 7}"#)
            default: HTTPAnswer(status: 404, #"{"detail": "Not found."}"#)
            }
        }
        let context = SyncContext(transport: transport, clock: ManualClock.advancing(), soup: "x")
        let ids = try? await target.survivors(of: ["7", "8"], level: 0, in: context)
        return (ids ?? nil, transport.requests.count)
    }

    @Test(
        arguments: ways,
        [
            HTTPAnswer(status: 404, #"{"message": "no route"}"#), HTTPAnswer(status: 404, ""), HTTPAnswer("[]"),
            HTTPAnswer("{}"), HTTPAnswer(status: 404, "<html></html>"), HTTPAnswer(status: 302, ""),
        ])
    func `Responses of a gateway remove no record`(_ way: String, _ gateway: HTTPAnswer) async throws {
        let (ids, requests) = try await survivors(way, gateway: gateway, first: 0, last: 0)
        #expect(ids == ["7"])
        for first in 1...requests {
            // An empty list that comes twice is that of a service without records.
            for last in [first, 100] where last == first || way == #""each""# || gateway.body != Array("[]".utf8) {
                let (ids, _) = try await survivors(way, gateway: gateway, first: first, last: last)
                // Without a result, nothing is removed.
                #expect(ids?.contains("7") ?? true, "\(first) to \(last): \(ids ?? [])")
            }
        }
    }

    /// Without such a parameter the service may leave out records, which would be taken for deleted ones.
    @Test(arguments: [
        (#""list""#, ["?page=1&state=all"]),
        (#"{"type": "list", "parameters": {"fields": "id"}}"#, ["?fields=id&page=1&state=all"]),
        (#"{"type": "list", "parameters": {"state": "any"}}"#, ["?page=1&state=any"]),
        (#"{"type": "ids", "parameters": {"ids": "{ids}"}}"#, ["?ids=7,8&page=1&state=all"]),
    ])
    func `Lists of survivors have the constant parameters`(way: String, expected: [String]) async throws {
        let keys = #"""
            "modified": "m", "parameters": {"state": "all", "since": "{since}"},
            "paging": {"type": "page", "more": "more"}
            """#
        let target = try HTTPSyncDownTarget(
            configuration: JSONText(#"{"path": "/x", "records": "items", \#(keys), "survivors": \#(way)}"#).decode())
        let transport = ScriptedTransport { _ in HTTPAnswer(#"{"items": [{"id": 7}, {"id": 8}]}"#) }
        let context = SyncContext(transport: transport, clock: ManualClock.advancing(), soup: "x")
        #expect(try await target.survivors(of: ["7", "8"], level: 0, in: context) == ["7", "8"])
        #expect(transport.requests.map { String($0.pathAndQuery.drop { $0 != "?" }) } == expected)
    }

    @Test func `A list without its configured total removes nothing`() async throws {
        let target = try HTTPSyncDownTarget(
            configuration: JSONText(#"{"path": "/x", "records": "items", "total": "n", "survivors": "list"}"#).decode())
        func survivors(_ total: String) async throws -> Set<String>? {
            let transport = ScriptedTransport { _ in HTTPAnswer(#"{"items": [{"id": 7}], "n": \#(total)}"#) }
            let context = SyncContext(transport: transport, clock: ManualClock.advancing(), soup: "x")
            return try await target.survivors(of: ["7", "8"], level: 0, in: context)
        }
        #expect(try await survivors("1") == ["7"])
        for total in [#""1""#, "null", "1.5", "1e30", "-1", "0", "2"] {
            await #expect(throws: SoupError.self, "\(total)") { try await survivors(total) }
        }
    }

    @Test func `An ID with a comma is requested alone`() async throws {
        let target = try HTTPSyncDownTarget(
            configuration: JSONText(
                #"{"path": "/x", "survivors": {"type": "ids", "parameters": {"ids": "{ids}"}}}"#
            ).decode())
        let transport = ScriptedTransport { request in
            request.pathWithoutQuery == "/x" ? HTTPAnswer(#"[{"id": "z"}]"#) : HTTPAnswer(#"{"id": "Smith,John"}"#)
        }
        let context = SyncContext(transport: transport, clock: ManualClock.advancing(), soup: "x")
        #expect(try await target.survivors(of: ["Smith,John", "z"], level: 0, in: context) == ["Smith,John", "z"])
    }

    /// The list contains deleted records, whose paths say nothing about the path of a record.
    @Test func `A path is right if one record of the list exists`() async throws {
        let target = try HTTPSyncDownTarget(
            configuration: JSONText(#"{"path": "/x", "survivors": "each"}"#).decode())
        func survivors(existing: String) async throws -> Set<String>? {
            let transport = ScriptedTransport { request in
                switch request.pathWithoutQuery {
                case "/x": HTTPAnswer(#"[{"id": 4}, {"id": 5}, {"id": 6}]"#)
                case "/x/\(existing)": HTTPAnswer(#"{"id": \#(existing)}"#)
                default: HTTPAnswer(status: 404, "{}")
                }
            }
            let context = SyncContext(transport: transport, clock: ManualClock.advancing(), soup: "x")
            return try await target.survivors(of: ["9"], level: 0, in: context)
        }
        for existing in ["4", "5", "6"] { #expect(try await survivors(existing: existing) == []) }
        await #expect(throws: SoupError.self) { try await survivors(existing: "none") }
    }

    /// A record that no longer matches the list's filter still exists, and is not one of the target.
    @Test(arguments: ways.dropFirst())
    func `A list that lacks a record twice counts`(_ way: String) async throws {
        let target = try HTTPSyncDownTarget(
            configuration: JSONText(#"{"path": "/x", "survivors": \#(way)}"#).decode())
        let transport = ScriptedTransport { request in
            switch (request.pathWithoutQuery, request[parameter: "ids"]) {
            case ("/x", "8,9"?): HTTPAnswer("[]")
            case ("/x", _): HTTPAnswer(#"[{"id": 7}]"#)
            default: HTTPAnswer(#"{"id": 8}"#)
            }
        }
        let context = SyncContext(transport: transport, clock: ManualClock.advancing(), soup: "x")
        #expect(try await target.survivors(of: ["7", "8", "9"], level: 0, in: context) == ["7"])
        #expect(transport.requests.map(\.pathWithoutQuery) == ["/x", "/x"])
    }
}

/// The number of the current request.
private actor RequestCounter {
    private var count = 0

    func next() -> Int {
        count += 1
        return count
    }
}

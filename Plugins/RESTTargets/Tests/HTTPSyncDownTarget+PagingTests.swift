// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RESTTargets
import SoupCore
import SoupTesting
import Synchronization
import Testing

/// Counts requests for a list.
private final class ListCounter: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}

/// Walks over the pages of a list, with the keys of `paging`.
@Suite struct HTTPSyncDownTargetPagingTests {
    /// The IDs of all pages, the queries of their requests, and the code of the error that ended the walk.
    private func walk(
        _ keys: String, answer: @escaping @Sendable (RecordedRequest) -> HTTPAnswer
    ) async throws -> (ids: [String], queries: [String], error: SoupError.Code?) {
        let target = try HTTPSyncDownTarget(
            configuration: JSONText(#"{"path": "/x", "records": "items", \#(keys)}"#).decode())
        let transport = ScriptedTransport { answer($0) }
        let context = SyncContext(transport: transport, clock: ManualClock.advancing(), soup: "x")
        var ids: [String] = []
        var error: SoupError.Code?
        do {
            var cursor: PageCursor?
            repeat {
                let page = try await target.page(after: cursor, in: context)
                ids += page.levels[0].ranges.indices.compactMap { page.levels[0][$0]["id"]?.idText }
                cursor = page.next
            } while cursor != nil && transport.requests.count < 20
        } catch let found as SoupError {
            error = found.code
        }
        return (ids, transport.requests.map { String($0.pathAndQuery.drop { $0 != "?" }) }, error)
    }

    private static func page(_ ids: [Int], _ rest: String) -> HTTPAnswer {
        HTTPAnswer(#"{"items": [\#(ids.map { #"{"id": \#($0), "at": \#($0)}"# }.joined(separator: ", "))], \#(rest)}"#)
    }

    /// Some servers filter the records of a page after they have divided the list.
    @Test(arguments: [
        (#""paging": {"type": "page", "more": "more"}"#, 1), (#""paging": {"type": "page", "pages": "n"}"#, 1),
        (#""paging": {"type": "page", "first": 0, "more": "more"}"#, 0),
        (#""paging": {"type": "page", "first": 0, "pages": "n"}"#, 0),
    ])
    func `An empty page between others does not end the list`(keys: String, first: Int) async throws {
        let pages = [[], [1], [], [], [4], []]
        let found = try await walk(keys) { request in
            let number = (request[parameter: "page"].flatMap { Int($0) } ?? 99) - first
            return Self.page(pages[number], #""more": \#(number < 5), "n": 6"#)
        }
        #expect(found.ids == ["1", "4"] && found.error == nil)
        #expect(found.queries == (0..<6).map { "?page=\($0 + first)" })
    }

    @Test func `Without further keys an empty page ends the list`() async throws {
        let found = try await walk(#""paging": "page""#) { request in
            Self.page(request[parameter: "page"] == "1" ? [1] : [], #""more": true, "n": 9"#)
        }
        #expect(found.ids == ["1"] && found.error == nil && found.queries == ["?page=1", "?page=2"])
    }

    /// The next page would be the same.
    @Test(arguments: [
        #""paging": {"type": "offset", "more": "more"}"#,
        #"""
        "paging": {"type": "keyset", "more": "more"}, "sortedByModified": true, "modified": "at",
        "dateFormat": "epochSeconds", "parameters": {"from": "{since}", "offset": "{lastId}"}
        """#,
    ])
    func `An empty page that announces others is incomplete`(keys: String) async throws {
        let found = try await walk(keys) { request in
            Self.page((request[parameter: "offset"] ?? "0") == "0" ? [1] : [], #""more": true"#)
        }
        #expect(found.ids == ["1"] && found.error == .incompleteAnswer, "\(found)")
    }

    /// Records would be missing without a message.
    @Test(arguments: [
        (#""paging": {"type": "cursor", "next": "nxt"}"#, #""next": "/x?p=2""#),
        (#""paging": "none""#, #""has_more": true"#), (#""paging": "none""#, #""links": {"next": "/x?p=2"}"#),
        (#""paging": {"type": "page", "more": "hasMore"}"#, #""has_more": true"#),
        (#""paging": {"type": "offset", "more": "mre"}"#, #""next": "/x?p=2""#),
    ])
    func `A page that reports another one does not end the list`(keys: String, rest: String) async throws {
        let found = try await walk(keys) { _ in Self.page([1], rest) }
        #expect(found.ids == [] && found.error == .incompleteAnswer, "\(found)")
        let last = rest.replacing(#""/x?p=2""#, with: "null").replacing("true", with: "false")
        let whole = try await walk(keys) { _ in Self.page([1], last) }
        #expect(whole.ids == ["1"] && whole.error == nil, "\(whole)")
    }

    @Test func `A token may be in a member that usually reports a page`() async throws {
        let found = try await walk(#""delta": {"token": "next"}"#) { _ in Self.page([1], #""next": "/x?t=2""#) }
        #expect(found.ids == ["1"] && found.error == nil, "\(found)")
    }

    @Test func `Names of members may contain dots`() async throws {
        let keys = #"""
            "paging": {"type": "cursor", "next": "@odata\\.nextLink"}, "total": "@odata\\.count", "totalIsExact": true
            """#
        let found = try await walk(keys) { request in
            request.pathAndQuery == "/x"
                ? Self.page([1], #""@odata.nextLink": "/x?p=2", "@odata.count": 2"#)
                : Self.page([2], #""@odata.count": 2"#)
        }
        #expect(found.ids == ["1", "2"] && found.error == nil, "\(found)")
        // Without the escape the page reports another one, which the list would lose.
        let lost = try await walk(#""paging": {"type": "cursor", "next": "@odata.nextLink"}"#) { _ in
            Self.page([1], #""@odata.nextLink": "/x?p=2""#)
        }
        #expect(lost.error == .incompleteAnswer)
    }

    @Test func `Keyset paging needs ascending dates`() async throws {
        let keys = #"""
            "paging": "keyset", "sortedByModified": true, "modified": "at", "dateFormat": "epochSeconds",
            "parameters": {"from": "{since}", "after": "{lastId}"}
            """#
        let found = try await walk(keys) { request in
            Self.page(request[parameter: "after"] == nil ? [3, 2] : [], #""more": 1"#)
        }
        #expect(found.error == .incompleteAnswer)
        let sorted = try await walk(keys) { request in
            Self.page(request[parameter: "after"] == nil ? [2, 3] : [], #""more": 1"#)
        }
        #expect(sorted.ids == ["2", "3"] && sorted.error == nil, "\(sorted)")
    }

    /// The pages of a service that shows the records after one, as most payment services do.
    @Test(arguments: [#", "more": "more""#, ""])
    func `A list continues after the ID of its last record`(more: String) async throws {
        let keys = #""paging": {"type": "lastId"\#(more)}, "parameters": {"starting_after": "{lastId}"}"#
        let found = try await walk(keys) { request in
            switch request[parameter: "starting_after"] {
            case nil where request.pathAndQuery == "/x/7": HTTPAnswer(#"{"id": 7}"#)
            case nil: Self.page([9, 3], #""more": true"#)
            case "3": Self.page([7], #""more": false"#)
            default: Self.page([], #""more": false"#)
            }
        }
        #expect(found.ids == ["9", "3", "7"] && found.error == nil, "\(found)")
        let last = more.isEmpty ? ["?starting_after=7", ""] : []
        #expect(found.queries == ["", "?starting_after=3"] + last)
        // A server that ignores the parameter.
        let endless = try await walk(keys) { _ in Self.page([9, 3], #""more": true"#) }
        #expect(endless.error == .incompleteAnswer && endless.queries.count == 2)
        let unknown = try await walk(keys) { request in
            request.pathAndQuery == "/x" ? Self.page([1], #""more": true"#) : HTTPAnswer(status: 404, "{}")
        }
        #expect(unknown.error == .cursorExpired)
    }

    /// A server can respond so to the ID of a record that was deleted in the meantime.
    @Test func `An empty page ends a list only after an existing record`() async throws {
        let keys = #""paging": {"type": "lastId", "more": "more"}, "parameters": {"after": "{lastId}"}"#
        let missing = HTTPAnswer(status: 404, #"{"detail": "no"}"#)
        for (two, one, left, error) in [
            (HTTPAnswer(#"{"id": 2}"#), HTTPAnswer(#"{"id": 1}"#), [1, 2], nil),
            (missing, HTTPAnswer(#"{"id": 1}"#), [1], SoupError.Code.cursorExpired),
            (missing, missing, [], .cursorExpired),
            // The service does not return single records.
            (missing, missing, [1, 2], nil), (HTTPAnswer(status: 405, ""), missing, [1, 2], nil),
            (HTTPAnswer("<html></html>"), missing, [1, 2], nil),
        ] as [(HTTPAnswer, HTTPAnswer, [Int], SoupError.Code?)] {
            let lists = ListCounter()
            let found = try await walk(keys) { request in
                switch request.pathAndQuery {
                // The list is requested again to confirm the path of records.
                case "/x": Self.page(lists.next() == 1 ? [1, 2] : left, #""more": true"#)
                case "/x/2": two
                case "/x/1": one
                default: Self.page([], #""more": false"#)
                }
            }
            #expect(found.ids == ["1", "2"] && found.error == error, "\(left) \(found)")
        }
    }

    /// Many services return only the ID and the mark of a deleted record.
    @Test func `Deleted records need neither date nor version`() async throws {
        let keys = #""modified": "at", "version": "v", "deleted": "gone""#
        let found = try await walk(keys) { _ in HTTPAnswer(#"{"items": [{"id": 1, "gone": true}]}"#) }
        #expect(found.error == nil && found.ids == [], "\(found)")
    }

    /// Without versions, no change would be compared.
    @Test func `A list whose records have no versions is an error`() async throws {
        let found = try await walk(#""version": "v""#) { _ in HTTPAnswer(#"{"items": [{"id": 1}]}"#) }
        #expect(found.error == .json)
        #expect(try await walk(#""version": "id""#) { _ in HTTPAnswer(#"{"items": [{"id": 1}]}"#) }.error == nil)
    }

    /// An overlap of the list has the same purpose.
    @Test(arguments: [
        ("", 600), (#", "since": {"overlap": 5}"#, 0), (#", "lookback": 60"#, 60),
        (#", "since": {"overlap": 5}, "lookback": 60"#, 60),
    ])
    func `A run looks back by ten minutes`(keys: String, seconds: Int) throws {
        let list = #""path": "/x", "modified": "at", "parameters": {"since": "{since}"}"#
        let target = try HTTPSyncDownTarget(configuration: JSONText("{\(list)\(keys)}").decode())
        #expect(target.lookback == .seconds(seconds))
    }

    @Test(arguments: ["-1", "604801", "1e300"]) func `A wrong lookback is an error`(value: String) {
        #expect(throws: (any Error).self) {
            try HTTPSyncDownTarget(configuration: JSONText(#"{"path": "/x", "lookback": \#(value)}"#).decode())
        }
    }

    /// Such a URL leads to other records once the list has changed.
    @Test(arguments: [
        ("/x?page=2", true), ("/x?a=b&offset=20", true), ("/x?page%5Bnumber%5D=3", true), ("/x?$skip=9", true),
        ("/x?cursor=cD0y", false), ("/x?after=20", false), ("/x?page=abc", false), ("/x?page[cursor]=2", false),
    ])
    func `A URL with the number of a page is temporary`(url: String, isTemporary: Bool) async throws {
        let keys = #""path": "/x", "records": "items", "paging": {"type": "cursor", "next": "next"}"#
        let target = try HTTPSyncDownTarget(configuration: JSONText("{\(keys)}").decode())
        let transport = ScriptedTransport { _ in Self.page([1], #""next": "\#(url)""#) }
        let page = try await target.page(
            after: nil, in: SyncContext(transport: transport, clock: ManualClock.advancing(), soup: "x"))
        #expect(page.next?.rawValue == url && page.isNextTemporary == isTemporary)
    }

    /// Without dates, no conflict would be noticed.
    @Test func `A list whose records have no dates is an error`() async throws {
        for (keys, records, error) in [
            (#""modified": "updated""#, #"{"id": 1, "at": 1}"#, SoupError.Code.json),
            (#""modified": "at""#, #"{"id": 1, "at": 1}"#, .json),
            (#""modified": "at", "dateFormat": "epochSeconds""#, #"{"id": 1, "at": 1}"#, nil),
            (#""modified": "at""#, #"{"id": 1, "at": null}"#, nil), (#""modified": "at""#, "", nil),
            (#""modified": "at""#, #"{"id": 1}, {"id": 2, "at": "2026-01-01T00:00:00Z"}"#, nil),
        ] {
            let found = try await walk(keys) { _ in HTTPAnswer(#"{"items": [\#(records)]}"#) }
            #expect(found.error == error, "\(keys) \(records)")
        }
    }

    @Test func `A part of a response is incomplete`() async throws {
        let found = try await walk(#""paging": "none""#) { _ in HTTPAnswer(status: 206, #"{"items": [{"id": 1}]}"#) }
        #expect(found.error == .incompleteAnswer)
    }

    @Test func `The configuration names the statuses of an expired cursor`() async throws {
        for (keys, status, code) in [
            ("", 404, SoupError.Code.cursorExpired), ("", 418, .server), (#", "expired": [418]"#, 418, .cursorExpired),
            (#", "expired": [418]"#, 404, .server),
        ] {
            let found = try await walk(#""paging": {"type": "page", "more": "more"\#(keys)}"#) { request in
                request[parameter: "page"] == "1"
                    ? Self.page([1], #""more": true"#) : HTTPAnswer(status: status, #"{"detail": "x"}"#)
            }
            #expect(found.error == code, "\(keys) \(status)")
        }
    }
}

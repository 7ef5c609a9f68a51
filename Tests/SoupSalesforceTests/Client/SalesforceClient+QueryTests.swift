// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import SoupSalesforce
import SoupCore
import SoupTesting
import Synchronization
import Testing

@Suite struct SalesforceClientQueryTests {
    private func client(_ transport: ScriptedTransport) -> SalesforceClient {
        SalesforceClient(SyncContext(transport: transport, basePath: "/v", clock: ManualClock(), soup: "s"))
    }

    private func page(_ ids: [String], next: String? = nil, total: Int? = nil) -> String {
        let records = ids.map { #"{"Id":"\#($0)"}"# }.joined(separator: ",")
        return
            #"{"totalSize":\#(total ?? ids.count),"done":\#(next == nil),"records":[\#(records)]\#(next.map { #","nextRecordsUrl":"\#($0)""# } ?? "")}"#
    }

    @Test(arguments: [(2000, nil), (50, "batchSize=200"), (5000, nil), (500, "batchSize=500")])
    func `The batch size is sent within the server's limits`(size: Int, header: String?) async throws {
        let transport = ScriptedTransport([.answer(to: "GET /v/query?q=select Id from A", page([]))])
        _ = try await client(transport).query("select Id from A", batchSize: size)
        #expect(transport.requests[0].header("Sforce-Query-Options") == header)
        #expect(transport.violations == [])
    }

    @Test func `All pages are read, only requested IDs are returned`() async throws {
        let transport = ScriptedTransport([
            .answer(to: "GET /v/query?q=select Id from A", page(["a", "b"], next: "/v/query/01g-2", total: 3)),
            .answer(to: "GET /v/query/01g-2", page(["c"], total: 3)),
        ])
        #expect(try await client(transport).found(["c", "x", "a"], by: "select Id from A", at: "Id") == ["a", "c"])
        #expect(transport.violations == [])
    }

    @Test func `An error on a later page is thrown`() async throws {
        let transport = ScriptedTransport([
            .answer(page(["a"], next: "/v/query/01g-1", total: 2)), .answer(status: 500, "[]"),
        ])
        await #expect(throws: SoupError.self) {
            try await client(transport).found(["a", "b"], by: "select Id from A", at: "Id")
        }
    }

    /// Rows that are missing from such a page must not count as deleted.
    @Test(arguments: [
        (#"{"totalSize":24,"done":true,"records":[]}"#, SoupError.Code.incompleteAnswer),
        (#"{"totalSize":24,"done":true,"records":[{"Id":"a"},{"Id":"b"},{"Id":"c"}]}"#, .incompleteAnswer),
        (#"{"totalSize":0,"done":true,"records":[{"Id":"a"}]}"#, .incompleteAnswer), (#"{"records":[]}"#, .json),
        (#"{"totalSize":0,"records":[]}"#, .json), (#"{"done":true,"records":[]}"#, .json),
        (#"{"totalSize":-1,"done":true,"records":[]}"#, .json), (#"{"totalSize":"0","done":true,"records":[]}"#, .json),
        (#"{"totalSize":0,"done":"true","records":[]}"#, .json),
        (#"{"totalSize":1,"done":true,"nextRecordsUrl":"/v/query/1","records":[{"Id":"a"}]}"#, .json),
        (#"{"totalSize":1,"done":true,"records":[{"Name":"a"}]}"#, .json),
        (#"{"totalSize":1,"done":true,"records":[{"Id":""}]}"#, .json),
        (#"{"totalSize":1,"done":true,"records":[{"Id":null}]}"#, .json),
        (#"{"totalSize":0,"done":true,"records":[],"records":[{"Id":"a"}]}"#, .json),
        (#"{"totalSize":0,"done":true,"done":true,"records":[]}"#, .json),
        (#"{"totalSize":2,"done":true,"records":[{"Id":"001000000000001"},{"Id":"001000000000001"}]}"#, .json),
        (#"{"totalSize":2,"done":true,"records":[{"Id":"001000000000001"},{"Id":"001000000000001AAA"}]}"#, .json),
        (#"{"totalSize":1,"done":true,"records":[{"Id":5}]}"#, .json),
        (#"{"totalSize":1,"done":true,"records":[{"Id":"x' OR 1"}]}"#, .json),
    ])
    func `A contradictory page is an error`(body: String, code: SoupError.Code) async throws {
        let transport = ScriptedTransport { _ in HTTPAnswer(body) }
        for soql in ["select Id from A", "select Id from A order by Name"] {
            let error = await #expect(throws: SoupError.self) {
                try await client(transport).found(["a", "b"], by: soql, at: "Id")
            }
            #expect(error?.code == code)
            #expect(error?.hint != nil)
        }
    }

    /// Rows deleted between two pages are correctly missing if the query now finds no more rows than were read.
    @Test(arguments: [(3, true), (2, true), (4, false)])
    func `Rows deleted between two pages may be missing`(now: Int, isComplete: Bool) async throws {
        let transport = ScriptedTransport([
            .answer(page(["a", "b"], next: "/v/query/01g-2", total: 4)), .answer(page(["c"], total: 4)),
            .answer(to: "GET /v/query?q=select count() from A where B = 1", page([], total: now)),
        ])
        let soql = "select Id from A where B = 1 order by Name"
        if isComplete {
            #expect(try await client(transport).found(["a", "c", "d"], by: soql, at: "Id") == ["a", "c"])
        } else {
            let error = await #expect(throws: SoupError.self) {
                try await client(transport).found(["a", "c", "d"], by: soql, at: "Id")
            }
            #expect(error?.code == .incompleteAnswer)
            #expect(error?.message == "the query \(soql) announced 4 record(s) and the server sent 3")
        }
        #expect(transport.violations == [])
    }

    /// Rows created or changed since the query began must not hide deleted rows.
    @Test(arguments: [(3, true), (4, false)])
    func `Rows newer than the query are not counted`(now: Int, isComplete: Bool) async throws {
        let transport = ScriptedTransport { request in
            var answer =
                switch request.pathAndQuery {
                case "/v/query/01g-2": HTTPAnswer(page(["c"], total: 4))
                case let path where path.contains("count()"): HTTPAnswer(page([], total: now))
                default: HTTPAnswer(page(["a", "b"], next: "/v/query/01g-2", total: 4))
                }
            answer.response.headerFields[.date] = "Mon, 15 Jan 2024 12:00:00 GMT"
            return answer
        }
        let found = try? await client(transport).found(
            ["a", "c", "d"], by: "select Id from A where B = 1 or C = 2", at: "Id", dateField: "LastModifiedDate")
        #expect(found == (isComplete ? ["a", "c"] : nil))
        #expect(
            transport.dump.last
                == "GET /v/query?q=select count() from A where LastModifiedDate < 2024-01-15T12:00:00.000Z and "
                + "(B = 1 or C = 2)")
    }

    /// The API repeats the total on every page.
    ///
    /// No count is requested, because the response may not be the API's own.
    @Test func `A later page with another total is an error`() async throws {
        for last in [page([], total: 0), page(["c"], total: 3), page(["c", "d"], total: 5)] {
            let transport = ScriptedTransport([
                .answer(page(["a", "b"], next: "/v/query/01g-2", total: 4)), .answer(last),
            ])
            let error = await #expect(throws: SoupError.self) {
                try await client(transport).found(["a", "d"], by: "select Id from A order by Name", at: "Id")
            }
            #expect(error?.code == .incompleteAnswer)
            #expect(transport.violations == [])
        }
        let head = QueryPageCursor(url: "/v/query/01g-2", totalSize: 4, serverTime: nil)
        #expect(throws: SoupError.self) { try UnreadPage(query: HTTPAnswer(page([], total: 0)), head: head) }
    }

    /// A server may count before or after a LIMIT.
    @Test(arguments: [("limit 2", 2), ("limit 2", 9), ("offset 3", 5), ("limit 2 offset 3", 9), ("limit 2", 2)])
    func `A limit explains missing rows`(bounds: String, total: Int) async throws {
        let transport = ScriptedTransport { _ in HTTPAnswer(page(["a", "b"], total: total)) }
        #expect(try await client(transport).found(["a", "x"], by: "select Id from A \(bounds)", at: "Id") == ["a"])
    }

    @Test(arguments: [("limit 5", 9), ("limit 2", 1), ("offset 3", 9)])
    func `A limit does not explain other totals`(bounds: String, total: Int) async throws {
        let transport = ScriptedTransport { _ in HTTPAnswer(page(["a", "b"], total: total)) }
        await #expect(throws: SoupError.self) {
            try await client(transport).found(["a", "x"], by: "select Id from A \(bounds)", at: "Id")
        }
    }

    /// Statuses that the API does not use for the response to a query.
    @Test(arguments: [201, 202, 203, 204, 206, 299])
    func `A page with another status is an error`(status: Int) async throws {
        let transport = ScriptedTransport { _ in HTTPAnswer(status: status, page([], total: 0)) }
        await #expect(throws: SoupError.self) {
            try await client(transport).found(["a"], by: "select Id from A", at: "Id")
        }
    }

    /// A page that repeats the rows of another page lacks its own rows, although the number of rows is correct.
    @Test func `A row repeated on another page is an error`() async throws {
        let transport = ScriptedTransport([
            .answer(page(["001000000000001", "001000000000002"], next: "/v/query/01g-2", total: 4)),
            .answer(page(["001000000000001", "001000000000002"], total: 4)),
        ])
        let error = await #expect(throws: SoupError.self) {
            try await client(transport).found(["001000000000003"], by: "select Id from A", at: "Id")
        }
        #expect(error?.code == .json)
    }

    @Test func `Reading ends when pages contain no rows`() async throws {
        let count = Mutex(0)
        let transport = ScriptedTransport { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return HTTPAnswer(page([], next: "/v/query/01g-\(number)", total: 3))
        }
        let error = await #expect(throws: SoupError.self) {
            try await client(transport).found(["a"], by: "select Id from A", at: "Id")
        }
        #expect(error?.code == .incompleteAnswer)
        #expect(transport.requests.count == 4)
    }

    @Test func `Reading ends when a page leads back to itself`() async throws {
        let transport = ScriptedTransport { _ in HTTPAnswer(page([], next: "/v/query/01g-2", total: 5)) }
        await #expect(throws: SoupError.self) {
            try await client(transport).found(["a"], by: "select Id from A", at: "Id")
        }
        #expect(transport.requests.count == 2)
    }

    @Test func `A row with an ID that was not requested is an error`() async throws {
        let transport = ScriptedTransport { _ in HTTPAnswer(page(["b"])) }
        let error = await #expect(throws: SoupError.self) {
            try await client(transport).existing(["a"], of: "A", idField: "Id")
        }
        #expect(error?.code == .json)
    }

    @Test(arguments: [
        ("001000000000001", true), ("001000000000001AAA", true), ("00100000000000", false), ("", false),
        ("001000000000001AA'", false), ("00100000000000é", false), ("0010000000000001AA", false), ("local_1", false),
    ])
    func `Only texts in the form of an ID can be IDs`(id: String, isPossible: Bool) {
        #expect(SalesforceID.isPossible(id, in: "id") == isPossible)
        #expect(SalesforceID.isPossible(id, in: "Ext__c") == !id.isEmpty)
    }

    @Test func `A page that is not the last needs a next URL`() throws {
        let body = #"{"totalSize":2,"done":false,"records":[]}"#
        #expect(throws: SoupError.self) { try QueryPageScan(HTTPAnswer(body)) }
    }

    @Test func `Existing IDs are requested in slices`() async throws {
        let ids = (0..<300).map { "001000000000\(100_000 + $0)" }
        let transport = ScriptedTransport { request in
            let soql = request[parameter: "q"] ?? ""
            return HTTPAnswer(page(ids.filter { soql.contains("'\($0)'") && !$0.hasSuffix("7") }))
        }
        let found = try await client(transport).existing(ids, of: "A", idField: "Id")
        #expect(found == Set(ids.filter { !$0.hasSuffix("7") }))
        #expect(transport.requests.count == 2)
        #expect(transport.requests.allSatisfy { $0.pathAndQuery.utf8.count < 8000 })
    }

    /// A server can change the value of another field, and other objects have other IDs.
    @Test(arguments: [("A", "Id", true), ("a", "id", true), ("B", "Id", false), ("A", "Ext__c", false)])
    func `Only IDs of the same object prove that it exists`(type: String, field: String, isAsked: Bool) async throws {
        let transport = ScriptedTransport { _ in HTTPAnswer(page([])) }
        let found = try await client(transport).existing(["a"], type: type, of: "A", idField: field)
        #expect(found == (isAsked ? [] : nil))
        #expect(transport.requests.count == (isAsked ? 1 : 0))
    }

    @Test(arguments: ["http://evil.com/x", "//evil.com/x", "", "no path", "/a b", "/a\r\nHost: evil"])
    func `A cursor cannot lead to another server`(url: String) async throws {
        let transport = ScriptedTransport([])
        let error = await #expect(throws: SoupError.self) { try await client(transport).nextPage(url) }
        #expect(error?.code == .cursorExpired)
        #expect(transport.requests == [])
    }

    @Test func `A cursor contains the data of the first page`() throws {
        let cursor = QueryPageCursor(
            url: "/v/query/01g-2000", totalSize: 4500, serverTime: Date(timeIntervalSince1970: 1_705_320_000))
        #expect(cursor.pageCursor.rawValue == "4500;1705320000000;/v/query/01g-2000")
        #expect(try QueryPageCursor(cursor.pageCursor) == cursor)
        let bare = QueryPageCursor(url: "/v;x/query", totalSize: nil, serverTime: nil)
        #expect(try QueryPageCursor(bare.pageCursor) == bare)
        #expect(throws: SoupError.self) { try QueryPageCursor(PageCursor("/v/query/01g-2000")) }
    }

    @Test func `A retrieve keeps the order and is sent in slices`() async throws {
        let ids = (0..<2500).map { "i\($0)" }
        let transport = ScriptedTransport { request in
            let asked = request.json?["ids"]?.arrayValue?.compactMap(\.stringValue) ?? []
            let records = asked.map { $0.hasSuffix("9") ? "null" : #"{"Id":"\#($0)"}"# }
            return HTTPAnswer("[\(records.joined(separator: ","))]")
        }
        let records = try await client(transport).retrieve(ids, of: "A/B", fields: ["Id"])
        #expect(records.count { if case .none = $0 { true } else { false } } == 250)
        #expect(records.map { $0?["Id"]?.stringValue } == ids.map { $0.hasSuffix("9") ? nil : $0 })
        #expect(
            transport.requests.map(\.pathWithoutQuery) == [
                "/v/composite/sobjects/A%2FB", "/v/composite/sobjects/A%2FB",
            ])
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import SOQLTargets
import SoupSalesforce
import SoupCore
import SoupTesting
import Synchronization
import Testing

private let start: Int64 = 1_705_320_000_000

/// The IDs of a soup, which a test can change while a target reads them.
private final class Ids: Sendable {
    private let state: Mutex<(ids: [String], reads: Int)>

    init(_ ids: [String]) { state = Mutex((ids, 0)) }
    func set(_ ids: [String]) { state.withLock { $0.ids = ids } }
    var reads: Int { state.withLock { $0.reads } }
    func read() -> [String] {
        state.withLock { state in
            state.reads += 1
            return state.ids
        }
    }
}

@Suite struct RefreshSyncDownTargetTests {
    private let clock = ManualClock(now: Date(millisecondsSince1970: start))

    private func target(
        _ count: Int = 500, fields: [String] = ["Id", "Name"], id: String = "Id"
    ) throws -> RefreshSyncDownTarget {
        try RefreshSyncDownTarget(
            configuration: .init(
                soupName: "accounts", sobjectType: "Account", fieldlist: fields, countIdsPerSoql: count,
                idFieldName: id))
    }

    private func context(
        _ transport: any HTTPTransport, _ ids: Ids, from mark: HighWaterMark? = nil
    ) -> SyncContext {
        SyncContext(
            transport: transport, basePath: "/v", clock: clock, soup: "elsewhere", highWaterMark: mark,
            localValues: { path, soup in soup == "accounts" ? ids.read() : ["\(path)"] })
    }

    /// Returns a server with these records, which returns those whose IDs are in the query.
    private func server(_ known: [String]) -> ScriptedTransport {
        ScriptedTransport { request in
            let soql = request[parameter: "q"] ?? ""
            let records = known.filter { soql.contains("'\($0)'") }.map { #"{"Id":"\#($0)"}"# }
            return HTTPAnswer(
                #"{"totalSize":\#(records.count),"done":true,"records":[\#(records.joined(separator: ","))]}"#)
        }
    }

    /// Fetches all pages, starting at a cursor.
    private func walk(
        _ target: RefreshSyncDownTarget, in context: SyncContext, from cursor: PageCursor? = nil
    ) async throws -> [RecordPage] {
        var pages: [RecordPage] = []
        var cursor = cursor
        repeat {
            pages.append(try await target.page(after: cursor, in: context))
            cursor = pages.last?.next
        } while cursor != nil
        return pages
    }

    private func records(_ pages: [RecordPage]) -> [[String]] {
        pages.map { page in (0..<page.levels[0].count).map { page.levels[0].dump(of: $0) } }
    }

    @Test func `A full run queries all IDs of the soup`() async throws {
        let transport = server(["A1", "A2"])
        let page = try await target().page(after: nil, in: context(transport, Ids(["A1", "A2"])))
        #expect(page.dump == [#"{"Id":"A1"}"#, #"{"Id":"A2"}"#, "total 2"])
        #expect(
            transport.dump == [
                "GET /v/query?q=select Id, Name, LastModifiedDate from Account where Id IN ('A1', 'A2')"
            ])
    }

    @Test func `A later run queries the changed records`() async throws {
        let transport = server(["A1"])
        let ids = Ids(["A1", "A2"])
        let prefix = "GET /v/query?q=select Id, Name, LastModifiedDate from Account where Id IN ('A1', 'A2') AND "
        for inclusive in [false, true] {
            let page = try await target().page(
                after: nil, in: context(transport, ids, from: HighWaterMark(milliseconds: start, inclusive: inclusive)))
            #expect(page.totalSize == nil, "the number of changed records is unknown before they are requested")
        }
        #expect(
            transport.dump == [
                prefix + "SystemModstamp > 2024-01-15T12:00:00.000Z",
                prefix + "SystemModstamp >= 2024-01-15T12:00:00.000Z",
            ])
    }

    /// An entry without a date was never fetched, and its record may be older than the mark.
    @Test func `IDs of entries without a date are queried unfiltered`() async throws {
        let all = ["A1", "A2", "A3", "B1", "B2"]
        let transport = server(all)
        var context = context(transport, Ids(all), from: HighWaterMark(milliseconds: start, inclusive: false))
        context.localValuesLacking = { path, missing, soup in
            [path, missing] == ["Id", "LastModifiedDate"] && soup == "accounts" ? ["B1", "A2", "local_1"] : []
        }
        let target = try target(2)
        let pages = try await walk(target, in: context)
        let prefix = "GET /v/query?q=select Id, Name, LastModifiedDate from Account where Id IN "
        let changed = " AND SystemModstamp > 2024-01-15T12:00:00.000Z"
        #expect(
            transport.dump == [
                prefix + "('A1', 'A3')" + changed, prefix + "('B2')" + changed, prefix + "('A2', 'B1')",
            ])
        // A run that resumes later reads the IDs again, and continues at the same position.
        for cursor in pages.dropLast().map(\.next) {
            let number = transport.requests.count
            clock.advance(by: .seconds(60))
            let rest = try await walk(target, in: context, from: cursor)
            #expect(transport.dump[number...].elementsEqual(transport.dump[..<3].suffix(rest.count)))
        }
    }

    @Test func `Slices contain each ID once, in byte order`() async throws {
        let transport = server(["A1", "A2", "A3", "é", "B"])
        let ids = Ids(["local_1", "B", "A3", "A1", "A2", "", "A1", "local_x", "é"])
        let pages = try await walk(try target(2), in: context(transport, ids))
        #expect(
            records(pages) == [
                [#"{"Id":"A1"}"#, #"{"Id":"A2"}"#], [#"{"Id":"A3"}"#, #"{"Id":"B"}"#], [#"{"Id":"é"}"#],
            ])
        #expect(pages.map(\.totalSize) == [5, 5, 5])
        #expect(!transport.dump.contains { $0.contains("local_") })
        #expect(ids.reads == 1)
    }

    @Test func `A soup without IDs needs no request`() async throws {
        let transport = ScriptedTransport([])
        for mark in [nil, HighWaterMark(milliseconds: start, inclusive: true)] {
            let page = try await target().page(after: nil, in: context(transport, Ids(["local_1"]), from: mark))
            #expect(page.dump == ["total 0"])
        }
        #expect(transport.violations == [])
    }

    @Test func `An ID cannot change the query`() async throws {
        let transport = server([])
        _ = try await target().page(after: nil, in: context(transport, Ids(["x') or (Name != '"])))
        #expect(transport.requests[0][parameter: "q"]?.hasSuffix(#"where Id IN ('x\') or (Name != \'')"#) == true)
    }

    @Test func `Slices fit into a URL with any number of fields`() async throws {
        let ids = (0..<1200).map { "id-of-some-account-number-\($0 + 1000)" }
        let fields = (0..<200).map { "Some_Long_Name_Of_A_Field_\($0)__c" }
        let transport = server(ids)
        let pages = try await walk(try target(fields: fields), in: context(transport, Ids(ids)))
        #expect(records(pages).flatMap { $0 } == ids.map { #"{"Id":"\#($0)"}"# })
        #expect(transport.requests.allSatisfy { $0.pathAndQuery.utf8.count < 13_100 })
        // If the count limits a slice, the slice contains that many IDs.
        let short = server(ids)
        let few = (0..<1000).map { "00100000000\($0 + 1000)AAA" }
        _ = try await walk(try target(), in: context(short, Ids(few)))
        #expect(short.requests.count == 2)
    }

    @Test func `Every page of a slice is read`() async throws {
        let link = #"{"totalSize":2,"done":false,"nextRecordsUrl":"/v/query/01g-1","records":[{"Id":"A1"}]}"#
        let transport = ScriptedTransport([
            .answer(link, headers: [.date: DateText.formatHTTPDate(start)]),
            .answer(to: "GET /v/query/01g-1", #"{"totalSize":2,"done":true,"records":[{"Id":"A2"}]}"#),
            .answer(
                to: "GET /v/query?q=select Id, Name, LastModifiedDate from Account where Id IN ('A3')",
                #"{"totalSize":1,"done":true,"records":[{"Id":"A3"}]}"#,
                headers: [.date: DateText.formatHTTPDate(start + 60_000)]),
        ])
        let pages = try await walk(try target(2), in: context(transport, Ids(["A1", "A2", "A3"])))
        #expect(records(pages) == [[#"{"Id":"A1"}"#], [#"{"Id":"A2"}"#], [#"{"Id":"A3"}"#]])
        #expect(pages.map(\.serverTime?.millisecondsSince1970) == [start, start, start])
        #expect(transport.violations == [])
    }

    @Test func `The IDs of a large soup are read in portions`() async throws {
        let all = (0..<2500).map { "A\($0 + 10_000)" }
        let ids = Ids(all)
        let transport = server(all)
        let pages = try await walk(try target(100), in: context(transport, ids))
        #expect(records(pages).flatMap { $0 } == all.map { #"{"Id":"\#($0)"}"# })
        #expect(pages.first?.totalSize == 2500)
        #expect(ids.reads == 3)
        #expect(pages.dropLast().allSatisfy { ($0.next?.rawValue.utf8.count ?? 0) < 10_000 })
    }

    @Test func `A run that resumes later reads the IDs again`() async throws {
        let ids = Ids(["A1", "A2", "A3", "A4"])
        let transport = server(["A1", "A2", "A2b", "A3", "A4"])
        let target = try target(1)
        let first = try await target.page(after: nil, in: context(transport, ids))
        ids.set(["A0", "A1", "A2b", "A4"])
        let soon = try await walk(target, in: context(transport, ids), from: first.next)
        #expect(records(soon) == [[#"{"Id":"A2"}"#], [#"{"Id":"A3"}"#], [#"{"Id":"A4"}"#]])
        clock.advance(by: .seconds(60))
        let later = try await walk(target, in: context(transport, ids), from: first.next)
        #expect(records(later) == [[#"{"Id":"A2b"}"#], [#"{"Id":"A4"}"#]])
        ids.set(["A0"])
        #expect(records(try await walk(target, in: context(transport, ids), from: first.next)) == [[]])
    }

    @Test func `Survivors are requested in the same slices`() async throws {
        let ids = (1...6).map { "A\($0)" }
        let transport = server(["A1", "A3", "A6"])
        let survivors = try await target(2).survivors(of: ids, level: 0, in: context(transport, Ids([])))
        #expect(survivors == ["A1", "A3", "A6"])
        #expect(
            transport.dump == [
                "GET /v/query?q=select Id from Account where Id IN ('A1', 'A2')",
                "GET /v/query?q=select Id from Account where Id IN ('A3', 'A4')",
                "GET /v/query?q=select Id from Account where Id IN ('A5', 'A6')",
            ])
    }

    @Test func `An entry keeps the form of its ID`() async throws {
        let long = SalesforceID.check(of: Array("001000000000001".utf8))
        let id = "001000000000001" + String(decoding: long, as: UTF8.self)
        let link = #""nextRecordsUrl":"/v/query/1","done":false"#
        let transport = ScriptedTransport([
            .answer(#"{"totalSize":2,\#(link),"records":[{"Id":"A2"}]}"#),
            .answer(#"{"totalSize":2,"done":true,"records":[{"Id":"\#(id)","Name":"x"}]}"#),
        ])
        let pages = try await walk(try target(), in: context(transport, Ids(["001000000000001", "A2"])))
        #expect(records(pages) == [[#"{"Id":"A2"}"#], [#"{"Id":"001000000000001","Name":"x"}"#]])
    }

    @Test func `The response to another request is rejected`() async throws {
        let transport = ScriptedTransport { _ in
            HTTPAnswer(#"{"totalSize":1,"done":true,"records":[{"Id":"A1"}]}"#)
        }
        let context = context(transport, Ids(["A1", "A2"]))
        let first = try await target(1).page(after: nil, in: context)
        let error = await #expect(throws: SoupError.self) { try await target(1).page(after: first.next, in: context) }
        #expect(error?.code == .json)
    }

    @Test func `A foreign cursor counts as expired`() async throws {
        let transport = ScriptedTransport([])
        for text in ["", "7", "{}", #"{"last":"a","ids":[],"more":1,"read":0}"#, "3;;/v/query/1"] {
            let error = await #expect(throws: SoupError.self) {
                try await target().page(after: PageCursor(text), in: context(transport, Ids(["A1"])))
            }
            #expect(error?.code == .cursorExpired, "\(text)")
        }
        #expect(transport.requests.isEmpty)
    }
}

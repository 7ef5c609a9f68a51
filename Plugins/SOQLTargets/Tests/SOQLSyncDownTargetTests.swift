// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SOQLTargets
import SoupCore
import SoupTesting
import Synchronization
import Testing

private let start: Int64 = 1_705_320_000_000

private func target(
    _ query: String, rewrite: Bool = true, maxBatchSize: Int = 2000, id: String = "Id",
    date: String = "LastModifiedDate"
) throws -> SOQLSyncDownTarget {
    try SOQLSyncDownTarget(
        configuration: .init(
            query: query, rewrite: rewrite, maxBatchSize: maxBatchSize, idFieldName: id,
            modificationDateFieldName: date))
}

private func context(_ transport: any HTTPTransport, from mark: HighWaterMark? = nil) -> SyncContext {
    SyncContext(transport: transport, basePath: "/v", clock: ManualClock(), soup: "contacts", highWaterMark: mark)
}

private let empty = #"{"totalSize":0,"done":true,"records":[]}"#

@Suite struct SOQLQueryTests {
    /// Returns the queries that a target sends for a full run and for a run from a mark.
    private func queries(_ target: SOQLSyncDownTarget, inclusive: Bool = false) async throws -> [String?] {
        let transport = ScriptedTransport { _ in HTTPAnswer(empty) }
        _ = try await target.page(after: nil, in: context(transport))
        _ = try await target.page(
            after: nil, in: context(transport, from: HighWaterMark(milliseconds: start, inclusive: inclusive)))
        return transport.requests.map { $0[parameter: "q"] }
    }

    @Test func `Missing fields and a missing order are added`() async throws {
        #expect(
            try await queries(target("select FirstName, LastName from Contact limit 100")) == [
                "select Id,LastModifiedDate,FirstName, LastName from Contact order by LastModifiedDate limit 100",
                "select Id,LastModifiedDate,FirstName, LastName from Contact "
                    + "where LastModifiedDate > 2024-01-15T12:00:00.000Z order by LastModifiedDate limit 100",
            ])
    }

    @Test func `A complete query is sent unchanged`() async throws {
        let query = "SELECT Id, LastModifiedDate FROM Account ORDER BY LastModifiedDate"
        #expect(try await queries(target(query))[0] == query)
    }

    @Test func `An inclusive mark includes its own time`() async throws {
        let sent = try await queries(target("SELECT Name FROM Account WHERE Name = 'a' OR Name = 'b'"), inclusive: true)
        #expect(
            sent[1] == "select Id,LastModifiedDate,Name from Account where "
                + "LastModifiedDate >= 2024-01-15T12:00:00.000Z and (Name = 'a' OR Name = 'b') order by LastModifiedDate"
        )
    }

    @Test func `Configured field names are used`() async throws {
        let sent = try await queries(target("SELECT Name FROM Acme__x", id: "ExternalId", date: "Changed__c"))
        #expect(sent[0] == "select ExternalId,Changed__c,Name from Acme__x order by Changed__c")
        #expect(sent[1]?.contains("where Changed__c > ") == true)
    }

    @Test(arguments: [
        "SELECT count() FROM Contact", "SELECT COUNT(Id) n FROM Contact", "select max(CreatedDate) Id from Contact",
        "SELECT AccountId, COUNT(Id) FROM Contact GROUP BY AccountId", "SELECT Name FROM Account GROUP BY ROLLUP(Name)",
    ])
    func `A query whose rows have no ID is rejected`(query: String) throws {
        for rewrite in [true, false] {
            let error = #expect(throws: SoupError.self, "\(rewrite)") { try target(query, rewrite: rewrite) }
            #expect(error?.place == SoupError.Place(path: "query"))
            #expect(
                error?.message
                    == "the query counts or groups records, so its rows have no \"Id\" by which they can be saved")
            #expect(error?.hint?.hasPrefix("Select the fields of records") == true)
        }
    }

    @Test func `A query whose groups have an ID is sent`() async throws {
        let query = "SELECT AccountId, COUNT(Id) n FROM Contact GROUP BY AccountId"
        #expect(try await queries(target(query, id: "AccountId"))[0] == query)
    }

    @Test func `Functions that do not aggregate are allowed`() async throws {
        let sent = try await queries(target("select toLabel(Status) from Case"))
        #expect(sent[0] == "select Id,LastModifiedDate,toLabel(Status) from Case order by LastModifiedDate")
    }

    @Test func `A query without rewriting is sent unchanged every time`() async throws {
        let query = "SELECT Id, Name\nFROM Account"
        #expect(try await queries(target(query, rewrite: false)) == [query, query])
    }

    @Test(arguments: [
        ("select Name from A", true), ("select Name from A order by LastModifiedDate", true),
        ("select Name from A order by lastmodifieddate asc, Id", true), ("select Name from A order by Name", false),
        ("select Name from A order by LastModifiedDate desc", false),
    ])
    func `The order of the query is detected`(query: String, ordered: Bool) throws {
        #expect(try target(query).ordersByModificationDate == ordered)
        #expect(try target(query, rewrite: false).ordersByModificationDate == (ordered && query.contains("order")))
    }

    @Test(arguments: [(2000, nil), (50, "batchSize=200"), (500, "batchSize=500"), (9999, nil)])
    func `The batch size is sent within the server's limits`(size: Int, header: String?) async throws {
        let transport = ScriptedTransport { _ in HTTPAnswer(empty) }
        _ = try await target("select Id from A", maxBatchSize: size).page(after: nil, in: context(transport))
        #expect(transport.requests[0].header("Sforce-Query-Options") == header)
    }

    @Test(arguments: [
        ("SELECT Name FROM Account WHERE Name = 'James Bond'", "select Id from Account where Name = 'James Bond'"),
        ("SELECT Name, (SELECT LastName FROM Contacts) FROM Account", "select Id from Account"),
    ])
    func `Survivors are found by a query for the IDs`(query: String, sent: String) async throws {
        let transport = ScriptedTransport([.answer(to: "GET /v/query?q=\(sent)", empty)])
        #expect(try await target(query).survivors(of: ["a"], part: 0, in: context(transport)) == [])
        #expect(transport.violations == [])
    }

    @Test func `A record beyond the limit is not a ghost`() async throws {
        let query = "SELECT Name FROM Account WHERE Name = 'x' OR Name = 'y' LIMIT 2"
        let sent =
            "select Id from Account where Id IN ('a', 'b', 'c') and (Name = 'x' OR Name = 'y')"
        let transport = ScriptedTransport([
            .answer(
                to: "GET /v/query?q=\(sent)",
                #"{"totalSize":3,"done":true,"records":[{"Id":"a"},{"Id":"b"},{"Id":"c"}]}"#)
        ])
        let found = try await target(query).survivors(of: ["a", "b", "c"], part: 0, in: context(transport))
        #expect(found == ["a", "b", "c"])
        #expect(transport.violations == [])
    }

    @Test(arguments: [("limit 2", true), ("limit 3", false), ("", false)])
    func `A reached limit is reported`(limit: String, reached: Bool) async throws {
        let transport = ScriptedTransport { _ in
            HTTPAnswer(#"{"totalSize":2,"done":true,"records":[{"Id":"a"},{"Id":"b"}]}"#)
        }
        let page = try await target("select Id from A \(limit)").page(after: nil, in: context(transport))
        #expect(page.isLimited == reached)
    }
}

@Suite struct SOQLPagingTests {
    @Test func `Pages keep the server's bytes and first-page data`() async throws {
        let first =
            #"{"totalSize":3,"done":false,"nextRecordsUrl":"/v/query/01g-2","records":[ {"Id":"a", "N":1.0},{"Id":"b"}]}"#
        let transport = ScriptedTransport([
            .answer(
                to: "GET /v/query?q=select Id,LastModifiedDate,N from A order by LastModifiedDate", first,
                headers: [.date: DateText.formatHTTPDate(start)]),
            .answer(
                to: "GET /v/query/01g-2", #"{"totalSize":3,"done":true,"records":[{"Id":"c"}]}"#,
                headers: [.date: DateText.formatHTTPDate(start + 60_000)]),
        ])
        let target = try target("select N from A")
        let page = try await target.page(after: nil, in: context(transport))
        #expect(
            page.dump == [
                #"{"Id":"a", "N":1.0}"#, #"{"Id":"b"}"#, "next 3;1705320000000;/v/query/01g-2", "total 3",
                "at 2024-01-15T12:00:00.000+0000",
            ])
        let last = try await target.page(after: page.next, in: context(transport))
        #expect(last.dump == [#"{"Id":"c"}"#, "total 3", "at 2024-01-15T12:00:00.000+0000"])
        #expect(transport.violations == [])
    }

    /// The page after the first one is not announced, because a bulk query may replace it.
    @Test func `The page after a later page is announced`() async throws {
        let next = #"{"totalSize":3,"done":false,"nextRecordsUrl":"/v/query/01g-4","records":[]}"#
        let transport = ScriptedTransport([
            .answer(#"{"totalSize":3,"done":false,"nextRecordsUrl":"/v/query/01g-2","records":[]}"#), .answer(next),
            .answer(status: 500, next), .answer(#"{"totalSize":3,"done":true,"records":[]}"#),
            .answer(#"{"records":[],"totalSize":3,"done":false,"nextRecordsUrl":"/v/query/01g-4"}"#), .answer(next),
        ])
        func run(_ cursor: PageCursor?) async throws -> (next: PageCursor?, announced: [PageCursor]) {
            let announced = Mutex<[PageCursor]>([])
            var context = context(transport)
            context.announceNext = { cursor in announced.withLock { $0.append(cursor) } }
            let page = try? await target("select N from A").page(after: cursor, in: context)
            return (page?.next, announced.withLock { $0 })
        }
        let second = PageCursor("3;;/v/query/01g-2")
        #expect(try await run(nil) == (second, []))
        #expect(try await run(second) == (PageCursor("3;;/v/query/01g-4"), [PageCursor("3;;/v/query/01g-4")]))
        #expect(try await run(second) == (nil, []), "an error")
        #expect(try await run(second) == (nil, []), "the last page")
        #expect(try await run(second) == (PageCursor("3;;/v/query/01g-4"), []), "the URL follows the records")
        let restart = PageCursor("again:3;;/v/query/01g-4")
        #expect(try await run(PageCursor("again:\(second)")) == (restart, [restart]))
        #expect(transport.violations == [])
    }

    @Test func `An expired cursor has its own error code`() async throws {
        func code(_ body: String) async -> SoupError.Code? {
            let transport = ScriptedTransport { _ in HTTPAnswer(status: 400, body) }
            do {
                _ = try await target("select Id from A").page(
                    after: PageCursor("3;;/v/query/01g-2"), in: context(transport))
                return nil
            } catch { return (error as? SoupError)?.code }
        }
        #expect(
            await code(#"[{"errorCode":"INVALID_QUERY_LOCATOR","message":"invalid query locator"}]"#) == .cursorExpired)
        #expect(await code(#"[{"errorCode":"MALFORMED_QUERY","message":"m"}]"#) == .server)
    }

    @Test func `The error contains the server's own message`() async throws {
        let body = #"[{"errorCode":"INVALID_FIELD","message":"No such column 'Nme' on entity 'A'"}]"#
        let transport = ScriptedTransport([.answer(status: 400, body)])
        let error = await #expect(throws: SoupError.self) {
            try await target("select Nme from A").page(after: nil, in: context(transport))
        }
        #expect(error?.message.hasSuffix("HTTP 400, INVALID_FIELD: No such column 'Nme' on entity 'A'") == true)
        #expect(error?.hint == "Check the query or the field list of the sync.")
    }
}

@Suite struct SOQLTargetConfigurationTests {
    private func problems(_ text: String) throws -> [String] {
        var problems: [ConfigurationProblem] = []
        let registry = try PluginRegistry([SOQLTargetsModule()])
        let json = try JSONValue(parsing: text)
        let target = registry.downTarget(TargetReference(json), at: [.key("target")], problems: &problems)
        #expect((target == nil) == problems.contains { $0.severity == .error })
        return problems.map { $0.place.path ?? "?" }
    }

    @Test(arguments: [
        #"{"type":"soql","query":"SELECT Id, Name, LastModifiedDate FROM Account"}"#,
        #"{"type":"soql","query":"SELECT Id, Name, LastModifiedDate FROM Account","maxBatchSize":200}"#,
        #"{"type":"soql","query":"SELECT FirstName, LastName, Title, MobilePhone, Email, Department, HomePhone FROM Contact LIMIT 10000"}"#,
        #"{"type":"soql","query":"SELECT FirstName, LastName, Title, Department FROM Contact LIMIT 10000"}"#,
        #"{"type":"soql","query":"SELECT Id, Name, Industry FROM Account LIMIT 25"}"#,
        #"{"iOSImpl":"SFSoqlSyncDownTarget","query":"SELECT Id FROM A","modificationDateFieldName":"","idFieldName":null}"#,
    ])
    func `Published target objects are accepted`(text: String) throws {
        #expect(try problems(text) == [])
    }

    @Test(arguments: [
        (#"{"type":"soql"}"#, ["target.query"]), (#"{"type":"soql","query":7}"#, ["target.query"]),
        (#"{"type":"soql","query":"SELECT FROM"}"#, ["target.query"]),
        (#"{"type":"soql","query":"SELECT Id FROM A","maxBatchSize":"many"}"#, ["target.maxBatchSize"]),
        (#"{"type":"soql","query":"SELECT Id FROM A","rewrite":"no"}"#, ["target.rewrite"]),
    ])
    func `Problems name their place`(text: String, places: [String]) throws {
        #expect(try problems(text) == places)
    }

    @Test func `The target passes the conformance suite`() async throws {
        let rows = (0..<25).map { number in
            (id: "0010000000000\(number + 10)", date: DateText.format(start + Int64(number / 2) * 1000))
        }
        try await SyncDownTargetSuite(
            SOQLSyncDownTarget.self, configuration: #"{"query": "select Name from Account"}"#,
            badConfigurations: ["{}", #"{"query": ""}"#, #"{"query": "select"}"#, #"{"query": ["x"]}"#]
        ) { request in
            guard let query = request[parameter: "q"] else {
                return locator(request.pathWithoutQuery, rows)
            }
            let kept = rows.filter { row in
                guard let mark = query.firstRange(of: "LastModifiedDate >") else { return true }
                let rest = query[mark.upperBound...].drop { $0 == " " || $0 == "=" }
                let time = DateText.milliseconds(rest.prefix { $0 != " " }) ?? 0
                let date = DateText.milliseconds(row.date) ?? 0
                return query.contains("LastModifiedDate >=") ? date >= time : date > time
            }
            return kept.count == rows.count
                ? locator("/v/query/q-0", rows) : page(kept[...], total: kept.count, next: nil)
        }.check()
    }

    /// Returns the page at a path such as `/v/query/q-10`; a page has ten rows.
    private func locator(_ path: String, _ rows: [(id: String, date: String)]) -> HTTPAnswer {
        guard let start = path.split(separator: "-").last.flatMap({ Int($0) }), start < rows.count else {
            return HTTPAnswer(
                status: 400, #"[{"errorCode":"INVALID_QUERY_LOCATOR","message":"invalid query locator"}]"#)
        }
        let end = min(start + 10, rows.count)
        return page(rows[start..<end], total: rows.count, next: end < rows.count ? "/v/query/q-\(end)" : nil)
    }

    private func page(_ rows: ArraySlice<(id: String, date: String)>, total: Int, next: String?) -> HTTPAnswer {
        let records = rows.map { #"{"Id":"\#($0.id)","LastModifiedDate":"\#($0.date)","Name":"n"}"# }
        let link = next.map { #","nextRecordsUrl":"\#($0)""# } ?? ""
        return HTTPAnswer(
            #"{"totalSize":\#(total),"done":\#(next == nil)\#(link),"records":[\#(records.joined(separator: ","))]}"#)
    }
}

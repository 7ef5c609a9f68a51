// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import BriefcaseTargets
import SoupCore
import SoupTesting
import Testing

private let start: Int64 = 1_705_320_000_000

@Suite struct BriefcaseSyncDownTargetTests {
    private let briefcase = BriefcaseServer(
        (1...3).map { .init(type: "Account", id: "a\($0)", time: start + Int64($0) * 1000) }
            + (1...2).map { .init(type: "Contact", id: "c\($0)", time: start + Int64($0) * 1000 + 500) })

    private func target(
        _ count: Int = 2000, contacts: BriefcaseObjectInfo? = nil
    ) throws -> BriefcaseSyncDownTarget {
        try BriefcaseSyncDownTarget(
            configuration: .init(
                infos: [
                    .init(soupName: "accounts", sobjectType: "Account", fieldlist: ["Name"]),
                    contacts ?? .init(soupName: "contacts", sobjectType: "Contact", fieldlist: ["LastName"]),
                ], countIdsPerRetrieve: count))
    }

    private func context(_ transport: (any HTTPTransport)? = nil, from mark: HighWaterMark? = nil) -> SyncContext {
        SyncContext(
            transport: transport ?? briefcase.transport, basePath: "/v", clock: ManualClock(), soup: "does-not-matter",
            highWaterMark: mark)
    }

    /// Fetches all pages, and returns the IDs of each page by their levels.
    private func walk(
        _ target: BriefcaseSyncDownTarget, in context: SyncContext, from cursor: PageCursor? = nil
    ) async throws -> (ids: [String], totals: [Int?]) {
        var lines: [String] = []
        var totals: [Int?] = []
        var cursor = cursor
        repeat {
            let page = try await target.page(after: cursor, in: context)
            lines.append(
                page.levels.map { level in
                    (0..<level.count).map { level[$0]["Id"]?.stringValue ?? "?" }.joined(separator: " ")
                }.joined(separator: " | "))
            totals.append(page.totalSize)
            cursor = page.next
        } while cursor != nil
        return (lines, totals)
    }

    @Test func `A page has a separate level for each object`() async throws {
        let (pages, totals) = try await walk(try target(), in: context())
        #expect(pages == ["a1 a2 a3 | c1 c2"])
        #expect(totals == [5])
        #expect(
            briefcase.requests() == [
                "list", "Account a1 a2 a3 [Name Id LastModifiedDate]", "Contact c1 c2 [LastName Id LastModifiedDate]",
            ])
    }

    @Test func `Slices span objects, and the list is requested once`() async throws {
        let (pages, totals) = try await walk(try target(2), in: context())
        #expect(pages == ["a1 a2 | ", "a3 | c1", " | c2"])
        #expect(totals == [5, 5, 5])
        #expect(briefcase.requests().filter { $0.hasPrefix("list") } == ["list"])
        #expect(briefcase.requests().count == 5)
    }

    @Test func `All pages of the list are read`() async throws {
        briefcase.with { $0.pageSize = 2 }
        let (pages, totals) = try await walk(try target(), in: context())
        #expect(pages == ["a1 a2 | ", "a3 | c1", " | c2"])
        #expect(totals == [5, 5, 5], "the server reports the number for the whole list")
        #expect(
            briefcase.requests().filter { $0.hasPrefix("list") } == ["list", "list token 2/-1", "list token 4/-1"])
    }

    @Test func `A token is never sent with a timestamp`() async throws {
        briefcase.with { $0.pageSize = 1 }
        for inclusive in [true, false] {
            briefcase.with { $0.log = [] }
            let mark = HighWaterMark(milliseconds: start + 2000, inclusive: inclusive)
            let (pages, _) = try await walk(try target(), in: context(from: mark))
            #expect(pages == (inclusive ? ["a2 | ", "a3 | ", " | c2"] : ["a3 | ", " | c2"]))
            #expect(
                briefcase.requests()[0]
                    == "list since \(inclusive ? "2024-01-15T12:00:01.999Z" : "2024-01-15T12:00:02.000Z")")
        }
    }

    @Test func `A run continues with the list that it started`() async throws {
        let target = try target(2)
        let first = try await target.page(after: nil, in: context())
        // The server's list is another one by now; the records of the first list are still fetched.
        briefcase.with { $0.records.insert(.init(type: "Account", id: "a0", time: start), at: 0) }
        #expect(try await walk(target, in: context(), from: first.next).ids == ["a3 | c1", " | c2"])
    }

    @Test func `Records that no longer exist are skipped`() async throws {
        briefcase.with { $0.hidden = ["a1", "a3", "c1", "c2"] }
        #expect(try await walk(try target(), in: context()).ids == ["a2 | "])
    }

    @Test func `Objects without an info are ignored and logged`() async throws {
        briefcase.with { state in
            state.records.insert(.init(type: "Lead", id: "l1", time: start), at: 0)
            state.pageSize = 1
        }
        let briefcase = briefcase
        var context = context()
        context.log = { message in briefcase.with { $0.messages.append(message) } }
        let (pages, totals) = try await walk(try target(), in: context)
        #expect(pages == [" | ", "a1 | ", "a2 | ", "a3 | ", " | c1", " | c2"])
        #expect(totals == [nil, nil, nil, nil, nil, 5], "the server's number includes records that are not fetched")
        #expect(briefcase.with { $0.messages } == ["the briefcase contains Lead records, for which there is no info"])
    }

    @Test func `The case of object names is ignored`() async throws {
        briefcase.with { state in for index in state.records.indices { state.records[index].type.makeUpper() } }
        let target = try BriefcaseSyncDownTarget(
            configuration: .init(infos: [.init(soupName: "s", sobjectType: "account", fieldlist: [])]))
        _ = try? await target.page(after: nil, in: context())
        #expect(briefcase.requests().last == "account a1 a2 a3 [Id LastModifiedDate]")
    }

    @Test func `Failed rules are reported on the last page`() async throws {
        briefcase.with { state in
            state.failedRules = ["r2"]
            state.ruleCount = 2
            state.pageSize = 3
        }
        let briefcase = briefcase
        var context = context()
        context.log = { message in briefcase.with { $0.messages.append(message) } }
        let first = try await target().page(after: nil, in: context)
        #expect(first.failure == nil, "more pages follow")
        let last = try await target().page(after: first.next, in: context)
        #expect(first.levels.map(\.count) == [3, 0] && last.levels.map(\.count) == [0, 2])
        #expect(last.next == nil)
        #expect(last.failure?.code == .server)
        #expect(last.failure?.message == "some rules of the briefcase could not be run: r2")
        #expect(briefcase.with { $0.messages } == ["rule r2 of the briefcase could not be run"])
        briefcase.with { $0.failedRules = ["r1", "r2"] }
        let error = await #expect(throws: SoupError.self) { try await walk(try target(), in: context) }
        #expect(error?.code == .server)
        #expect(error?.message == "no rule of the briefcase could be run: r1, r2")
    }

    // MARK: Ghosts

    @Test func `Survivors are returned for each level`() async throws {
        briefcase.with { $0.pageSize = 2 }
        let target = try target()
        #expect(try await target.survivors(of: ["a1", "a9", "c1"], level: 0, in: context()) == ["a1"])
        #expect(try await target.survivors(of: ["c1", "c2", "c9"], level: 1, in: context()) == ["c1", "c2"])
        #expect(try await target.survivors(of: ["x"], level: 2, in: context()) == nil)
        briefcase.with { $0.records.removeAll { $0.type == "Contact" } }
        #expect(try await target.survivors(of: ["c1", "c2"], level: 1, in: context()) == [])
        #expect(briefcase.requests().allSatisfy { $0.hasPrefix("list") })
    }

    @Test func `A failed rule makes no ghosts`() async throws {
        briefcase.with { $0.failedRules = ["r1"] }
        let error = await #expect(throws: SoupError.self) {
            try await target().survivors(of: ["a1", "a9"], level: 0, in: context())
        }
        #expect(
            error?.message
                == "the ghosts of the briefcase cannot be determined, because the server could not run some rules: r1")
    }

    @Test func `Entries with another ID field are compared by it`() async throws {
        let target = try target(
            contacts: .init(soupName: "contacts", sobjectType: "Contact", fieldlist: [], idFieldName: "Code"))
        #expect(try await target.survivors(of: ["c-c1", "c1", "c-c9"], level: 1, in: context()) == ["c-c1"])
    }

    /// A response without the field would make every entry a ghost.
    @Test func `A record without the ID field is an error`() async throws {
        let target = try target(
            contacts: .init(soupName: "contacts", sobjectType: "Contact", fieldlist: [], idFieldName: "Other"))
        let transport = ScriptedTransport { [briefcase] request in
            guard request.pathWithoutQuery.contains("/composite/sobjects/") else {
                return try await briefcase.transport.send(request.request, body: request.body)
            }
            return HTTPAnswer(#"[{"attributes":{"type":"Contact"}},{"attributes":{"type":"Contact"},"Other":null}]"#)
        }
        let error = await #expect(throws: SoupError.self) {
            try await target.survivors(of: ["c-c1"], level: 1, in: context(transport))
        }
        #expect(error?.code == .json)
    }

    @Test func `Two objects can share a soup`() async throws {
        let target = try target(contacts: .init(soupName: "accounts", sobjectType: "Contact", fieldlist: []))
        for level in 0...1 {
            #expect(try await target.survivors(of: ["a1", "c2", "x"], level: level, in: context()) == ["a1", "c2"])
        }
    }

    @Test func `A list that leads back to itself is an error`() async throws {
        let transport = ScriptedTransport { _ in HTTPAnswer(#"{"primingRecords":{},"relayToken":"r1"}"#) }
        await #expect(throws: SoupError.self) {
            try await target().survivors(of: ["a1"], level: 0, in: context(transport))
        }
    }

    // MARK: Rules

    @Test(arguments: [
        "", "7", "{}", #"{"pending":[],"listed":1,"token":"x"}"#, #"{"pending":[[],[]],"listed":0}"#,
        #"{"pending":[["a"],[]],"listed":-1}"#,
    ])
    func `A foreign cursor counts as expired`(text: String) async throws {
        let error = await #expect(throws: SoupError.self) {
            try await target().page(after: PageCursor(text), in: context())
        }
        #expect(error?.code == .cursorExpired)
        #expect(briefcase.requests() == [])
    }

    /// Records that are missing from such a list must not count as deleted.
    @Test(arguments: [
        #"{"primingRecords":{},"relayToken":null}"#,
        #"{"primingRecords":{},"relayToken":null,"stats":{"recordCountTotal":5}}"#,
        #"{"primingRecords":{"Account":{"012":[{"id":"a1"}]}},"stats":{"recordCountTotal":1,"recordCountServed":2}}"#,
    ])
    func `A contradictory list is an error`(body: String) async throws {
        let transport = ScriptedTransport { _ in HTTPAnswer(body) }
        let target = try target()
        for work in [
            { _ = try await target.page(after: nil, in: context(transport)) },
            { _ = try await target.survivors(of: ["a1", "a2"], level: 0, in: context(transport)) },
        ] {
            let error = await #expect(throws: SoupError.self) { try await work() }
            #expect([.json, .incompleteAnswer].contains(error?.code))
        }
    }

    @Test(arguments: [
        #"{"primingRecords":[]}"#, #"{"relayToken":null}"#, #"{"primingRecords":{"Account":[]}}"#,
        #"{"primingRecords":{"Account":{"012":[{"systemModstamp":"x"}]}}}"#,
    ])
    func `A response that is not a list is rejected`(body: String) async throws {
        let transport = ScriptedTransport { _ in HTTPAnswer(body) }
        let error = await #expect(throws: SoupError.self) {
            try await target().page(after: nil, in: context(transport))
        }
        #expect(error?.code == .json)
    }

    @Test func `A rejected token counts as an expired cursor`() async throws {
        briefcase.with { $0.pageSize = 3 }
        let first = try await target().page(after: nil, in: context())
        let transport = ScriptedTransport { _ in
            HTTPAnswer(status: 400, #"[{"errorCode":"INVALID_INPUT","message":"The relayToken is not known"}]"#)
        }
        for (cursor, code) in [(first.next, SoupError.Code.cursorExpired), (nil, .server)] {
            let error = await #expect(throws: SoupError.self) {
                try await target().page(after: cursor, in: context(transport))
            }
            #expect(error?.code == code)
        }
    }

    @Test(arguments: [
        "[]", #"[{"Id":"a1"},{"Id":"a2"},{"Id":"c1"}]"#, #"[{"Id":"a1"},null,{"id":"a3"}]"#, #"[{"Id":"a1"},7,null]"#,
        #"{"records":[]}"#, #"[{"Id":"a1"},{"Id":"a2"},{"Id":"a3"}"#,
    ])
    func `A response with other elements is rejected`(body: String) async throws {
        let briefcase = briefcase
        let transport = ScriptedTransport { request in
            request.method == .post ? HTTPAnswer(body) : try briefcase.answer(request)
        }
        let error = await #expect(throws: SoupError.self) {
            try await target().page(after: nil, in: context(transport))
        }
        #expect(error?.code == .json)
    }
}

extension String {
    fileprivate mutating func makeUpper() { self = uppercased() }
}

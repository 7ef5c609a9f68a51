// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import ParentChildrenTargets
import SoupCore
import SoupTesting
import Testing

private let start: Int64 = 1_705_320_000_000

extension RecordTreeInfo {
    /// Parents and children without default names.
    static let unusual = RecordTreeInfo(
        parent: ParentInfo(
            sobjectType: "Parent", soupName: "parentsSoup", idFieldName: "ParentId",
            modificationDateFieldName: "ParentModifiedDate"),
        children: ChildrenInfo(
            ParentInfo(
                sobjectType: "Child", soupName: "childrenSoup", idFieldName: "ChildId",
                modificationDateFieldName: "ChildLastModifiedDate"),
            sobjectTypePlural: "Children", parentIdFieldName: "ChildParentId"))

    static let accounts = RecordTreeInfo(
        parent: ParentInfo(sobjectType: "Account", soupName: "accounts"),
        children: ChildrenInfo(
            ParentInfo(sobjectType: "Contact", soupName: "contacts"), sobjectTypePlural: "Contacts",
            parentIdFieldName: "AccountId"),
        relationship: .masterDetail)
}

private func unusual(filter: String, changedChildrenOnly: Bool = false) throws -> ParentChildrenSyncDownTarget {
    try ParentChildrenSyncDownTarget(
        configuration: .init(
            tree: .unusual, parentFieldlist: ["ParentName", "Title"], childrenFieldlist: ["ChildName", "School"],
            parentSoqlFilter: filter, changedChildrenOnly: changedChildrenOnly))
}

private func accounts() throws -> ParentChildrenSyncDownTarget {
    try ParentChildrenSyncDownTarget(
        configuration: .init(tree: .accounts, parentFieldlist: ["Name"], childrenFieldlist: ["LastName"]))
}

private func context(
    _ transport: any HTTPTransport, from mark: HighWaterMark? = nil, children: HighWaterMark? = nil
) -> SyncContext {
    var context = SyncContext(
        transport: transport, basePath: "/v", clock: ManualClock(), soup: "x", highWaterMark: mark)
    context.partMarks = [children]
    return context
}

@Suite struct RecordTreeQueryTests {
    private func query(
        _ filter: String, from mark: HighWaterMark? = nil, children: HighWaterMark? = nil,
        changedChildrenOnly: Bool = false
    ) async throws -> String? {
        let transport = ScriptedTransport { _ in HTTPAnswer(#"{"totalSize":0,"done":true,"records":[]}"#) }
        _ = try await unusual(filter: filter, changedChildrenOnly: changedChildrenOnly).page(
            after: nil, in: context(transport, from: mark, children: children))
        #expect(transport.requests[0].header("Sforce-Query-Options") == nil)
        return transport.requests[0][parameter: "q"]
    }

    @Test func `A full run queries parents with all children`() async throws {
        #expect(
            try await query("School = 'MIT'")
                == "select ParentName, Title, ParentId, ParentModifiedDate, "
                + "(select ChildName, School, ChildId, ChildLastModifiedDate from Children) "
                + "from Parent where School = 'MIT' order by ParentModifiedDate")
    }

    /// A child that changed before its parent may have a date before the mark, and must still be fetched with it.
    @Test func `A changed parent is fetched with all its children`() async throws {
        #expect(
            try await query("School = 'MIT'", from: HighWaterMark(milliseconds: start, inclusive: false))
                == "select ParentName, Title, ParentId, ParentModifiedDate, "
                + "(select ChildName, School, ChildId, ChildLastModifiedDate from Children) "
                + "from Parent where ParentModifiedDate > 2024-01-15T12:00:00.000Z and School = 'MIT' "
                + "order by ParentModifiedDate")
    }

    @Test func `Unchanged children can be omitted`() async throws {
        let mark = HighWaterMark(milliseconds: start, inclusive: false)
        #expect(
            try await query(
                "School = 'MIT'", from: mark, children: HighWaterMark(milliseconds: start - 1000, inclusive: true),
                changedChildrenOnly: true)
                == "select ParentName, Title, ParentId, ParentModifiedDate, "
                + "(select ChildName, School, ChildId, ChildLastModifiedDate from Children "
                + "where ChildLastModifiedDate >= 2024-01-15T11:59:59.000Z) "
                + "from Parent where ParentModifiedDate > 2024-01-15T12:00:00.000Z and School = 'MIT' "
                + "order by ParentModifiedDate")
    }

    /// Such children follow the parents, filtered by the children's own mark; without one all are queried.
    @Test(
        arguments: [
            (
                "School = 'MIT' or A = 1", nil,
                "ChildParentId in (select ParentId from Parent where School = 'MIT' or A = 1)"
            ),
            (
                "", start,
                "ChildLastModifiedDate > 2024-01-15T12:00:00.000Z and ChildParentId in (select ParentId from Parent)"
            ),
            (
                "ParentId in (select X from Y)", start,
                "ChildLastModifiedDate > 2024-01-15T12:00:00.000Z and ChildParentId != null"
            ),
        ] as [(String, Int64?, String)])
    func `Changed children of unchanged parents are queried`(filter: String, mark: Int64?, condition: String)
        async throws
    {
        let transport = ScriptedTransport { _ in HTTPAnswer(#"{"totalSize":0,"done":true,"records":[]}"#) }
        let context = context(
            transport, from: HighWaterMark(milliseconds: start, inclusive: false),
            children: mark.map { HighWaterMark(milliseconds: $0, inclusive: false) })
        let target = try unusual(filter: filter)
        let parents = try await target.page(after: nil, in: context)
        let children = try await target.page(after: parents.next, in: context)
        #expect(children.next == nil)
        #expect(
            transport.requests[1][parameter: "q"]
                == "select ChildName, School, ChildId, ChildLastModifiedDate, ChildParentId from Child "
                + "where \(condition) order by ChildLastModifiedDate")
    }

    @Test func `Children of other parents are omitted`() async throws {
        let transport = ScriptedTransport([
            .answer(#"{"totalSize":0,"done":true,"records":[]}"#),
            .answer(
                #"""
                {"totalSize":3,"done":true,"records":[{"ChildId":"c1","ChildParentId":"p1"},
                {"ChildId":"c2","ChildParentId":"p2"},{"ChildId":"c3","ChildParentId":null}]}
                """#),
            .answer(
                to:
                    "GET /v/query?q=select ParentId from Parent where ParentId in ('p1', 'p2') and ParentId in (select X from Y)",
                #"{"totalSize":1,"done":true,"records":[{"ParentId":"p2"}]}"#),
        ])
        let context = context(transport, from: HighWaterMark(milliseconds: start, inclusive: false))
        let target = try unusual(filter: "ParentId in (select X from Y)")
        let parents = try await target.page(after: nil, in: context)
        let children = try await target.page(after: parents.next, in: context)
        #expect(children.dump == [#"1: {"ChildId":"c2","ChildParentId":"p2"}"#, "total 0"])
        #expect(transport.violations == [])
    }

    @Test func `A filter with OR is put into parentheses`() async throws {
        let query = try await query("A = 1 or B = 2", from: HighWaterMark(milliseconds: start, inclusive: true))
        #expect(
            query?.hasSuffix(
                "from Parent where ParentModifiedDate >= 2024-01-15T12:00:00.000Z and (A = 1 or B = 2) "
                    + "order by ParentModifiedDate") == true)
    }

    @Test func `An empty filter queries all parents`() async throws {
        #expect(try await query(" ")?.hasSuffix(" from Parent order by ParentModifiedDate") == true)
    }

    @Test func `Survivors are found for parents and for children`() async throws {
        let transport = ScriptedTransport([
            .answer(
                to: "GET /v/query?q=select ParentId from Parent where School = 'MIT'",
                #"{"totalSize":1,"done":true,"records":[{"ParentId":"p1"}]}"#),
            .answer(
                to: "GET /v/query?q=select ParentId, (select ChildId from Children) from Parent where School = 'MIT'",
                #"""
                {"totalSize":3,"done":false,"nextRecordsUrl":"/v/query/1","records":[
                {"ParentId":"p1","Children":{"totalSize":2,"done":false,"nextRecordsUrl":"/v/query/2",
                "records":[{"ChildId":"c1"}]}}]}
                """#),
            .answer(to: "GET /v/query/2", #"{"totalSize":2,"done":true,"records":[{"ChildId":"c2"}]}"#),
            .answer(
                to: "GET /v/query/1",
                #"""
                {"totalSize":3,"done":true,"records":[{"ParentId":"p2","Children":null},
                {"ParentId":"p3","Children":{"totalSize":1,"done":true,"records":[{"ChildId":"c3"}]}}]}
                """#),
        ])
        let target = try unusual(filter: "School = 'MIT'")
        #expect(try await target.survivors(of: ["p1", "p9"], part: 0, in: context(transport)) == ["p1"])
        #expect(
            try await target.survivors(of: ["c1", "c2", "c3", "c9"], part: 1, in: context(transport))
                == ["c1", "c2", "c3"])
        #expect(transport.violations == [])
    }

    @Test(arguments: [0, 1]) func `IDs that are numbers are matched`(part: Int) async throws {
        let transport = ScriptedTransport([
            .answer(
                #"""
                {"totalSize":1,"done":true,"records":[{"ParentId":7,"Children":{"totalSize":2,"done":true,
                "records":[{"ChildId":1},{"ChildId":2}]}}]}
                """#)
        ])
        let survivors = try await unusual(filter: "").survivors(
            of: ["1", "2", "3", "7"], part: part, in: context(transport))
        #expect(survivors == (part == 0 ? ["7"] : ["1", "2"]))
    }
}

@Suite struct RecordTreePageTests {
    @Test func `Parents and children are split into two batches`() async throws {
        let body = #"""
            {"totalSize":3,"done":true,"records":[
            {"attributes":{"type":"Account"},"Id":"p1","Contacts":{"totalSize":2,"done":true,"records":[
              {"Id":"c1","LastName":"A"}, {"Id":"c2","AccountId":"old"}]},"Name":"x"},
            {"Id":"p2","Contacts":null},{"Id":"p3","Contacts":null}]}
            """#
        let transport = ScriptedTransport([.answer(body)])
        let page = try await accounts().page(after: nil, in: context(transport))
        #expect(
            page.dump == [
                #"0: {"attributes":{"type":"Account"},"Id":"p1","Name":"x"}"#, #"0: {"Id":"p2"}"#, #"0: {"Id":"p3"}"#,
                #"1: {"Id":"c1","LastName":"A","AccountId":"p1"}"#, #"1: {"Id":"c2","AccountId":"p1"}"#, "total 3",
            ])
        #expect(page.parts[0].bytes == Array(body.utf8))
        #expect(page.parts[0].stamps[0].members.map(\.name) == ["Contacts"])
    }

    /// The server returns null for no children.
    ///
    /// Without the member, the response belongs to another query, and every child would be a ghost.
    @Test func `A parent without its children's member is rejected`() async throws {
        let body = #"{"totalSize":1,"done":true,"records":[{"Id":"p1"}]}"#
        let error = await #expect(throws: SoupError.self) {
            try await accounts().page(after: nil, in: context(ScriptedTransport([.answer(body)])))
        }
        #expect(error?.code == .json)
        await #expect(throws: SoupError.self) {
            try await accounts().survivors(of: ["c1"], part: 1, in: context(ScriptedTransport([.answer(body)])))
        }
    }

    /// A page that repeats a child lacks another child.
    @Test func `A child that occurs twice is rejected`() async throws {
        let body = #"""
            {"totalSize":1,"done":true,"records":[{"Id":"p1","Contacts":{"totalSize":2,"done":true,"records":[
            {"Id":"c1"},{"Id":"c1"}]}}]}
            """#
        let error = await #expect(throws: SoupError.self) {
            try await accounts().survivors(of: ["c2"], part: 1, in: context(ScriptedTransport([.answer(body)])))
        }
        #expect(error?.code == .json)
    }

    @Test func `Children on separate pages are fetched`() async throws {
        let transport = ScriptedTransport([
            .answer(
                #"""
                {"totalSize":3,"done":false,"nextRecordsUrl":"/v/query/next","records":[
                {"Id":"p1","Contacts":{"totalSize":3,"done":false,"nextRecordsUrl":"/v/query/c-1","records":[{"Id":"c1"}]}},
                {"Id":"p2","Contacts":{"totalSize":1,"done":true,"records":[{"Id":"d1"}]}}]}
                """#),
            .answer(
                to: "GET /v/query/c-1",
                #"{"totalSize":3,"done":false,"nextRecordsUrl":"/v/query/c-2","records":[{"Id":"c2"}]}"#),
            .answer(to: "GET /v/query/c-2", #"{"totalSize":3,"done":true,"records":[ {"Id":"c3"} ]}"#),
            .answer(to: "GET /v/query/next", #"{"totalSize":3,"done":true,"records":[{"Id":"p3","Contacts":null}]}"#),
        ])
        var pages: [[String]] = []
        var unfinished: [Bool] = []
        var cursor: PageCursor?
        repeat {
            let page = try await accounts().page(after: cursor, in: context(transport))
            pages.append(page.dump.filter { !$0.hasPrefix("next") })
            unfinished.append(page.isUnfinished)
            cursor = page.next
        } while cursor != nil
        #expect(
            pages == [
                [
                    #"0: {"Id":"p1"}"#, #"0: {"Id":"p2"}"#, #"1: {"Id":"c1","AccountId":"p1"}"#,
                    #"1: {"Id":"d1","AccountId":"p2"}"#, "total 3",
                ],
                [#"1: {"Id":"c2","AccountId":"p1"}"#, "total 3"], [#"1: {"Id":"c3","AccountId":"p1"}"#, "total 3"],
                [#"0: {"Id":"p3"}"#, "total 3"],
            ])
        // The mark must not rise before all children of the page were fetched.
        #expect(unfinished == [true, true, false, false])
        #expect(transport.violations == [])
    }

    @Test(arguments: [
        #"{"step":0,"begun":true,"rest":[{"part":0,"parent":"p","url":"/x"}]}"#, #"{"step":2}"#, #"{"step":-1}"#,
        #"{"step":0,"rest":[{"part":1,"parent":7,"url":"/x"}]}"#, "{", "7", "",
        #"{"step":0,"begun":true,"rest":[{"part":1,"parent":"p","url":"//elsewhere"}]}"#,
    ])
    func `A foreign cursor counts as expired`(text: String) async throws {
        let error = await #expect(throws: SoupError.self) {
            try await accounts().page(after: PageCursor(text), in: context(ScriptedTransport([])))
        }
        #expect(error?.code == .cursorExpired)
    }

    @Test(arguments: [
        #"{"Contacts":{"totalSize":1,"records":[{"Id":"c1"}],"done":true}}"#,
        #"{"Id":"p","Contacts":{"records":[{"Id":"c1"}],"done":true}}"#,
        #"{"Id":"p","Contacts":{"totalSize":1,"records":[{"Id":"c1"}]}}"#, #"{"Id":"p","Contacts":7}"#,
        #"{"Id":"p","Contacts":{"done":true}}"#,
    ])
    func `A response that is not a record tree is rejected`(record: String) async throws {
        let transport = ScriptedTransport([.answer(#"{"totalSize":1,"done":true,"records":[\#(record)]}"#)])
        let error = await #expect(throws: SoupError.self) {
            try await accounts().page(after: nil, in: context(transport))
        }
        #expect(error?.code == .json)
    }

    @Test(arguments: [
        #"{"totalSize":24,"done":true,"records":[]}"#, #"{"totalSize":24,"done":true,"records":[{"Id":"c1"}]}"#,
        #"{"totalSize":0,"done":true,"records":[{"Id":"c1"}]}"#,
    ])
    func `Missing children are an error, not ghosts`(children: String) async throws {
        let body = #"{"totalSize":1,"done":true,"records":[{"Id":"p","Contacts":\#(children)}]}"#
        let transport = ScriptedTransport { _ in HTTPAnswer(body) }
        let target = try accounts()
        for work in [
            { _ = try await target.page(after: nil, in: context(transport)) },
            { _ = try await target.survivors(of: ["c1", "c2"], part: 1, in: context(transport)) },
        ] {
            let error = await #expect(throws: SoupError.self) { try await work() }
            #expect(error?.code == .incompleteAnswer)
        }
    }

    /// A child may have been deleted between two pages; the restarted query then announces fewer children.
    @Test func `Children missing on a later page restart the query`() async throws {
        let transport = ScriptedTransport([
            .answer(
                #"""
                {"totalSize":1,"done":true,"records":[{"Id":"p","Contacts":{"totalSize":3,"done":false,
                "nextRecordsUrl":"/v/query/c-1","records":[{"Id":"c1"}]}}]}
                """#), .answer(to: "GET /v/query/c-1", #"{"totalSize":3,"done":true,"records":[{"Id":"c2"}]}"#),
        ])
        let first = try await accounts().page(after: nil, in: context(transport))
        let error = await #expect(throws: SoupError.self) {
            try await accounts().page(after: first.next, in: context(transport))
        }
        #expect(error?.code == .cursorExpired)
    }

    @Test func `The layout contains both levels`() throws {
        let target = try unusual(filter: "")
        #expect(
            target.layout
                == RecordLayout(parts: [
                    .init(soup: "parentsSoup", idField: "ParentId", modificationDateField: "ParentModifiedDate"),
                    .init(
                        soup: "childrenSoup", idField: "ChildId", modificationDateField: "ChildLastModifiedDate",
                        parentIdField: "ChildParentId"),
                ]))
        #expect(target.ordersByModificationDate)
    }
}

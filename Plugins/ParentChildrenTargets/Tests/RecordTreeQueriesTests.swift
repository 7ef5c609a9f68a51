// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import ParentChildrenTargets
import SoupCore
import SoupTesting
import Testing

private let start: Int64 = 1_705_320_000_000

@Suite struct RecordTreeQueriesTests {
    private func query(
        _ filter: String, from mark: HighWaterMark? = nil, children: HighWaterMark? = nil,
        changedChildrenOnly: Bool = false
    ) async throws -> String? {
        let transport = ScriptedTransport { _ in HTTPAnswer(#"{"totalSize":0,"done":true,"records":[]}"#) }
        _ = try await unusualTarget(filter: filter, changedChildrenOnly: changedChildrenOnly).page(
            after: nil, in: downContext(transport, from: mark, children: children))
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
        let context = downContext(
            transport, from: HighWaterMark(milliseconds: start, inclusive: false),
            children: mark.map { HighWaterMark(milliseconds: $0, inclusive: false) })
        let target = try unusualTarget(filter: filter)
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
        let context = downContext(transport, from: HighWaterMark(milliseconds: start, inclusive: false))
        let target = try unusualTarget(filter: "ParentId in (select X from Y)")
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
        let target = try unusualTarget(filter: "School = 'MIT'")
        #expect(try await target.survivors(of: ["p1", "p9"], level: 0, in: downContext(transport)) == ["p1"])
        #expect(
            try await target.survivors(of: ["c1", "c2", "c3", "c9"], level: 1, in: downContext(transport))
                == ["c1", "c2", "c3"])
        #expect(transport.violations == [])
    }

    @Test(arguments: [0, 1]) func `IDs that are numbers are matched`(level: Int) async throws {
        let transport = ScriptedTransport([
            .answer(
                #"""
                {"totalSize":1,"done":true,"records":[{"ParentId":7,"Children":{"totalSize":2,"done":true,
                "records":[{"ChildId":1},{"ChildId":2}]}}]}
                """#)
        ])
        let survivors = try await unusualTarget(filter: "").survivors(
            of: ["1", "2", "3", "7"], level: level, in: downContext(transport))
        #expect(survivors == (level == 0 ? ["7"] : ["1", "2"]))
    }
}

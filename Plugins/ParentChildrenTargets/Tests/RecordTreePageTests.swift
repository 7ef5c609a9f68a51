// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import ParentChildrenTargets
import SoupCore
import SoupTesting
import Testing

@Suite struct RecordTreePageTests {
    @Test func `Parents and children are split into two batches`() async throws {
        let body = #"""
            {"totalSize":3,"done":true,"records":[
            {"attributes":{"type":"Account"},"Id":"p1","Contacts":{"totalSize":2,"done":true,"records":[
              {"Id":"c1","LastName":"A"}, {"Id":"c2","AccountId":"old"}]},"Name":"x"},
            {"Id":"p2","Contacts":null},{"Id":"p3","Contacts":null}]}
            """#
        let transport = ScriptedTransport([.answer(body)])
        let page = try await accountsTarget().page(after: nil, in: downContext(transport))
        #expect(
            page.dump == [
                #"0: {"attributes":{"type":"Account"},"Id":"p1","Name":"x"}"#, #"0: {"Id":"p2"}"#, #"0: {"Id":"p3"}"#,
                #"1: {"Id":"c1","LastName":"A","AccountId":"p1"}"#, #"1: {"Id":"c2","AccountId":"p1"}"#, "total 3",
            ])
        #expect(page.levels[0].bytes == Array(body.utf8))
        #expect(page.levels[0].stamps[0].members.map(\.name) == ["Contacts"])
    }

    /// The server returns null for no children.
    ///
    /// Without the member, the response belongs to another query, and every child would be a ghost.
    @Test func `A parent without its children's member is rejected`() async throws {
        let body = #"{"totalSize":1,"done":true,"records":[{"Id":"p1"}]}"#
        let error = await #expect(throws: SoupError.self) {
            try await accountsTarget().page(after: nil, in: downContext(ScriptedTransport([.answer(body)])))
        }
        #expect(error?.code == .json)
        await #expect(throws: SoupError.self) {
            try await accountsTarget().survivors(
                of: ["c1"], level: 1, in: downContext(ScriptedTransport([.answer(body)])))
        }
    }

    /// A page that repeats a child lacks another child.
    @Test func `A child that occurs twice is rejected`() async throws {
        let body = #"""
            {"totalSize":1,"done":true,"records":[{"Id":"p1","Contacts":{"totalSize":2,"done":true,"records":[
            {"Id":"c1"},{"Id":"c1"}]}}]}
            """#
        let error = await #expect(throws: SoupError.self) {
            try await accountsTarget().survivors(
                of: ["c2"], level: 1, in: downContext(ScriptedTransport([.answer(body)])))
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
            let page = try await accountsTarget().page(after: cursor, in: downContext(transport))
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
            try await accountsTarget().page(after: PageCursor(text), in: downContext(ScriptedTransport([])))
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
            try await accountsTarget().page(after: nil, in: downContext(transport))
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
        let target = try accountsTarget()
        for work in [
            { _ = try await target.page(after: nil, in: downContext(transport)) },
            { _ = try await target.survivors(of: ["c1", "c2"], level: 1, in: downContext(transport)) },
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
        let first = try await accountsTarget().page(after: nil, in: downContext(transport))
        let error = await #expect(throws: SoupError.self) {
            try await accountsTarget().page(after: first.next, in: downContext(transport))
        }
        #expect(error?.code == .cursorExpired)
    }

    @Test func `The layout contains both levels`() throws {
        let target = try unusualTarget(filter: "")
        #expect(
            target.layout
                == RecordLayout(levels: [
                    .init(soup: "parentsSoup", idField: "ParentId", modificationDateField: "ParentModifiedDate"),
                    .init(
                        soup: "childrenSoup", idField: "ChildId", modificationDateField: "ChildLastModifiedDate",
                        parentIdField: "ChildParentId"),
                ]))
        #expect(target.ordersByModificationDate)
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import MRUTargets
import SoupCore
import SoupTesting
import Testing

private func target(_ fieldlist: [String], id: String = "Id") throws -> MRUSyncDownTarget {
    try MRUSyncDownTarget(
        configuration: .init(sobjectType: "Account", fieldlist: fieldlist, idFieldName: id))
}

private func context(_ transport: any HTTPTransport) -> SyncContext {
    SyncContext(transport: transport, basePath: "/v", clock: ManualClock(), soup: "accounts")
}

@Suite struct MRUSyncDownTargetTests {
    @Test func `The list is requested, then its records`() async throws {
        let transport = ScriptedTransport([
            .answer(to: "GET /v/sobjects/Account", #"{"objectDescribe":{},"recentItems":[{"Id":"A1"},{"Id":"A2"}]}"#),
            .answer(
                to: "GET /v/query?q=select Id, Name, LastModifiedDate from Account where Id IN ('A1', 'A2')",
                #"{"totalSize":2,"done":true,"records":[{"Id":"A1","Name":"x"},{"Id":"A2","Name":null}]}"#,
                headers: [.date: "Mon, 15 Jan 2024 12:00:00 GMT"]),
        ])
        let page = try await target(["Id", "Name"]).page(after: nil, in: context(transport))
        #expect(
            page.dump == [
                #"{"Id":"A1","Name":"x"}"#, #"{"Id":"A2","Name":null}"#, "total 2", "at 2024-01-15T12:00:00.000+0000",
            ])
        #expect(transport.violations == [])
    }

    @Test func `Missing fields are added`() async throws {
        let transport = ScriptedTransport([
            .answer(#"{"recentItems":[{"Id":"A1"}]}"#),
            .answer(
                to: "GET /v/query?q=select Name, Description, Id, LastModifiedDate from Account where Id IN ('A1')",
                #"{"totalSize":0,"done":true,"records":[]}"#),
        ])
        _ = try await target(["Name", "Description"]).page(after: nil, in: context(transport))
        #expect(transport.violations == [])
    }

    @Test func `An empty list needs no query`() async throws {
        let transport = ScriptedTransport([.answer(to: "GET /v/sobjects/Account", #"{"recentItems":[]}"#)])
        #expect(try await target(["Name"]).page(after: nil, in: context(transport)).dump == ["total 0"])
        #expect(transport.violations == [])
    }

    @Test func `An ID cannot change the query`() async throws {
        let transport = ScriptedTransport([
            .answer(#"{"recentItems":[{"Id":"x') or (Name != '"}]}"#),
            .answer(
                to:
                    "GET /v/query?q=select Name, Id, LastModifiedDate from Account where Id IN ('x\\') or (Name != \\'')",
                #"{"totalSize":0,"done":true,"records":[]}"#),
        ])
        _ = try await target(["Name"]).page(after: nil, in: context(transport))
        #expect(transport.violations == [])
    }

    @Test func `Another ID field is used if the list contains it`() async throws {
        func query(_ items: String) async throws -> String? {
            let transport = ScriptedTransport([
                .answer(#"{"recentItems":[\#(items)]}"#), .answer(#"{"totalSize":0,"done":true,"records":[]}"#),
            ])
            _ = try await target(["Name"], id: "Ext").page(after: nil, in: context(transport))
            return transport.requests[1][parameter: "q"]?.split(separator: " where ").last.map(String.init)
        }
        #expect(try await query(#"{"Id":"A1","Ext":"E1"}"#) == "Ext IN ('E1')")
        #expect(try await query(#"{"Id":"A1"}"#) == "Id IN ('A1')")
    }

    @Test func `Survivors are requested in slices`() async throws {
        let ids = (0..<600).map { "001xx000000account\($0)" }
        let transport = ScriptedTransport { request in
            let soql = request[parameter: "q"] ?? ""
            let found = ids.filter { soql.contains("'\($0)'") && !$0.hasSuffix("3") }
            let records = found.map { #"{"Id":"\#($0)"}"# }.joined(separator: ",")
            return HTTPAnswer(#"{"totalSize":\#(found.count),"done":true,"records":[\#(records)]}"#)
        }
        let survivors = try await target(["Name"]).survivors(of: ids, level: 0, in: context(transport))
        #expect(survivors == Set(ids.filter { !$0.hasSuffix("3") }))
        #expect(transport.requests.count == 3)
        #expect(transport.requests[0][parameter: "q"]?.hasPrefix("select Id from Account where Id IN ('001xx") == true)
    }

    @Test func `The published target object is accepted`() throws {
        var problems: [ConfigurationProblem] = []
        let registry = try PluginRegistry([MRUTargetsModule()])
        let text = #"{"type":"mru","sobjectType":"Account","fieldlist":["Name","Description"]}"#
        let target = registry.downTarget(TargetReference(try JSONValue(parsing: text)), problems: &problems)
        #expect(target is MRUSyncDownTarget)
        #expect(problems.map(\.description) == [])
    }

    @Test func `The target passes the conformance suite`() async throws {
        try await SyncDownTargetSuite(
            MRUSyncDownTarget.self, configuration: #"{"sobjectType": "Account", "fieldlist": ["Name"]}"#,
            badConfigurations: [
                "{}", #"{"sobjectType": "Account"}"#, #"{"sobjectType": "", "fieldlist": []}"#,
                #"{"sobjectType": "A B", "fieldlist": []}"#, #"{"sobjectType": "A", "fieldlist": ["x from"]}"#,
                #"{"sobjectType": "A", "fieldlist": "Name"}"#,
            ], singlePage: true
        ) { request in
            let ids = (1...3).map { "00100000000000\($0)" }
            guard let soql = request[parameter: "q"] else {
                let items = ids.map { #"{"Id":"\#($0)"}"# }.joined(separator: ",")
                return HTTPAnswer(#"{"recentItems":[\#(items)]}"#)
            }
            let found = ids.filter { soql.contains("'\($0)'") }
            let records = found.map { id in
                #"{"Id":"\#(id)","LastModifiedDate":"2024-01-15T12:00:0\#(id.suffix(1)).000+0000"}"#
            }
            return HTTPAnswer(
                #"{"totalSize":\#(found.count),"done":true,"records":[\#(records.joined(separator: ","))]}"#)
        }.check()
    }
}

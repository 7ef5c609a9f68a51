// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SOQLTargets
import SoupCore
import SoupTesting
import Testing

private func target(_ query: String, rewrite: Bool = true, id: String = "Id") throws -> SOSLSyncDownTarget {
    try SOSLSyncDownTarget(configuration: .init(query: query, rewrite: rewrite, idFieldName: id))
}

private func context(_ transport: any HTTPTransport) -> SyncContext {
    SyncContext(transport: transport, basePath: "/v", clock: ManualClock(), soup: "accounts")
}

private func found(_ ids: [String]) -> String {
    let records = ids.map { #"{"attributes":{"type":"Account"},"Id":"\#($0)","LastModifiedDate":null}"# }
    return #"{"searchRecords":[\#(records.joined(separator: ","))]}"#
}

@Suite struct SOSLSyncDownTargetTests {
    @Test func `All results are on one page`() async throws {
        let transport = ScriptedTransport([
            .answer(
                to: "GET /v/search?q=find {Joe} in name fields returning Account(Id,LastModifiedDate,Name)",
                #"{"searchRecords":[ {"Id":"A1", "Name":"Joe"},{"Id":"A2"}]}"#,
                headers: [.date: "Mon, 15 Jan 2024 12:00:00 GMT"])
        ])
        let page = try await target("find {Joe} in name fields returning Account(Name)").page(
            after: nil, in: context(transport))
        #expect(
            page.dump == [
                #"{"Id":"A1", "Name":"Joe"}"#, #"{"Id":"A2"}"#, "total 2", "at 2024-01-15T12:00:00.000+0000",
            ])
        #expect(transport.violations == [])
    }

    @Test func `A search without rewriting is sent unchanged`() async throws {
        let query = "FIND {O\\'Neil \\& \\(x\\)} RETURNING Account(Name)"
        let transport = ScriptedTransport([.answer(#"{"searchRecords":[]}"#)])
        let page = try await target(query, rewrite: false).page(after: nil, in: context(transport))
        #expect(page.dump == ["total 0"])
        #expect(transport.requests[0][parameter: "q"] == query)
    }

    @Test func `Entries that the search no longer finds are ghosts`() async throws {
        let transport = ScriptedTransport { _ in HTTPAnswer(found(["001000000000001AAA", "001000000000003AAA"])) }
        let ids = ["001000000000001", "001000000000002AAA", "001000000000003AAA"]
        let survivors = try await target("find {x} returning Account").survivors(
            of: ids, level: 0, in: context(transport))
        #expect(survivors == ["001000000000001", "001000000000003AAA"])
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: [
        ("find {x} returning Account(Name limit 2), Lead", ["a", "b", "c"]),
        ("find {x} returning Account limit 2", ["a", "b", "c"]), ("find {x} returning Account limit 3", ["a", "b"]),
        ("find {x} limit 2", ["a", "b", "c", "d"]),
    ])
    func `An entry beyond a limit is not a ghost`(query: String, survivors: [String]) async throws {
        let transport = ScriptedTransport { request in
            guard let soql = request[parameter: "q"], request.pathWithoutQuery.hasSuffix("query") else {
                return HTTPAnswer(found(["a", "b"]))
            }
            let isKnown = soql.contains("from Account") && soql.contains("'c'")
            let known = isKnown ? #"{"Id":"c"}"# : ""
            return HTTPAnswer(#"{"totalSize":\#(isKnown ? 1 : 0),"done":true,"records":[\#(known)]}"#)
        }
        #expect(
            try await target(query).survivors(of: ["a", "b", "c", "d"], level: 0, in: context(transport))
                == Set(survivors))
    }

    @Test func `Problems name their place`() throws {
        func problems(_ text: String) throws -> [String] {
            var problems: [ConfigurationProblem] = []
            let registry = try PluginRegistry([SOQLTargetsModule()])
            _ = registry.downTarget(
                TargetReference(try JSONValue(parsing: text)), at: [.key("target")], problems: &problems)
            return problems.map { $0.place.path ?? "?" }
        }
        #expect(try problems(#"{"type":"sosl","query":"FIND {Joe} IN NAME FIELDS RETURNING Account"}"#) == [])
        #expect(try problems(#"{"iOSImpl":"SFSoslSyncDownTarget","query":"FIND {Joe}"}"#) == [])
        #expect(try problems(#"{"type":"sosl"}"#) == ["target.query"])
        #expect(try problems(#"{"type":"sosl","query":"FIND Joe"}"#) == ["target.query"])
        #expect(try problems(#"{"type":"sosl","query":"FIND {Joe}","rewrite":1}"#) == ["target.rewrite"])
    }

    @Test func `The target passes the conformance suite`() async throws {
        try await SyncDownTargetSuite(
            SOSLSyncDownTarget.self, configuration: #"{"query": "find {x} returning Account(Name)"}"#,
            badConfigurations: ["{}", #"{"query": ""}"#, #"{"query": "find"}"#, #"{"query": ["x"]}"#], singlePage: true
        ) { _ in
            let records = (1...3).map {
                #"{"Id":"00100000000000\#($0)","LastModifiedDate":"2024-01-15T12:00:0\#($0).000+0000"}"#
            }
            return HTTPAnswer(#"{"searchRecords":[\#(records.joined(separator: ","))]}"#)
        }.check()
    }
}

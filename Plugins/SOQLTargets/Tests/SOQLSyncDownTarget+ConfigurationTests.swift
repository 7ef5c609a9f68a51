// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SOQLTargets
import SoupCore
import SoupTesting
import Testing

private let start: Int64 = 1_705_320_000_000

@Suite struct SOQLSyncDownTargetConfigurationTests {
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
        (#"{"type":"soql","query":"SELECT Id FROM A","lookback":-1}"#, ["target.lookback"]),
        (#"{"type":"soql","query":"SELECT Id FROM A","lookback":1e9}"#, ["target.lookback"]),
    ])
    func `Problems name their place`(text: String, places: [String]) throws {
        #expect(try problems(text) == places)
    }

    /// Without the date, LEAVE_IF_CHANGED and MERGE cannot detect the changes of other users.
    @Test(arguments: [
        ("soql", "SELECT Id, Name FROM Account", ["query"]),
        ("soql", "SELECT Id, Name, lastmodifieddate FROM Account", []),
        ("soql", "SELECT FIELDS(ALL) FROM Account LIMIT 200", []),
        ("sosl", "FIND {x} RETURNING Account(Id), Lead(Id)", ["query"]),
        ("sosl", "FIND {x} RETURNING Account(Id, LastModifiedDate)", []),
    ])
    func `An unchanged query without the date is reported`(type: String, query: String, places: [String]) throws {
        for isUnchanged in [true, false] {
            let json: JSONValue = ["type": .string(type), "query": .string(query), "rewrite": .bool(!isUnchanged)]
            var errors: [ConfigurationProblem] = []
            let registry = try PluginRegistry([SOQLTargetsModule()])
            let target = try #require(registry.downTarget(TargetReference(json), problems: &errors))
            let warnings = target.problems(with: SyncOptions())
            #expect(warnings.map(\.place.path) == (isUnchanged ? places : []))
            #expect(warnings.allSatisfy { $0.severity == .warning })
        }
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

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import BriefcaseTargets
import SoupCore
import SoupTesting
import Testing

private let start: Int64 = 1_705_320_000_000

@Suite struct BriefcaseSyncDownTargetConfigurationTests {
    @Test func `The published target object is accepted`() throws {
        var problems: [ConfigurationProblem] = []
        let registry = try PluginRegistry([BriefcaseTargetsModule()])
        let text = #"""
            {"infos": [{"sobjectType": "Account", "fieldlist": ["Name", "Description"], "soupName": "accounts"},
              {"sobjectType": "Contact", "fieldlist": ["FirstName"], "idFieldName": "IdX",
               "modificationDateFieldName": "LastModifiedDateX", "soupName": "contacts"}], "type": "briefcase"}
            """#
        let target = registry.downTarget(TargetReference(try JSONValue(parsing: text)), problems: &problems)
        #expect(problems.map(\.description) == [])
        #expect(
            target?.layout?.levels == [
                .init(soup: "accounts"),
                .init(soup: "contacts", idField: "IdX", modificationDateField: "LastModifiedDateX"),
            ])
    }

    @Test func `The target passes the conformance suite`() async throws {
        let info = #""soupName": "s", "sobjectType": "Account""#
        let briefcase = BriefcaseServer(
            (1...3).map { .init(type: "Account", id: "00100000000000\($0)", time: start + Int64($0) * 1000) }
                + (1...2).map {
                    .init(type: "Contact", id: "00300000000000\($0)", time: start + Int64($0) * 1000 + 500)
                })
        briefcase.with { $0.pageSize = 4 }
        try await SyncDownTargetSuite(
            BriefcaseSyncDownTarget.self,
            configuration: #"""
                {"countIdsPerRetrieve": 2, "infos": [
                  {"soupName": "accounts", "sobjectType": "Account", "fieldlist": ["Name"]},
                  {"soupName": "contacts", "sobjectType": "Contact", "fieldlist": ["LastName"]}]}
                """#,
            badConfigurations: [
                "{}", #"{"infos": []}"#, #"{"infos": {}}"#, #"{"infos": [{}]}"#, #"{"infos": [{\#(info)}]}"#,
                #"{"infos": [{\#(info), "fieldlist": ["x from"]}]}"#,
                #"{"infos": [{\#(info), "fieldlist": []}, {"soupName": "t", "sobjectType": "ACCOUNT", "fieldlist": []}]}"#,
                #"{"infos": [{"soupName": "", "sobjectType": "Account", "fieldlist": []}]}"#,
                #"{"infos": [{"soupName": "s", "sobjectType": "A B", "fieldlist": []}]}"#,
                #"{"infos": [{\#(info), "fieldlist": []}], "countIdsPerRetrieve": "all"}"#,
            ]
        ) { try briefcase.answer($0) }.check()
    }
}

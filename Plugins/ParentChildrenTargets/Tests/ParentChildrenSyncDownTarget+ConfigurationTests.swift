// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import ParentChildrenTargets
import SoupCore
import SoupTesting
import Testing

@Suite struct ParentChildrenSyncDownTargetConfigurationTests {
    @Test func `The published target object is accepted`() throws {
        let text = #"""
            {"parent":{"idFieldName":"IdX","sobjectType":"Account","modificationDateFieldName":"LastModifiedDateX",
            "soupName":"accounts"},"parentFieldlist":["IdX","Name","Description"],"children":{"parentIdFieldName":"AccountId",
            "idFieldName":"IdY","sobjectType":"Contact","modificationDateFieldName":"LastModifiedDateY","soupName":"contacts",
            "sobjectTypePlural":"Contacts"},"childrenFieldlist":["LastName","AccountId"],"relationshipType":"MASTER_DETAIL",
            "parentSoqlFilter":"NameX like 'James%'","type":"parent_children"}
            """#
        var problems: [ConfigurationProblem] = []
        let registry = try PluginRegistry([ParentChildrenTargetsModule()])
        let target = registry.downTarget(TargetReference(try JSONValue(parsing: text)), problems: &problems)
        #expect(problems.map(\.description) == [])
        #expect(target?.layout?.relationship == .masterDetail)
        #expect(target?.idField == "IdX")
        #expect(target?.modificationDateField == "LastModifiedDateX")
    }

    @Test func `Field names have defaults`() throws {
        let text = #"""
            {"type":"parent_children","parent":{"sobjectType":"Account","soupName":"accounts"},"parentFieldlist":[],
            "children":{"sobjectType":"Contact","sobjectTypePlural":"Contacts","soupName":"contacts",
            "parentIdFieldName":"AccountId"},"childrenFieldlist":[],"parentSoqlFilter":""}
            """#
        var problems: [ConfigurationProblem] = []
        let registry = try PluginRegistry([ParentChildrenTargetsModule()])
        let target = registry.downTarget(TargetReference(try JSONValue(parsing: text)), problems: &problems)
        #expect(problems.map(\.description) == [])
        #expect(target?.layout?.levels.map(\.idField) == ["Id", "Id"])
        #expect(target?.layout?.levels.map(\.modificationDateField) == ["LastModifiedDate", "LastModifiedDate"])
        #expect(target?.layout?.relationship == .lookup)
    }

    @Test func `The target passes the conformance suite`() async throws {
        let tree = #"""
            "parent":{"sobjectType":"Account","soupName":"accounts"},
            "children":{"sobjectType":"Contact","sobjectTypePlural":"Contacts","soupName":"contacts",
            "parentIdFieldName":"AccountId"}
            """#
        let lists = #""parentFieldlist":["Name"],"childrenFieldlist":["LastName"]"#
        try await SyncDownTargetSuite(
            ParentChildrenSyncDownTarget.self, configuration: "{\(tree),\(lists)}",
            badConfigurations: [
                "{}", "{\(tree)}", "{\(lists)}", #"{\#(tree),\#(lists),"parentSoqlFilter":"Name ="}"#,
                #"{\#(tree),\#(lists),"relationshipType":"FRIENDS"}"#,
                #"{\#(tree),\#(lists),"parentSoqlFilter":7}"#,
                #"{\#(tree),\#(lists),"parentSoqlFilter":"Name != null GROUP BY Id"}"#,
                #"{\#(tree),"parentFieldlist":["count(Name)"],"childrenFieldlist":["LastName"]}"#,
                #"{"parent":{"sobjectType":"A","soupName":"s"},"children":{"sobjectType":"B","soupName":"t"},\#(lists)}"#,
                "{\(tree.replacing("contacts", with: "accounts")),\(lists)}",
            ]
        ) { request in
            if request.pathWithoutQuery == "/query" {
                if request[parameter: "q"]?.lowercased().hasPrefix("select id from contact ") == true {
                    return children([Self.first, Self.second])
                }
                return request[parameter: "q"]?.contains("(select") == false
                    ? page([Self.first, Self.second], next: nil) : page([Self.first], next: "/next")
            }
            return request.pathWithoutQuery == "/next" ? page([Self.second], next: nil) : HTTPAnswer(status: 404, "[]")
        }.check()
    }

    private static let (first, second) = ("0010000000000p1", "0010000000000p2")

    private static func date(of id: String) -> String {
        #""LastModifiedDate":"2024-01-15T12:00:0\#(id.suffix(1)).000+0000""#
    }

    /// Returns the two children of a parent.
    private static func children(of id: String) -> [String] {
        ["a", "b"].map { #"{"Id":"003000000000\#(id.suffix(2))\#($0)",\#(date(of: id))}"# }
    }

    /// Returns the children of parents as the result of a query.
    private func children(_ ids: [String]) -> HTTPAnswer {
        let records = ids.flatMap(Self.children)
        return HTTPAnswer(
            #"{"totalSize":\#(records.count),"done":true,"records":[\#(records.joined(separator: ","))]}"#)
    }

    /// Returns a page of parents with two children each.
    private func page(_ ids: [String], next: String?) -> HTTPAnswer {
        let records = ids.map { id in
            let children = Self.children(of: id).joined(separator: ",")
            return
                #"{"Id":"\#(id)",\#(Self.date(of: id)),"Contacts":{"totalSize":2,"done":true,"records":[\#(children)]}}"#
        }
        let link = next.map { #","nextRecordsUrl":"\#($0)""# } ?? ""
        return HTTPAnswer(
            #"{"totalSize":2,"done":\#(next == nil)\#(link),"records":[\#(records.joined(separator: ","))]}"#)
    }
}

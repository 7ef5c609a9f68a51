// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SoupCore
import SoupKit
import Testing

/// Invalid values for each key of each target: the error names the place and the allowed values, and no Swift types.
@Suite struct ConfigurationValueTests {
    /// Target objects with every key that their README names.
    static let targets: [(type: SyncType, json: JSONValue)] = [
        (
            .syncDown,
            [
                "type": "soql", "query": "SELECT Name FROM Account", "rewrite": true, "maxBatchSize": 500,
                "idFieldName": "Id", "modificationDateFieldName": "LastModifiedDate", "deletes": "incremental",
                "bulk": "auto", "bulkThreshold": 1000, "lookback": 60,
            ]
        ),
        (
            .syncDown,
            [
                "type": "sosl", "query": "FIND {Acme} RETURNING Account(Name)", "rewrite": true, "idFieldName": "Id",
                "modificationDateFieldName": "LastModifiedDate",
            ]
        ),
        (
            .syncDown,
            [
                "type": "mru", "sobjectType": "Account", "fieldlist": ["Name"], "idFieldName": "Id",
                "modificationDateFieldName": "LastModifiedDate",
            ]
        ),
        (
            .syncDown,
            [
                "type": "refresh", "soupName": "accounts", "sobjectType": "Account", "fieldlist": ["Name"],
                "countIdsPerSoql": 100, "coundIdsPerSoql": 100, "idFieldName": "Id", "lookback": 60,
                "deletes": "incremental",
                "modificationDateFieldName": "LastModifiedDate",
            ]
        ),
        (
            .syncDown,
            [
                "type": "layout", "sobjectType": "Account", "formFactor": "Medium", "layoutType": "Compact",
                "mode": "Edit", "recordTypeId": "012000000000000AAA", "idFieldName": "Id",
            ]
        ),
        (.syncDown, ["type": "metadata", "sobjectType": "Account", "idFieldName": "Id"]),
        (
            .syncDown,
            [
                "type": "briefcase", "countIdsPerRetrieve": 100, "lookback": 60, "deletes": "incremental",
                "infos": [
                    [
                        "sobjectType": "Account", "soupName": "accounts", "fieldlist": ["Name"], "idFieldName": "Id",
                        "modificationDateFieldName": "LastModifiedDate",
                    ]
                ],
            ]
        ),
        (
            .syncDown,
            parentChildren([
                "parentFieldlist": ["Name"], "childrenFieldlist": ["LastName"],
                "parentSoqlFilter": "Name != null", "maxBatchSize": 500, "changedChildrenOnly": true,
                "lookback": 60, "deletes": "incremental",
                "childrenOfUnchangedParents": true,
            ])
        ),
        (
            .syncUp,
            parentChildren([
                "createFieldlist": ["Name"], "updateFieldlist": ["Name"],
                "childrenCreateFieldlist": ["LastName"], "childrenUpdateFieldlist": ["LastName"], "allOrNone": true,
            ])
        ),
        // The developer guide's names of the lists. A list must not have both names.
        (.syncUp, parentChildren(["parentCreateFieldlist": ["Name"], "parentUpdateFieldlist": ["Name"]])),
        (.syncUp, sobject("rest")), (.syncUp, sobject("batch")), (.syncUp, sobject("single")),
    ]

    private static func sobject(_ type: String) -> JSONValue {
        [
            "type": .string(type), "createFieldlist": ["Name"], "updateFieldlist": ["Name"],
            "externalIdFieldName": "Key__c", "clientKeyFieldName": "Client__c", "sobjectType": "Account",
            "maxBatchSize": 10, "idFieldName": "Id",
            "strict": true,
            "modificationDateFieldName": "LastModifiedDate",
        ]
    }

    private static func parentChildren(_ more: JSONObject) -> JSONValue {
        let names: JSONObject = [
            "idFieldName": "Id", "modificationDateFieldName": "LastModifiedDate", "externalIdFieldName": "Key__c",
            "clientKeyFieldName": "Client__c",
        ]
        var parent: JSONObject = ["sobjectType": "Account", "soupName": "accounts"]
        var child: JSONObject = [
            "sobjectType": "Contact", "soupName": "contacts", "sobjectTypePlural": "Contacts",
            "parentIdFieldName": "AccountId", "fieldlist": ["LastName"], "createFieldlist": ["LastName"],
            "updateFieldlist": ["LastName"], "relationshipType": "LOOKUP", "reparentable": true,
        ]
        for (key, value) in names.members { (parent[key], child[key]) = (value, value) }
        var json: JSONObject = ["type": "parent_children", "relationshipType": "LOOKUP", "parent": .object(parent)]
        json["children"] = .object(child)
        for (key, value) in more.members { json[key] = value }
        return .object(json)
    }

    /// Returns the problems of an otherwise valid file with one sync that has this target.
    static func problems(_ type: SyncType, _ target: JSONValue) throws -> [ConfigurationProblem] {
        let indexes = ["Id", "AccountId", "__local__"].map { IndexSpec(JSONPath($0), .string) }
        let store = StoreConfig(soups: [.init("accounts", indexes), .init("contacts", indexes)])
        let sync: JSONValue = [
            "syncName": "s", "syncType": .string(type.rawValue), "soupName": "accounts", "target": target,
            "options": ["mergeMode": "OVERWRITE", "fieldlist": ["Name"]],
        ]
        let text = Array(try JSONValue.object(["syncs": [sync]]).jsonText().bytes)
        return SyncsConfig.read(text, file: "usersyncs.json", registry: .standard, soups: .registered(store)).problems
    }

    @Test func `The table has every key of the READMEs`() throws {
        for (type, target) in Self.targets {
            #expect(try Self.problems(type, target).map(\.description) == [], "\(target)")
        }
        // The configurations of the targets for any service are tested with their module.
        let named = Set(
            PluginRegistry.standard.targets.filter { $0.name != "http" }.map { "\($0.kind.rawValue) \($0.name)" })
        let here = Set(
            Self.targets.map { type, json in "\(type == .syncDown ? "down" : "up") \(json["type"]?.stringValue ?? "")" }
        )
        #expect(here == named)
        let keys = Set(
            Self.targets.flatMap { Self.values(in: $0.json) }.compactMap { path in
                if case .key(let key)? = path.last { key } else { nil }
            })
        for readme in try Self.readmes() {
            for line in readme.split(separator: "\n") where line.hasPrefix("| `") {
                let cell = line.dropFirst().split(separator: "|")[0]
                for name in cell.split(separator: "`").filter({ $0.contains(where: \.isLetter) }) {
                    let key = String(name.split(separator: ".").last ?? "")
                    #expect(keys.contains(key) || Self.notKeys.contains(key), "the table lacks \(name)")
                }
            }
        }
    }

    /// First cells of tables that are not keys of targets.
    private static let notKeys: Set<String> = ["soql", "sosl", "refresh", "layout", "metadata", "*", "infos[]"]

    private static func readmes() throws -> [String] {
        let plugins = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../../Plugins")
        return try FileManager.default.contentsOfDirectory(atPath: plugins.path).filter {
            $0.hasSuffix("Targets") && $0 != "RESTTargets"
        }.map {
            try String(contentsOf: plugins.appending(path: "\($0)/README.md"), encoding: .utf8)
        }
    }

    /// Replaces every value of every target with values of other types.
    @Test func `A value of a wrong type is reported with its place`() throws {
        var count = 0
        for (type, target) in Self.targets {
            for path in Self.values(in: target) where path != [.key("type")] {
                for wrong in Self.wrong(for: Self.value(at: path, in: target)) {
                    let problems = try Self.problems(type, Self.replacing(path, in: target, by: wrong))
                    let place = ([.key("syncs"), .index(0), .key("target")] + path).text
                    let found = problems.filter { $0.severity == .error }
                    #expect(found.map(\.place.path) == [place], "\(target["type"] ?? .null) \(place) \(wrong) \(found)")
                    for problem in found { Self.expectReadable(problem) }
                    count += 1
                }
            }
        }
        #expect(count > 250)
    }

    static let words: [(key: [ConfigurationStep], word: String, known: [String], nearest: String?, of: String)] = [
        ([.key("deletes")], "incremental ", ["compare", "incremental"], "incremental", "soql"),
        ([.key("deletes")], "Compare", ["compare", "incremental"], "compare", "soql"),
        ([.key("bulk")], "newer", ["auto", "never"], "never", "soql"),
        ([.key("bulk")], "sometimes", ["auto", "never"], nil, "soql"),
        ([.key("formFactor")], "Lange", ["Large", "Medium", "Small"], "Large", "layout"),
        ([.key("layoutType")], "Ful", ["Full", "Compact"], "Full", "layout"),
        ([.key("mode")], "Veiw", ["View", "Edit", "Create"], "View", "layout"),
        ([.key("relationshipType")], "LOKUP", ["MASTER_DETAIL", "LOOKUP"], "LOOKUP", "parent_children"),
        (
            [.key("children"), .key("relationshipType")], "MASTERDETAIL", ["MASTER_DETAIL", "LOOKUP"], "MASTER_DETAIL",
            "parent_children"
        ),
    ]

    @Test(arguments: words.indices) func `The error for an unknown word lists the known words`(index: Int) throws {
        let (key, word, known, nearest, name) = Self.words[index]
        for (type, target) in Self.targets where target["type"]?.stringValue == name {
            let problems = try Self.problems(type, Self.replacing(key, in: target, by: .string(word)))
            let problem = try #require(problems.first)
            #expect(problems.count == 1 && problem.place.path == "syncs[0].target.\(key.text)", "\(problems)")
            #expect(problem.message.contains("\"\(word)\""))
            let hint = "Known: \(known.joined(separator: ", "))." + (nearest.map { " Did you mean \"\($0)\"?" } ?? "")
            #expect(problem.hint == hint)
            Self.expectReadable(problem)
        }
    }

    static let refused: [(key: [ConfigurationStep], value: JSONValue, of: String)] = [
        ([.key("bulkThreshold")], -1, "soql"), ([.key("bulkThreshold")], 0.5, "soql"),
        ([.key("maxBatchSize")], 1e30, "soql"), ([.key("maxBatchSize")], 200.5, "soql"),
        ([.key("query")], "", "soql"), ([.key("query")], "SELECT count() FROM Account", "soql"),
        ([.key("query")], "SELECT Id FROM Account", "sosl"), ([.key("idFieldName")], "the id", "soql"),
        ([.key("modificationDateFieldName")], "A..B", "sosl"), ([.key("idFieldName")], "(Id)", "mru"),
        ([.key("sobjectType")], "Acc ount", "mru"), ([.key("fieldlist")], ["Na me)"], "mru"),
        ([.key("fieldlist")], [""], "refresh"), ([.key("soupName")], "", "refresh"),
        ([.key("countIdsPerSoql")], 1e30, "refresh"), ([.key("sobjectType")], "", "layout"),
        ([.key("sobjectType")], "../x", "metadata"), ([.key("infos")], [], "briefcase"),
        ([.key("infos"), .index(0), .key("soupName")], "", "briefcase"),
        ([.key("infos"), .index(0), .key("idFieldName")], "1;", "briefcase"),
        ([.key("children")], [], "parent_children"),
        ([.key("children"), .key("parentIdFieldName")], "", "parent_children"),
        ([.key("children"), .key("soupName")], "accounts", "parent_children"),
        ([.key("parent"), .key("externalIdFieldName")], "a b", "parent_children"),
        ([.key("sobjectType")], "a b", "rest"), ([.key("externalIdFieldName")], "A.B__c", "batch"),
        ([.key("clientKeyFieldName")], "A.B__c", "batch"),
        ([.key("parent"), .key("clientKeyFieldName")], "a b", "parent_children"),
    ]

    @Test(arguments: refused.indices) func `An invalid value is reported with its place`(index: Int) throws {
        let (key, value, name) = Self.refused[index]
        for (type, target) in Self.targets where target["type"]?.stringValue == name {
            let problems = try Self.problems(type, Self.replacing(key, in: target, by: value))
            #expect(problems.map(\.place.path) == ["syncs[0].target.\(key.text)"], "\(problems)")
            for problem in problems { Self.expectReadable(problem, needsHint: name != "soql" && name != "sosl") }
        }
    }

    /// As in the mobile SDKs, a number beyond a limit counts as the limit.
    @Test(arguments: [-1, 0, 1, 1_000_000]) func `Sizes beyond their limits are accepted`(size: Int64) throws {
        let keys = ["maxBatchSize", "countIdsPerSoql", "countIdsPerRetrieve"]
        for (type, target) in Self.targets {
            for key in keys where target[key] != nil {
                let changed = Self.replacing([.key(key)], in: target, by: .int(size))
                #expect(try Self.problems(type, changed).map(\.description) == [])
            }
        }
    }

    @Test func `All faults of one target are reported together`() throws {
        let soql: JSONValue = [
            "type": "soql", "query": "SELECT FROM", "deletes": "incremental", "idFieldName": "Key__c",
            "maxBatchSize": "x",
            "bulk": "maybe", "bulkThreshold": -5,
        ]
        let tree = Self.replacing(
            [.key("parent"), .key("sobjectType")],
            in: Self.replacing(
                [.key("children"), .key("parentIdFieldName")],
                in: Self.replacing([.key("relationshipType")], in: Self.targets[7].json, by: "X"), by: "a b"),
            by: "")
        let briefcase: JSONValue = [
            "type": "briefcase",
            "infos": [["sobjectType": "A B", "soupName": "", "fieldlist": ["("]], ["sobjectType": "Account"]],
        ]
        let cases: [(JSONValue, [String])] = [
            (soql, ["query", "deletes", "maxBatchSize", "bulk", "bulkThreshold"]),
            (tree, ["relationshipType", "parent.sobjectType", "children.parentIdFieldName"]),
            (
                briefcase,
                [
                    "infos[0].sobjectType", "infos[0].soupName", "infos[0].fieldlist", "infos[1].soupName",
                    "infos[1].fieldlist",
                ]
            ),
            (
                ["type": "layout", "sobjectType": "", "mode": "x", "formFactor": "y"],
                ["sobjectType", "mode", "formFactor"]
            ),
            (["type": "refresh", "fieldlist": [], "sobjectType": "a b"], ["sobjectType", "soupName"]),
        ]
        for (target, expected) in cases {
            let problems = try Self.problems(.syncDown, target).filter { $0.severity == .error }
            let paths = problems.map { ($0.place.path ?? "").replacing("syncs[0].target.", with: "") }
            #expect(paths.sorted() == expected.sorted(), "\(problems)")
            for problem in problems {
                Self.expectReadable(problem, needsHint: problem.place.path?.hasSuffix("query") == false)
            }
        }
    }
}

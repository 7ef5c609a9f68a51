// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

import SoupCore
import Testing

/// How an app syncs accounts, or accounts with their contacts, both ways.
struct KillScenario: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var down: String
    var up: String
    var mode: MergeMode
    /// Whether contacts come and go with their accounts.
    var isTree = false

    /// Every way up with every way to merge.
    static let all: [KillScenario] =
        MergeMode.allCases.flatMap { mode in
            [rows("rest", mode, size: 4), rows("batch", mode, size: 3), rows("single", mode), trees(mode)]
        } + [
            rows("rest", .overwrite, size: 4, byCode: true), rows("single", .leaveIfChanged, byCode: true),
            trees(.overwrite, allOrNone: true),
        ]

    private static func rows(
        _ type: String, _ mode: MergeMode, size: Int = 1, byCode: Bool = false
    ) -> KillScenario {
        let code = byCode ? #", "externalIdFieldName": "Code__c""# : ""
        return KillScenario(
            testDescription: "\(type) \(mode.rawValue)\(byCode ? " by external id" : "")",
            down: #"{"type": "soql", "query": "SELECT Name, Description, Code__c FROM Account"}"#,
            up: #"""
                {"type": "\#(type)", "sobjectType": "Account", "maxBatchSize": \#(size),
                 "createFieldlist": ["Name", "Description", "Code__c"], "updateFieldlist": ["Name", "Description"]\#(code)}
                """#, mode: mode)
    }

    private static func trees(_ mode: MergeMode, allOrNone: Bool = false) -> KillScenario {
        let family = #"""
            "parent": {"sobjectType": "Account", "soupName": "accounts"},
            "children": {"sobjectType": "Contact", "soupName": "contacts", "sobjectTypePlural": "Contacts",
              "parentIdFieldName": "AccountId"}, "relationshipType": "LOOKUP"
            """#
        return KillScenario(
            testDescription: "parent_children \(mode.rawValue)\(allOrNone ? " all or none" : "")",
            down: #"""
                {"type": "parent_children", "parentFieldlist": ["Name", "Description", "Code__c"],
                 "childrenFieldlist": ["LastName", "AccountId"], "parentSoqlFilter": "", \#(family)}
                """#,
            up: #"""
                {"type": "parent_children", "createFieldlist": ["Name", "Description", "Code__c"],
                 "updateFieldlist": ["Name", "Description"], "childrenCreateFieldlist": ["LastName"],
                 "childrenUpdateFieldlist": ["LastName"], "allOrNone": \#(allOrNone), \#(family)}
                """#, mode: mode, isTree: true)
    }

    /// The files of an app that syncs so.
    ///
    /// - Parameter isMigrated: whether it is the next version of the app, which wants other indexes.
    func files(isMigrated: Bool = false) -> [String: String] {
        func soup(_ name: String, _ paths: [(String, String)]) -> String {
            let indexes = paths.map { #"{"path": "\#($0.0)", "type": "\#($0.1)"}"# }
            return #"{"soupName": "\#(name)", "indexes": [\#(indexes.joined(separator: ", "))]}"#
        }
        let own = [("Id", "string"), ("__local__", "string"), ("__sync_id__", "integer")]
        let accounts = isMigrated ? [("Description", "string"), ("Name", "full_text")] : [("Name", "string")]
        let contacts = [("AccountId", "string")] + (isMigrated ? [("LastName", "string")] : [])
        let notes = isMigrated ? [("key", "integer"), ("text", "full_text")] : [("key", "string")]
        // A pull with OVERWRITE is meant to replace what could not be pushed.
        let pull = mode == .merge ? MergeMode.merge : .leaveIfChanged
        return [
            "userstore.json":
                #"{"soups": [\#(soup("notes", notes)), \#(soup("accounts", own + accounts)), \#(soup("contacts", own + contacts))]}"#,
            "usersyncs.json": #"""
            {"syncs": [
              {"syncName": "down", "syncType": "syncDown", "soupName": "accounts", "target": \#(down),
               "options": {"mergeMode": "\#(pull.rawValue)"}},
              {"syncName": "up", "syncType": "syncUp", "soupName": "accounts", "target": \#(up),
               "options": {"mergeMode": "\#(mode.rawValue)"}}]}
            """#,
        ]
    }
}

#endif

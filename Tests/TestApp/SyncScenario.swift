// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

package import SoupKit

/// How an app syncs accounts, or accounts with their contacts, both ways; its configuration as text.
package struct SyncScenario: Sendable, CustomStringConvertible {
    /// The kind of sync up and its merge mode, for the names of tests.
    package let description: String
    /// The targets, as JSON.
    package let down: String
    package let up: String
    package let mode: MergeMode
    /// Whether contacts come and go with their accounts.
    package let isTree: Bool
    /// Whether each record is pushed by a request of its own.
    package var isSingle: Bool { description.hasPrefix("single ") }

    /// Accounts alone.
    ///
    /// - Parameters:
    ///   - type: of the target of the sync up.
    ///   - size: the most records of a batch; nil leaves it to the target.
    ///   - byCode: whether records are created by their external id.
    package static func rows(
        _ type: String, _ mode: MergeMode, size: Int? = nil, byCode: Bool = false
    ) -> SyncScenario {
        let code = byCode ? #", "externalIdFieldName": "Code__c""# : ""
        let batch = size.map { #", "maxBatchSize": \#($0)"# } ?? ""
        return SyncScenario(
            description: "\(type) \(mode.rawValue)\(byCode ? " by external id" : "")",
            down: #"{"type": "soql", "query": "SELECT Name, Description, Code__c FROM Account"}"#,
            up: #"""
                {"type": "\#(type)", "sobjectType": "Account", "createFieldlist": ["Name", "Description", "Code__c"],
                 "updateFieldlist": ["Name", "Description"]\#(batch)\#(code)}
                """#,
            mode: mode, isTree: false)
    }

    /// Accounts with their contacts.
    package static func trees(_ mode: MergeMode, allOrNone: Bool? = nil) -> SyncScenario {
        let family = #"""
            "parent": {"sobjectType": "Account", "soupName": "accounts"},
            "children": {"sobjectType": "Contact", "soupName": "contacts", "sobjectTypePlural": "Contacts",
              "parentIdFieldName": "AccountId"}, "relationshipType": "LOOKUP"
            """#
        let rule = allOrNone.map { #""allOrNone": \#($0), "# } ?? ""
        return SyncScenario(
            description: "parent_children \(mode.rawValue)\(allOrNone == true ? " all or none" : "")",
            down: #"""
                {"type": "parent_children", "parentFieldlist": ["Name", "Description", "Code__c"],
                 "childrenFieldlist": ["LastName", "AccountId"], "parentSoqlFilter": "", \#(family)}
                """#,
            up: #"""
                {"type": "parent_children", "createFieldlist": ["Name", "Description", "Code__c"],
                 "updateFieldlist": ["Name", "Description"], "childrenCreateFieldlist": ["LastName"],
                 "childrenUpdateFieldlist": ["LastName"], \#(rule)\#(family)}
                """#,
            mode: mode, isTree: true)
    }

    /// The files of an app that syncs so, with the syncs "down" and "up".
    ///
    /// - Parameter isMigrated: whether it is the next version of the app, which wants other indexes.
    package func files(isMigrated: Bool = false) -> [String: String] {
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

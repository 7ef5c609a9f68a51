// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import SoupKit
import SoupTesting

/// An app that syncs accounts, or record trees of accounts, in both directions; its configuration as text.
package struct SyncScenario: Sendable, CustomStringConvertible {
    /// The kind of sync up and its merge mode, for the names of tests.
    package let description: String
    /// The targets, as JSON.
    package let down: String
    package let up: String
    package let mode: MergeMode
    /// The levels that are synced with the accounts; empty for accounts alone.
    package let levels: [TreeLevel]
    /// Whether each record is pushed in a separate request.
    package let isSingle: Bool
    package var isTree: Bool { !levels.isEmpty }
    /// The backend in the configuration; nil for one SQLite file.
    private var backend: String?

    /// Returns the scenario of an app whose accounts are in another file than the state of the syncs and the other
    /// soups.
    package func routed() -> SyncScenario {
        over(
            #"{"type": "routed", "default": {"type": "sqlite"}, "routes": {"accounts": {"type": "sqlite"}}}"#,
            named: "routed")
    }

    /// Returns the scenario of an app with a store in memory before the SQLite file.
    package func layered() -> SyncScenario {
        over(#"{"type": "layered", "back": {"type": "sqlite"}}"#, named: "layered")
    }

    /// Returns the scenario of an app whose store is encrypted.
    package func encrypted() -> SyncScenario { over(Self.encryptedBackend, named: "encrypted") }

    private static let encryptedBackend = #"{"type": "sqlite", "encryption": {"key": "file"}}"#

    /// The backend of a `userstore.json` that names none, with a comma: empty, or an encrypted store with
    /// `SOUPKIT_ENCRYPTED=1` in the environment.
    package static let standardBackend =
        ProcessInfo.processInfo.environment["SOUPKIT_ENCRYPTED"] == "1" ? #""backend": \#(encryptedBackend), "# : ""

    private func over(_ backend: String, named name: String) -> SyncScenario {
        var scenario = SyncScenario(
            description: "\(description) \(name)", down: down, up: up, mode: mode, levels: levels, isSingle: isSingle)
        scenario.backend = backend
        return scenario
    }

    /// Returns a scenario that syncs accounts without children.
    ///
    /// - Parameters:
    ///   - type: the type of the sync-up target.
    ///   - size: the greatest number of records in a batch; nil for the default of the target.
    ///   - byCode: whether records are created by external ID.
    ///   - updates: the fields that updates send.
    ///   - isStrict: whether the target is strict.
    package static func rows(
        _ type: String, _ mode: MergeMode, size: Int? = nil, byCode: Bool = false,
        updates: String = "Name, Description", isStrict: Bool = false
    ) -> SyncScenario {
        let code = byCode ? #", "externalIdFieldName": "Code__c""# : ""
        let fields = updates.split(separator: ", ").map { "\"\($0)\"" }.joined(separator: ", ")
        let batch = size.map { #", "maxBatchSize": \#($0)"# } ?? ""
        return SyncScenario(
            description: "\(type) \(mode.rawValue)\(byCode ? " by external id" : "")\(isStrict ? " strict" : "")",
            down: #"{"type": "soql", "query": "SELECT Name, Description, Code__c FROM Account"}"#,
            up: #"""
                {"type": "\#(type)", "sobjectType": "Account", "createFieldlist": ["Name", "Description", "Code__c"],
                 "updateFieldlist": [\#(fields)]\#(batch)\#(code)\#(isStrict ? #", "strict": true"# : "")}
                """#,
            mode: mode, levels: [], isSingle: ["single", "plain"].contains(type))
    }

    /// Returns a scenario that syncs accounts with their contacts, or with other levels.
    package static func trees(
        _ mode: MergeMode, allOrNone: Bool? = nil, levels: [TreeLevel] = [.contacts]
    ) -> SyncScenario {
        func tree(isUp: Bool) -> String {
            #"""
            "parent": {"sobjectType": "Account", "soupName": "accounts"},
            "children": \#(TreeLevel.children(levels, isUp: isUp))
            """#
        }
        let rule = allOrNone.map { #""allOrNone": \#($0), "# } ?? ""
        let soups = levels.map(\.soup)
        let names = soups == [TreeLevel.contacts.soup] ? "" : " of \(soups.map(\.rawValue).joined(separator: ", "))"
        return SyncScenario(
            description: "parent_children \(mode.rawValue)\(allOrNone == true ? " all or none" : "")\(names)",
            down: #"""
                {"type": "parent_children", "parentFieldlist": ["Name", "Description", "Code__c"],
                 "parentSoqlFilter": "", \#(tree(isUp: false))}
                """#,
            up: #"""
                {"type": "parent_children", "createFieldlist": ["Name", "Description", "Code__c"],
                 "updateFieldlist": ["Name", "Description"], \#(rule)\#(tree(isUp: true))}
                """#,
            mode: mode, levels: levels, isSingle: false)
    }

    /// Returns the configuration files of an app with the syncs "down" and "up" of this scenario.
    ///
    /// - Parameter isMigrated: whether it is the next version of the app, which has other indexes.
    package func files(isMigrated: Bool = false) -> [String: String] {
        func soup(_ name: String, _ paths: [(String, String)]) -> String {
            let indexes = paths.map { #"{"path": "\#($0.0)", "type": "\#($0.1)"}"# }
            return #"{"soupName": "\#(name)", "indexes": [\#(indexes.joined(separator: ", "))]}"#
        }
        let own = [("Id", "string"), ("__local__", "string"), ("__sync_id__", "integer")]
        let accounts = isMigrated ? [("Description", "string"), ("Name", "full_text")] : [("Name", "string")]
        let below = (levels.isEmpty ? [.contacts] : levels).map { level in
            let indexes = [(level.parent, "string")] + (isMigrated ? [(level.name, "string")] : [])
            return soup(level.soup.rawValue, own + indexes)
        }
        let notes = isMigrated ? [("key", "integer"), ("text", "full_text")] : [("key", "string")]
        let backend = backend.map { #""backend": \#($0), "# } ?? Self.standardBackend
        return [
            "userstore.json":
                #"{\#(backend)"soups": [\#(([soup("notes", notes), soup("accounts", own + accounts)] + below).joined(separator: ", "))]}"#,
            "usersyncs.json": #"""
            {"syncs": [
              {"syncName": "down", "syncType": "syncDown", "soupName": "accounts", "target": \#(down),
               "options": {"mergeMode": "\#(mode.pullMode.rawValue)"}},
              {"syncName": "up", "syncType": "syncUp", "soupName": "accounts", "target": \#(up),
               "options": {"mergeMode": "\#(mode.rawValue)"}}]}
            """#,
        ]
    }
}

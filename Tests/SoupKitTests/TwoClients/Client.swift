// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import LocalOrg
import MobileSync
import SmartStore
import SoupCore
import SoupKit
import SoupTesting

/// An app with a store of its own that syncs accounts both ways, in every mode.
struct Client {
    let name: String
    let kit: SoupKit
    private let folder: TemporaryFolder

    /// The fields that people edit.
    static let fields = ["Description", "Site", "Phone"]

    /// - Parameter up: the kind of sync up.
    init(_ name: String, up: String, byCode: Bool, _ org: LocalOrg, _ clock: ManualClock) async throws {
        self.name = name
        let list = Self.fields.map { "\"\($0)\"" }.joined(separator: ", ")
        let code = byCode ? #", "externalIdFieldName": "Code__c""# : ""
        let syncs = MergeMode.allCases.map { mode in
            #"""
            {"syncName": "down \#(mode.rawValue)", "syncType": "syncDown", "soupName": "accounts",
              "target": {"type": "soql", "query": "SELECT Name, Code__c, \#(Self.fields.joined(separator: ", ")) FROM Account"},
              "options": {"mergeMode": "\#(mode.rawValue)"}},
            {"syncName": "up \#(mode.rawValue)", "syncType": "syncUp", "soupName": "accounts",
              "target": {"type": "\#(up)", "sobjectType": "Account", "updateFieldlist": [\#(list)],
                "createFieldlist": ["Name", "Code__c", \#(list)]\#(code)},
              "options": {"mergeMode": "\#(mode.rawValue)"}}
            """#
        }
        folder = try TemporaryFolder([
            "userstore.json": #"""
            {"soups": [{"soupName": "accounts", "indexes": [{"path": "Id", "type": "string"},
              {"path": "__local__", "type": "string"}, {"path": "__sync_id__", "type": "integer"}]}]}
            """#,
            "usersyncs.json": #"{"syncs": [\#(syncs.joined(separator: ","))]}"#,
        ])
        kit = try await SoupKit.open(
            configuration: folder.path, transport: org.authorizedTransport, clock: clock, environment: [:])
    }

    /// What a run did: how many rows changed on either side, and the entries that it says were left as they are.
    struct Report {
        var changes = 0
        var left: Set<Int64> = []
        var error = ""
    }

    func sync(_ name: String) async throws -> Report {
        let run = try await kit.syncs.reSync(named: name)
        var report = Report()
        for await event in run.events {
            if case .outcome(let outcome) = event, outcome.result != .ok { report.left.insert(outcome.entryId) }
        }
        let result = try await run.result()
        report.changes = result.saved + result.created + result.updated + result.deleted + result.merged
        report.error = result.state.status == .done ? "" : "\(result.state.status) \(result.state.error)"
        return report
    }

    func entries() async throws -> [SoupEntry] {
        try await kit.store.query(.all("accounts", pageSize: 500)).entries.sorted { $0.id < $1.id }
    }

    /// Ends every conflict in favour of one side or the other.
    func resolveConflicts(_ random: inout SeededRandom) async throws -> Int {
        let conflicts = try await kit.syncs.conflicts()
        for conflict in conflicts {
            try await kit.syncs.resolveConflict(conflict, as: Bool.random(using: &random) ? .local : .remote)
        }
        return conflicts.count
    }

    /// A record as a line that is the same on all sides.
    static func line(_ record: JSONValue) -> String {
        "\(JSONValue.array((["Id", "Name"] + fields).map { record[$0] ?? .null }))"
    }
}

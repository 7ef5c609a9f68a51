// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import LocalOrg
import MobileSync
import SmartStore
import SoupCore
import SoupKit
import SoupTesting

/// An app with a store of its own that syncs boxes with their items both ways, as trees, in every mode.
struct TreeClient {
    /// A kind of record.
    struct Kind {
        var object: String
        var soup: SoupName
        var parent: String?
    }

    /// An entry of one of the soups.
    struct Key: Hashable, Comparable {
        var soup: SoupName
        var id: Int64

        static func < (left: Key, right: Key) -> Bool { (left.soup, left.id) < (right.soup, right.id) }
    }

    static let boxes = Kind(object: "Box__c", soup: "boxes")
    static let items = Kind(object: "Item__c", soup: "items", parent: "Box__c")
    static let kinds = [boxes, items]
    /// The fields that people edit.
    static let fields = ["Note__c", "Color__c", "Place__c"]

    /// The objects of the org.
    static let objects: String = {
        let fields = (["Title__c"] + Self.fields).map { #""\#($0)": {"type": "string", "length": 40}"# }
            .joined(separator: ", ")
        let name = #""Name": {"type": "autonumber", "format": "N-{0000}"}"#
        return #"""
            {"Box__c": {"label": "Box", "labelPlural": "Boxes", "keyPrefix": "a20", "fields": {\#(name), \#(fields)}},
             "Item__c": {"label": "Item", "labelPlural": "Items", "keyPrefix": "a21", "fields": {\#(name), \#(fields),
               "Box__c": {"type": "reference", "referenceTo": ["Box__c"], "childRelationshipName": "Items__r",
                 "onDelete": "cascade"}}}}
            """#
    }()

    let name: String
    let kit: SoupKit
    private let folder: TemporaryFolder

    init(_ name: String, allOrNone: Bool, _ org: LocalOrg, _ clock: ManualClock) async throws {
        self.name = name
        let list = (["Title__c"] + Self.fields).map { #""\#($0)""# }.joined(separator: ", ")
        let family = #"""
            "type": "parent_children", "parent": {"sobjectType": "Box__c", "soupName": "boxes"},
            "children": {"sobjectType": "Item__c", "sobjectTypePlural": "Items__r", "soupName": "items",
              "parentIdFieldName": "Box__c", "fieldlist": [\#(list)]}, "relationshipType": "MASTER_DETAIL"
            """#
        let syncs = MergeMode.allCases.map { mode in
            #"""
            {"syncName": "down \#(mode.rawValue)", "syncType": "syncDown", "soupName": "boxes",
              "target": {\#(family), "parentFieldlist": [\#(list)], "parentSoqlFilter": ""},
              "options": {"mergeMode": "\#(mode.rawValue)"}},
            {"syncName": "up \#(mode.rawValue)", "syncType": "syncUp", "soupName": "boxes",
              "target": {\#(family), "createFieldlist": [\#(list)], "updateFieldlist": [\#(list)],
                "allOrNone": \#(allOrNone)},
              "options": {"mergeMode": "\#(mode.rawValue)"}}
            """#
        }
        let soups = Self.kinds.map { kind in
            let indexes = (["Id", "__local__"] + [kind.parent].compactMap { $0 })
                .map { #"{"path": "\#($0)", "type": "string"}, "# }.joined()
            return #"""
                {"soupName": "\#(kind.soup)", "indexes": [\#(indexes){"path": "__sync_id__", "type": "integer"}]}
                """#
        }
        folder = try TemporaryFolder([
            "userstore.json": #"{"soups": [\#(soups.joined(separator: ","))]}"#,
            "usersyncs.json": #"{"syncs": [\#(syncs.joined(separator: ","))]}"#,
        ])
        kit = try await SoupKit.open(
            configuration: folder.path, transport: org.authorizedTransport, clock: clock, environment: [:])
    }

    /// What a run did: how many rows changed on either side, and the entries that it says were left as they are.
    struct Report {
        var changes = 0
        var left: Set<Key> = []
        var error = ""
    }

    func sync(_ name: String) async throws -> Report {
        let run = try await kit.syncs.reSync(named: name)
        var report = Report()
        for await event in run.events {
            if case .outcome(let outcome) = event, outcome.result != .ok {
                report.left.insert(Key(soup: outcome.soup, id: outcome.entryId))
            }
        }
        let result = try await run.result()
        report.changes = result.saved + result.created + result.updated + result.deleted + result.merged
        report.error = result.state.status == .done ? "" : "\(result.state.status) \(result.state.error)"
        return report
    }

    func entries(_ kind: Kind) async throws -> [SoupEntry] {
        try await kit.store.query(.all(kind.soup, pageSize: 500)).entries.sorted { $0.id < $1.id }
    }

    /// Ends the conflicts in favour of one side or the other, those that cannot be settled yet aside.
    func resolveConflicts(_ random: inout SeededRandom) async throws -> Int {
        var count = 0
        for conflict in try await kit.syncs.conflicts() {
            do {
                try await kit.syncs.resolveConflict(conflict, as: Bool.random(using: &random) ? .local : .remote)
                count += 1
            } catch let error as SoupError where [.notSupported, .notInConflict, .hasChildren].contains(error.code) {}
        }
        return count
    }

    /// A record as a line that is the same on all sides.
    static func line(_ record: JSONValue, _ kind: Kind) -> String {
        let names = ["Id", "Title__c"] + fields + [kind.parent].compactMap { $0 }
        return "\(kind.soup) \(JSONValue.array(names.map { record[$0] ?? .null }))"
    }
}

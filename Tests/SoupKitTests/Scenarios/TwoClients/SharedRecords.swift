// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupSync
import SoupStore
import SoupCore
import SoupTesting

/// The records that two clients share with an org, and the syncs of a client.
struct SharedRecords {
    /// A kind of record, with a soup of its own.
    struct Kind {
        var object: String
        var soup: SoupName
        /// The field of the parent's ID.
        var parent: String?
    }

    /// A description, for messages.
    var label: String
    /// The kinds of records, parents before their children.
    var kinds: [Kind]
    /// The fields that are edited.
    var edited: [String]
    /// The fields that contain a record's title, which is unique.
    var titled: [String]
    /// Whether the sync downs find deletions, and records that left their conditions, in each run; otherwise only
    /// complete comparisons find them.
    var isIncremental = false
    /// Whether creations have external IDs.
    var hasExternalIds = false
    /// The initial content of the org: custom objects and some records.
    var seed: OrgSeed
    /// The `userstore.json` of a client.
    var store: String
    /// The `usersyncs.json` of a client: a "down MODE" and an "up MODE" for each merge mode.
    var syncs: String

    /// The kind of the top level.
    var top: Kind { kinds[0] }
    /// Whether some records have a parent.
    var isTree: Bool { kinds.count > 1 }

    /// The field of the top level that only the org changes: no sync down fetches a record with a value in it.
    static let hidden = "Hidden__c"

    /// Returns the title of a record, which identifies it on all sides.
    func title(_ record: JSONValue) -> String { record[titled[0]]?.stringValue ?? "" }

    /// Returns a record as a line that is the same on all sides.
    func line(_ record: JSONValue, _ kind: Kind) -> String {
        let names = ["Id"] + titled + edited + [kind.parent].compactMap { $0 }
        return "\(kind.soup) \(JSONValue.array(names.map { record[$0] ?? .null }))"
    }

    /// Returns accounts that are pushed one by one or in batches, at random with an external ID.
    static func accounts(_ random: inout SeededRandom) throws -> SharedRecords { try accounts(&random, lookback: 600) }

    /// - Parameters:
    ///   - lookback: the lookback of sync downs in seconds.
    ///   - findsDeletions: whether the sync downs of histories without comparisons find deletions.
    static func accounts(
        _ random: inout SeededRandom, lookback: Int, findsDeletions: Bool = true
    ) throws -> SharedRecords {
        let byCode = Int.random(in: 0..<4, using: &random) == 0
        let up = ["rest", "batch", "single"].randomElement(using: &random) ?? "rest"
        let isIncremental = Bool.random(using: &random)
        let (edited, titled) = (["Description", "Site", "Phone"], ["Name", "Code__c"])
        let rows = (1...5).map {
            #"{"object": "Account", "key": "a\#($0)", "values": {"Name": "Acme \#($0)", "Code__c": "Acme \#($0)"}}"#
        }
        let objects = #"""
            {"Account": {"fields": {"\#(hidden)": {"type": "string", "length": 5},
              "Key__c": {"type": "string", "length": 40}, "Code__c": {"type": "string", "length": 20, "externalId": true,
              "unique": \#(byCode)}}}}
            """#
        let code = byCode ? #", "externalIdFieldName": "Code__c""# : ""
        let kinds = [Kind(object: "Account", soup: "accounts")]
        return SharedRecords(
            label: "accounts, \(up)\(byCode ? " by external id" : "")\(isIncremental ? ", incremental" : "")",
            kinds: kinds, edited: edited, titled: titled, isIncremental: isIncremental, hasExternalIds: byCode,
            seed: try seed(objects, rows), store: store(kinds),
            syncs: syncs(
                "accounts",
                down: #"""
                    "type": "soql", "lookback": \#(lookback), "deletes": "\#(isIncremental && findsDeletions ? "incremental" : "compare")",
                    "query":
                      "SELECT \#((titled + edited).joined(separator: ", ")) FROM Account WHERE \#(hidden) = null"
                    """#,
                up: #"""
                    "type": "\#(up)", "sobjectType": "Account", "updateFieldlist": [\#(quoted(edited))],
                    "createFieldlist": [\#(quoted(titled + edited))]\#(code), "strict": true,
                    "clientKeyFieldName": "Key__c"
                    """#))
    }

    /// Returns boxes with their items as trees, at random each pushed completely or not at all.
    ///
    /// - Parameter findsDeletions: as with accounts.
    static func boxes(
        _ random: inout SeededRandom, findsDeletions: Bool, lookback: Int = 600
    ) throws -> SharedRecords {
        try boxes(
            allOrNone: Int.random(in: 0..<3, using: &random) == 0,
            relationship: Int.random(in: 0..<3, using: &random) == 0 ? .lookup : .masterDetail,
            isIncremental: Bool.random(using: &random), findsDeletions: findsDeletions, lookback: lookback)
    }

    static func boxes(_ random: inout SeededRandom) throws -> SharedRecords {
        try boxes(&random, findsDeletions: true)
    }

    /// - Parameters:
    ///   - relationship: the relationship of items to their box in the clients' configuration.
    ///   - cascades: whether the org deletes items with their box; nil if it corresponds to the relationship.
    static func boxes(
        allOrNone: Bool = false, relationship: RecordLayout.Relationship = .masterDetail, cascades: Bool? = nil,
        isIncremental: Bool = false, findsDeletions: Bool = true, lookback: Int = 600
    ) throws -> SharedRecords {
        let (edited, titled) = (["Note__c", "Color__c", "Place__c"], ["Title__c"])
        let rows = (1...3).flatMap { box in
            [#"{"object": "Box__c", "key": "b\#(box)", "values": {"Title__c": "box \#(box)"}}"#]
                + (1...2).map { item in
                    #"""
                    {"object": "Item__c", "key": "i\#(box)\#(item)",
                      "values": {"Title__c": "item \#(box)\#(item)", "Box__c": "@b\#(box)"}}
                    """#
                }
        }
        let own = (titled + edited).map { #""\#($0)": {"type": "string", "length": 40}"# }.joined(separator: ", ")
        let name = #""Name": {"type": "autonumber", "format": "N-{0000}"}"#
        let objects = #"""
            {"Box__c": {"label": "Box", "labelPlural": "Boxes", "keyPrefix": "a20", "fields": {\#(name), \#(own),
              "\#(hidden)": {"type": "string", "length": 5}}},
             "Item__c": {"label": "Item", "labelPlural": "Items", "keyPrefix": "a21", "fields": {\#(name), \#(own),
               "Box__c": {"type": "reference", "referenceTo": ["Box__c"], "childRelationshipName": "Items__r",
                 "onDelete": "\#(cascades ?? (relationship == .masterDetail) ? "cascade" : "clear")"}}}}
            """#
        let list = quoted(titled + edited)
        let relationships = #"""
            "type": "parent_children", "parent": {"sobjectType": "Box__c", "soupName": "boxes"},
            "children": {"sobjectType": "Item__c", "sobjectTypePlural": "Items__r", "soupName": "items",
              "parentIdFieldName": "Box__c", "fieldlist": [\#(list)]}, "relationshipType": "\#(relationship.rawValue)"
            """#
        let kinds = [
            Kind(object: "Box__c", soup: "boxes"), Kind(object: "Item__c", soup: "items", parent: "Box__c"),
        ]
        return SharedRecords(
            label: "boxes, \(relationship)\(allOrNone ? ", whole trees" : "")\(isIncremental ? ", incremental" : "")",
            kinds: kinds, edited: edited, titled: titled, isIncremental: isIncremental,
            seed: try seed(objects, rows), store: store(kinds),
            syncs: syncs(
                "boxes",
                down: #"""
                    \#(relationships), "parentFieldlist": [\#(list)], "parentSoqlFilter": "\#(hidden) = null",
                    "deletes": "\#(isIncremental && findsDeletions ? "incremental" : "compare")", "lookback": \#(lookback)
                    """#,
                up: #"""
                    \#(relationships), "createFieldlist": [\#(list)], "updateFieldlist": [\#(list)], "allOrNone": \#(allOrNone)
                    """#))
    }

    // MARK: - Texts

    private static func quoted(_ names: [String]) -> String { names.map { #""\#($0)""# }.joined(separator: ", ") }

    private static func seed(_ objects: String, _ rows: [String]) throws -> OrgSeed {
        try OrgSeed(json: Array(#"{"objects": \#(objects), "seed": [\#(rows.joined(separator: ","))]}"#.utf8))
    }

    private static func store(_ kinds: [Kind]) -> String {
        let soups = kinds.map { kind in
            let indexes = (["Id", "__local__"] + [kind.parent].compactMap { $0 })
                .map { #"{"path": "\#($0)", "type": "string"}, "# }.joined()
            return #"""
                {"soupName": "\#(kind.soup)", "indexes": [\#(indexes){"path": "__sync_id__", "type": "integer"}]}
                """#
        }
        return #"{"soups": [\#(soups.joined(separator: ","))]}"#
    }

    private static func syncs(_ soup: String, down: String, up: String) -> String {
        let syncs = MergeMode.allCases.map { mode in
            #"""
            {"syncName": "down \#(mode.rawValue)", "syncType": "syncDown", "soupName": "\#(soup)",
              "target": {\#(down)}, "options": {"mergeMode": "\#(mode.rawValue)"}},
            {"syncName": "up \#(mode.rawValue)", "syncType": "syncUp", "soupName": "\#(soup)",
              "target": {\#(up)}, "options": {"mergeMode": "\#(mode.rawValue)"}}
            """#
        }
        return #"{"syncs": [\#(syncs.joined(separator: ","))]}"#
    }
}

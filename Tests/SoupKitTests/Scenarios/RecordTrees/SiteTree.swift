// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupCore
import SoupKit
import SoupTesting

/// Record trees with several levels and several kinds of children: sites with halls with shelves, and guards.
enum SiteTree {
    static let sites = TreeWorld.Kind(object: "Site__c", soup: "sites", name: "Title__c")
    static let halls = TreeWorld.Kind(object: "Hall__c", soup: "halls", name: "Title__c", parent: "Site__c")
    static let shelves = TreeWorld.Kind(object: "Shelf__c", soup: "shelves", name: "Title__c", parent: "Hall__c")
    static let guards = TreeWorld.Kind(object: "Guard__c", soup: "guards", name: "Title__c", parent: "Site__c")
    static let kinds = [sites, halls, shelves, guards]

    static let seed = """
        {"objects": {
          "Site__c": {"label": "Site", "labelPlural": "Sites", "keyPrefix": "a10", "fields": {\(name),
            "Key__c": {"type": "string", "length": 40, "externalId": true, "unique": true}}},
          "Hall__c": {"label": "Hall", "labelPlural": "Halls", "keyPrefix": "a11", "fields": {\(name),
            "Site__c": {"type": "reference", "referenceTo": ["Site__c"], "childRelationshipName": "Halls__r",
              "onDelete": "cascade"}}},
          "Shelf__c": {"label": "Shelf", "labelPlural": "Shelves", "keyPrefix": "a12", "fields": {\(name),
            "Hall__c": {"type": "masterdetail", "referenceTo": ["Hall__c"], "childRelationshipName": "Shelves__r"}}},
          "Guard__c": {"label": "Guard", "labelPlural": "Guards", "keyPrefix": "a13", "fields": {\(name),
            "Site__c": {"type": "reference", "referenceTo": ["Site__c"], "childRelationshipName": "Guards__r"}}}
        }}
        """
    private static let name = """
        "Name": {"type": "autonumber", "format": "N-{0000}"}, "Title__c": {"type": "string", "length": 20},
        "Note__c": {"type": "string", "length": 20}
        """

    static let relationships = """
        "parent": {"sobjectType": "Site__c", "soupName": "sites", "externalIdFieldName": "Key__c"},
        "relationshipType": "MASTER_DETAIL",
        "children": [
          {"sobjectType": "Hall__c", "sobjectTypePlural": "Halls__r", "soupName": "halls",
            "parentIdFieldName": "Site__c", "fieldlist": ["Title__c", "Site__c"],
            "children": {"sobjectType": "Shelf__c", "sobjectTypePlural": "Shelves__r", "soupName": "shelves",
              "parentIdFieldName": "Hall__c", "fieldlist": ["Title__c", "Note__c"]}},
          {"sobjectType": "Guard__c", "sobjectTypePlural": "Guards__r", "soupName": "guards",
            "parentIdFieldName": "Site__c", "fieldlist": ["Title__c"], "relationshipType": "LOOKUP"}]
        """

    /// Creates a world whose syncs have this tree.
    ///
    /// - Parameters:
    ///   - shelfKeys: whether shelves have an external ID, too.
    ///   - movableShelves: whether the org lets users move shelves to other halls.
    static func world(
        filter: String = "", allOrNone: Bool = false, shelfKeys: Bool = false, movableShelves: Bool = false,
        clock: ManualClock = ManualClock()
    ) async throws -> TreeWorld {
        let key = #""Key__c": {"type": "string", "length": 40, "externalId": true, "unique": true}, "#
        let masters = #""Hall__c": {"type": "masterdetail""#
        var seed = shelfKeys ? seed.replacing(masters, with: key + masters) : seed
        if movableShelves {
            seed = seed.replacing(masters, with: #""Hall__c": {"onDelete": "cascade", "type": "reference""#)
        }
        let relationships =
            !shelfKeys
            ? relationships
            : relationships.replacing(
                #""soupName": "shelves","#, with: #""soupName": "shelves", "externalIdFieldName": "Key__c","#
            )
            .replacing(
                #""fieldlist": ["Title__c", "Note__c"]"#, with: #""fieldlist": ["Title__c", "Note__c", "Key__c"]"#)
        let up = """
            {"type": "parent_children", \(relationships), "createFieldlist": ["Title__c", "Key__c"],
             "updateFieldlist": ["Title__c"], "allOrNone": \(allOrNone)}
            """
        return try await TreeWorld(
            kinds, seed: seed,
            syncs: """
                [{"syncName": "down", "syncType": "syncDown", "soupName": "sites", "options": {"mergeMode": "LEAVE_IF_CHANGED"},
                  "target": {"type": "parent_children", \(relationships), "parentFieldlist": ["Title__c", "Key__c"],
                    "parentSoqlFilter": "\(filter)"}},
                 {"syncName": "up", "syncType": "syncUp", "soupName": "sites", "options": {"mergeMode": "OVERWRITE"},
                  "target": \(up)},
                 {"syncName": "upLeave", "syncType": "syncUp", "soupName": "sites",
                  "options": {"mergeMode": "LEAVE_IF_CHANGED"}, "target": \(up)},
                 {"syncName": "upMerge", "syncType": "syncUp", "soupName": "sites", "options": {"mergeMode": "MERGE"},
                  "target": \(up)}]
                """, clock: clock)
    }

    /// Adds sites s1, s2 with halls s1h1, s1h2 and so on, shelves s1h1x1, and guards s1g1.
    static func fill(
        _ world: inout TreeWorld, sites: Int = 2, halls: Int = 2, shelves: Int = 2, guards hasGuards: Bool = true
    ) throws {
        for site in (1...sites).map({ "s\($0)" }) {
            try world.add(site, Self.sites)
            for hall in (1...halls).map({ "\(site)h\($0)" }) {
                try world.add(hall, Self.halls, under: site)
                for shelf in 1...shelves { try world.add("\(hall)x\(shelf)", Self.shelves, under: hall) }
            }
            if hasGuards { try world.add("\(site)g1", guards, under: site) }
        }
    }
}

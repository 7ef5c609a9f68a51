// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupLocalOrg
import SoupCore
import SoupTesting

/// The objects of the random queries.
struct QueryModel {
    /// The kind of a field's values.
    enum Kind: Hashable, CaseIterable {
        case text, exactText, pick, multi, id, flag, int, real, currency, day, instant, time

        /// Whether queries can group by the kind.
        var isGroupable: Bool { [.text, .exactText, .pick, .id, .flag, .int, .day].contains(self) }
        var isSortable: Bool { self != .multi }
        var isNumber: Bool { [.int, .real, .currency].contains(self) }
        var isText: Bool { [.text, .exactText, .pick, .multi].contains(self) }
    }

    struct Entity {
        var name: String
        var fields: [(name: String, kind: Kind)]
        /// The relationships to parents: name, field and objects.
        var parents: [(name: String, field: String, targets: [String])]
        /// The relationships to children: name, object and field.
        var children: [(name: String, object: String, field: String)]

        func kind(_ field: String) -> Kind? { QueryModel.find(field, in: fields, by: \.name)?.kind }
        func parent(_ name: String) -> (name: String, field: String, targets: [String])? {
            QueryModel.find(name, in: parents, by: \.name)
        }
    }

    static let entities = [thing, part, account]

    static func entity(_ name: String) -> Entity? { find(name, in: entities, by: \.name) }

    /// Returns the field with a name, ignoring case.
    private static func find<T>(_ name: String, in all: [T], by key: (T) -> String) -> T? {
        all.first { key($0) == name } ?? all.first { key($0).lowercased() == name.lowercased() }
    }

    private static let system: [(name: String, kind: Kind)] = [
        ("Id", .id), ("Name", .text), ("CreatedDate", .instant), ("LastModifiedDate", .instant), ("IsDeleted", .flag),
    ]

    private static let thing = Entity(
        name: "Thing__c",
        fields: system + [
            ("OwnerId", .id), ("Text__c", .text), ("Code__c", .exactText), ("Pick__c", .pick), ("Multi__c", .multi),
            ("Flag__c", .flag), ("Count__c", .int), ("Amount__c", .currency), ("Ratio__c", .real), ("Day__c", .day),
            ("At__c", .instant), ("Clock__c", .time), ("Account__c", .id), ("Parent__c", .id), ("Any__c", .id),
        ],
        parents: [
            ("Account__r", "Account__c", ["Account"]), ("Parent__r", "Parent__c", ["Thing__c"]),
            ("Any__r", "Any__c", ["Account", "Thing__c"]),
        ],
        children: [("Parts__r", "Part__c", "Thing__c"), ("Children__r", "Thing__c", "Parent__c")])

    private static let part = Entity(
        name: "Part__c",
        fields: system + [("Text__c", .text), ("Count__c", .int), ("Day__c", .day), ("Thing__c", .id)],
        parents: [("Thing__r", "Thing__c", ["Thing__c"])], children: [])

    private static let account = Entity(
        name: "Account",
        fields: system + [
            ("OwnerId", .id), ("Rating", .pick), ("AnnualRevenue", .currency), ("NumberOfEmployees", .int),
            ("Phone", .text), ("ParentId", .id),
        ],
        parents: [("Parent", "ParentId", ["Account"])],
        children: [("Things__r", "Thing__c", "Account__c"), ("ChildAccounts", "Account", "ParentId")])

    /// The values of picklists in the order of their lists; other values sort after them.
    static let picks = ["Red", "Green", "Blue", "Hot", "Warm", "Cold"]

    static let objects: JSONValue = [
        "Thing__c": [
            "fields": [
                "Text__c": ["type": "string", "length": 60],
                "Code__c": ["type": "string", "length": 20, "unique": true, "caseSensitive": true],
                "Pick__c": ["type": "picklist", "picklist": ["Red", "Green", "Blue"]],
                "Multi__c": ["type": "multipicklist", "picklist": ["a", "b", "cc", "Ä"]],
                "Flag__c": ["type": "boolean"], "Count__c": ["type": "int"],
                "Amount__c": ["type": "currency", "precision": 16, "scale": 2],
                "Ratio__c": ["type": "double", "precision": 16, "scale": 3], "Day__c": ["type": "date"],
                "At__c": ["type": "datetime"], "Clock__c": ["type": "time"],
                "Account__c": ["type": "reference", "referenceTo": ["Account"], "childRelationshipName": "Things__r"],
                "Parent__c": [
                    "type": "reference", "referenceTo": ["Thing__c"], "childRelationshipName": "Children__r",
                ],
                "Any__c": ["type": "reference", "referenceTo": ["Account", "Thing__c"]],
            ]
        ],
        "Part__c": [
            "fields": [
                "Text__c": ["type": "string", "length": 60], "Count__c": ["type": "int"], "Day__c": ["type": "date"],
                "Thing__c": ["type": "masterdetail", "referenceTo": ["Thing__c"], "childRelationshipName": "Parts__r"],
            ]
        ],
    ]
}

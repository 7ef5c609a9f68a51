// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// An object: a type of record with its fields.
final class OrgObject: Sendable {
    /// A relationship seen from the parent.
    struct Child: Sendable {
        var object: String
        var field: String
        var relationshipName: String?
        var onDelete: DeleteRule
    }

    /// A condition under which a record is rejected.
    struct Rule: Sendable {
        var name: String
        /// A SOQL condition on the record as it would be stored; `OLD.` before a field means its previous value.
        var condition: String
        var onInsert: Bool
        var onUpdate: Bool
        var message: String
        var field: String?
    }

    /// A record type of the org.
    struct RecordType: Sendable {
        var id: String
        var developerName: String
        var name: String
        var isDefault: Bool
    }

    struct Flags: Sendable {
        var createable = true
        var updateable = true
        var deletable = true
        var queryable = true
        var searchable = true
        var replicateable = true
        var layoutable = true
        var mruEnabled = true
    }

    let name: String
    let label: String
    let labelPlural: String
    let keyPrefix: String
    let isCustom: Bool
    let flags: Flags
    let fields: [OrgField]
    let children: [Child]
    let rules: [Rule]
    let recordTypes: [RecordType]
    /// The positions of the stored fields: all but those that are computed from others.
    let storedPositions: [Int]
    /// Inserts a row: its number, then the stored fields.
    let insertSQL: String
    /// Reads the row with an ID: its number, then all fields.
    let selectSQL: String
    private let positions: [String: Int]
    private let relationships: [String: Int]

    init(
        name: String, label: String, labelPlural: String, keyPrefix: String, flags: Flags, fields: [OrgField],
        children: [Child], rules: [Rule], recordTypes: [RecordType]
    ) {
        self.name = name
        self.label = label
        self.labelPlural = labelPlural
        self.keyPrefix = keyPrefix
        self.isCustom = name.hasSuffix("__c")
        self.flags = flags
        self.fields = fields
        self.children = children
        self.rules = rules
        self.recordTypes = recordTypes
        let storedFields = fields.filter { $0.type.storage != .none && $0.formula == nil }
        storedPositions = storedFields.map(\.position)
        let names = storedFields.map { "\"\($0.name)\"" }.joined(separator: ", ")
        let marks = Array(repeating: "?", count: storedFields.count + 1).joined(separator: ", ")
        insertSQL = "INSERT INTO \"\(name)\" (_row, \(names)) VALUES (\(marks))"
        let columns = fields.map { $0.type.storage == .none ? "NULL" : "\"\($0.name)\"" }.joined(separator: ", ")
        selectSQL = "SELECT _row, \(columns) FROM \"\(name)\" WHERE \"Id\" = ?"
        positions = Dictionary(fields.map { ($0.name.lowercased(), $0.position) }) { first, _ in first }
        relationships = Dictionary(
            fields.compactMap { field in field.relationshipName.map { ($0.lowercased(), field.position) } }
        ) { first, _ in first }
    }

    /// Returns a field by its name, in any case of letters.
    func field(_ name: String) -> OrgField? { positions[name.lowercased()].map { fields[$0] } }

    /// Returns the position of a field that every object has.
    func position(_ name: String) -> Int { positions[name.lowercased()] ?? 0 }

    /// Returns the reference with a relationship name.
    func reference(_ relationship: String) -> OrgField? { relationships[relationship.lowercased()].map { fields[$0] } }

    /// Returns a relationship to children by its name.
    func child(_ relationship: String) -> Child? {
        children.first { $0.relationshipName?.lowercased() == relationship.lowercased() }
    }

    /// Returns the parts of an address or a location.
    func parts(of compound: OrgField) -> [OrgField] { fields.filter { $0.compound == compound.name } }

    var nameField: OrgField? { fields.first { $0.isNameField } }
    var hasOwner: Bool { field("OwnerId") != nil }

    /// The record type of records that name none; nil for the master record type.
    var defaultRecordType: RecordType? { recordTypes.first { $0.isDefault } }

    /// The table, as an SQL name.
    var table: String { "\"\(name)\"" }
}

/// All objects of an org.
struct OrgSchema: Sendable {
    let objects: [OrgObject]
    private let byName: [String: Int]
    private let byPrefix: [String: Int]

    init(_ objects: [OrgObject]) {
        self.objects = objects
        byName = Dictionary(objects.enumerated().map { ($1.name.lowercased(), $0) }) { first, _ in first }
        byPrefix = Dictionary(objects.enumerated().map { ($1.keyPrefix, $0) }) { first, _ in first }
    }

    /// Returns an object by its name, in any case of letters.
    subscript(name: String) -> OrgObject? { byName[name.lowercased()].map { objects[$0] } }

    /// Returns the object whose records have IDs with this prefix.
    func object(ofId id: String) -> OrgObject? { byPrefix[RecordID.prefix(id)].map { objects[$0] } }
}

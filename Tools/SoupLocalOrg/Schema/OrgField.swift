// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The type of a field, by its name in describe results.
enum OrgFieldType: String, Sendable, CaseIterable {
    case id, reference, string, phone, url, email, textarea, combobox, encryptedstring, picklist, multipicklist
    case boolean, int, double, currency, percent, date, datetime, time, address, location, base64

    /// The storage of the type's values.
    enum Storage { case text, id, boolean, int, real, date, dateTime, time, blob, none }

    var storage: Storage {
        switch self {
        case .id, .reference: .id
        case .string, .phone, .url, .email, .textarea, .combobox, .encryptedstring, .picklist, .multipicklist: .text
        case .boolean: .boolean
        case .int: .int
        case .double, .currency, .percent: .real
        case .date: .date
        case .datetime: .dateTime
        case .time: .time
        case .base64: .blob
        case .address, .location: .none
        }
    }
}

/// The effect on a record of the deletion of a record to which it refers.
enum DeleteRule: String, Sendable, Decodable, CaseIterable {
    /// The record is deleted too.
    case cascade
    /// The other record cannot be deleted.
    case restrict
    /// The reference is cleared.
    case clear
}

/// A field of an object.
struct OrgField: Sendable {
    var name: String
    var label: String
    var type: OrgFieldType
    var length = 0
    var precision = 0
    var scale = 0
    var isRequired = false
    var isCreateable = true
    var isUpdateable = true
    /// Whether a new record without a value gets a default.
    var isDefaulted = false
    var defaultValue: JSONValue?
    var isUnique = false
    var isExternalId = false
    var isIdLookup = false
    var isCaseSensitive = false
    var isNameField = false
    /// Whether the org computes it from other fields.
    var isCalculated = false
    /// The formula from which the field is computed when its row is read.
    var formula: Formula?
    /// The format of an autonumber field: `V-{00000}`.
    var autonumber: String?
    var picklist: [String] = []
    var isRestricted = false
    var referenceTo: [String] = []
    /// The name of the relationship to the other record in paths.
    var relationshipName: String?
    /// The name of the relationship from the other record to its children.
    var childRelationshipName: String?
    var onDelete = DeleteRule.clear
    /// The address or the location that contains this field.
    var compound: String?
    /// The position in the object's list of fields.
    var position = 0

    /// Whether texts in the field are case-sensitive.
    var isExact: Bool { isCaseSensitive && isUnique }
    /// `Place__Latitude__s` is a part of the custom field `Place__c`.
    var isCustom: Bool { name.hasSuffix("__c") || name.hasSuffix("__s") }
    /// Whether its value is an object of other fields: an address, or a location.
    var isCompound: Bool { type == .address || type == .location }
    var isBlob: Bool { type == .base64 }
    var isReference: Bool { type == .reference }
    var isPolymorphic: Bool { referenceTo.count > 1 }
    /// Whether it is text that is too long for an index.
    var isLongText: Bool { type == .textarea && length > 255 }
    var isNumber: Bool { [.int, .real].contains(type.storage) }
    var isFilterable: Bool { !isLongText && !isCompound && !isBlob && type != .encryptedstring }
    var isSortable: Bool { isFilterable && type != .multipicklist }
    var isGroupable: Bool {
        isSortable && formula == nil && ![.datetime, .double, .currency, .percent, .time].contains(type)
            && autonumber == nil
    }
    var isMasterDetail: Bool { isReference && isCustom && isRequired && onDelete == .cascade }
    /// Whether searches include the field.
    var isSearchable: Bool { formula == nil && type.storage == .text && type != .encryptedstring && type != .picklist }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A field in a describe, and its members in a seed file that follow from the field alone.
struct DescribedField {
    let json: JSONValue
    let name: String
    /// The name of the type in the describe.
    let typeName: String
    /// The type in the seed file; a string for an unknown type.
    let type: OrgFieldType

    init(_ json: JSONValue) {
        self.json = json
        name = json["name"]?.stringValue ?? ""
        typeName = json["type"]?.stringValue ?? ""
        type = OrgFieldType(rawValue: typeName) ?? .string
    }

    /// Whether a member of the describe is true.
    func isTrue(_ key: String) -> Bool { json[key]?.boolValue ?? false }

    var isCompound: Bool { ["address", "location"].contains(typeName) }
    var isCustom: Bool { name.hasSuffix("__c") }
    var isRequired: Bool { json["nillable"] == .bool(false) }
    var isWritable: Bool { isTrue("createable") || isTrue("updateable") }

    /// The type, the label and the limits.
    var form: JSONObject {
        var form: JSONObject = ["type": .string(type == .id ? "string" : type.rawValue)]
        if let label = json["label"]?.stringValue, !label.isEmpty { form["label"] = .string(label) }
        for (key, other) in limits {
            if let number = json[key]?.intValue, number > 0 { form[other] = .int(min(number, 131_072)) }
        }
        return form
    }

    /// The limits of the type: the member of describes, and the one of seed files.
    private var limits: KeyValuePairs<String, String> {
        switch type.storage {
        case .text: ["length": "length"]
        case .int: ["digits": "precision"]
        case .real: ["precision": "precision", "scale": "scale"]
        case .id, .boolean, .date, .dateTime, .time, .blob, .none: [:]
        }
    }

    /// The properties of identifiers, whether the picklist is restricted, and the compound field.
    ///
    /// - Parameter compounds: the compound fields of the object.
    func properties(compounds: Set<String>) -> JSONObject {
        var properties = JSONObject()
        for key in ["externalId", "unique", "caseSensitive"] where isTrue(key) { properties[key] = true }
        if !isTrue("externalId"), isTrue("idLookup") { properties["idLookup"] = true }
        if isTrue("restrictedPicklist") { properties["restricted"] = true }
        if let compound = json["compoundFieldName"]?.stringValue, compounds.contains(compound), compound != name {
            properties["compound"] = .string(compound)
        }
        return properties
    }

    /// The active values of a picklist; nil for other fields, and if there are none.
    var picklist: [JSONValue]? {
        guard [.picklist, .multipicklist, .combobox].contains(type), !activeValues.isEmpty else { return nil }
        return activeValues.compactMap { $0["value"] }
    }

    private var activeValues: [JSONValue] {
        (json["picklistValues"]?.arrayValue ?? []).filter { $0["active"] != .bool(false) }
    }

    /// The default value, if a seed file can contain it.
    var defaultValue: JSONValue? {
        switch type.storage {
        case .boolean: return json["defaultValue"] == .bool(true) ? true : nil
        case .text where type == .picklist:
            return activeValues.first { $0["defaultValue"]?.boolValue ?? false }?["value"]
        case .text, .int, .real:
            // Only a formula that is a number or a quoted text can be converted.
            guard let formula = json["defaultValueFormula"]?.stringValue,
                let value = try? JSONValue(parsing: formula)
            else { return nil }
            return (type.storage == .text ? value.stringValue != nil : value.doubleValue != nil) ? value : nil
        case .id, .date, .dateTime, .time, .blob, .none: return nil
        }
    }
}

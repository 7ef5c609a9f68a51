// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The components of compound fields: `BillingAddress` has `BillingStreet`, `BillingCity` and so on, `Place__c` has
/// `Place__Latitude__s` and `Place__Longitude__s`.
enum CompoundFields {
    /// Describes the parts of a compound field, in the order of describe results.
    ///
    /// - Returns: an empty array for a field whose name does not determine the names of its parts: an address that does
    /// not end in `Address`, a location that does not end in `__c`.
    static func parts(of name: String, _ json: JSONValue) -> [(name: String, json: JSONValue)] {
        switch json.type?.stringValue {
        case "address": addressParts(of: name)
        case "location": locationParts(of: name, json)
        default: []
        }
    }

    private static func locationParts(of name: String, _ json: JSONValue) -> [(name: String, json: JSONValue)] {
        guard name.hasSuffix("__c") else { return [] }
        let label = json.label?.stringValue ?? SchemaReader.label(name)
        return ["Latitude", "Longitude"].map { part in
            (
                "\(name.dropLast(3))__\(part)__s",
                [
                    "type": "double", "precision": 18, "scale": json.scale ?? 15,
                    "label": .string("\(label) (\(part))"), "compound": .string(name),
                ]
            )
        }
    }

    private static func addressParts(of address: String) -> [(name: String, json: JSONValue)] {
        guard address.hasSuffix("Address") else { return [] }
        let prefix = address.dropLast("Address".count)
        func text(_ length: Int64) -> JSONObject { ["type": "string", "length": .int(length)] }
        let degrees: JSONObject = ["type": "double", "precision": 18, "scale": 15]
        let accuracy: JSONObject = [
            "type": "picklist", "length": 40,
            "picklist": [
                "Address", "NearAddress", "Block", "Street", "ExtendedZip", "Zip", "Neighborhood", "City", "County",
                "State", "Unknown",
            ],
        ]
        let parts: [(String, JSONObject)] = [
            ("Street", ["type": "textarea", "length": 255]), ("City", text(40)), ("State", text(80)),
            ("PostalCode", text(20)), ("Country", text(80)), ("Latitude", degrees), ("Longitude", degrees),
            ("GeocodeAccuracy", accuracy),
        ]
        return parts.map { suffix, json in
            var json = json
            json["compound"] = .string(address)
            return (prefix + suffix, .object(json))
        }
    }
}

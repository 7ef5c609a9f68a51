// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The fields that an address is made of: `BillingAddress` has `BillingStreet`, `BillingCity` and so on.
enum AddressFields {
    /// Describes the parts of an address field, in the order of describe results.
    ///
    /// - Returns: nothing for a field whose name does not end in `Address`: nobody could tell the names of its parts.
    static func parts(of address: String) -> [(name: String, json: JSONValue)] {
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

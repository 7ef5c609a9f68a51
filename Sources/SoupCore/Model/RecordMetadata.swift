// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The member `attributes` of Salesforce's records, with the object and the URL of a record.
///
/// Other servers have fields of this name, such as the object with all fields of a record in JSON:API. The value
/// distinguishes the two.
package enum RecordMetadata {
    /// The name of the member.
    package static let name = "attributes"

    /// Returns whether a value of the member is metadata, and not a field: an object with no other members than `type`
    /// and `url`, or null.
    package static func isMetadata(_ value: JSONText) -> Bool {
        guard let members = value.members else { return value == .null }
        return members.allSatisfy { $0.key == "type" || $0.key == "url" }
    }

    /// Returns the name of the member, unless one of the records has a field of this name.
    package static func names(in records: [JSONText?]) -> [String] {
        let values = records.compactMap { record in record?.members?.first { $0.key == name }?.value }
        return values.allSatisfy(isMetadata) ? [name] : []
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A field of a record whose value is the local ID of another record.
///
/// Only whole values of top-level members count: a nested object can refer to a record by an external ID, which is no
/// ID of the server and must not be replaced.
struct LocalReference: Sendable, Hashable {
    var field: String
    /// The local ID of the other record.
    var id: String
    /// Whether the description of the object says that the field contains IDs of records.
    var isDescribed = false
    /// Whether an update can send the field, so that a creation can be sent without it.
    var isUpdatable = true

    /// Whether the ID has the form that SoupKit gives to local IDs.
    ///
    /// A text of another form is only a reference if an entry has this ID.
    var isCertain: Bool { LocalId.digits(of: id) != nil }
}

extension JSONText {
    /// Returns the members of a record that contain local IDs, except a given ID, in the order of the record.
    ///
    /// - Parameter own: the ID of the record itself, which can also be the value of its external ID.
    func localReferences(except own: String?) -> [LocalReference] {
        guard mayContainLocalId else { return [] }
        return (members ?? []).compactMap { member in
            guard let id = member.value.string, LocalId.isLocal(id), id != own else { return nil }
            return LocalReference(field: member.key, id: id)
        }
    }

    /// Whether a string that begins like a local ID occurs in the text; it costs less than reading the members.
    private var mayContainLocalId: Bool {
        let prefix = Array("\"\(LocalId.prefix)".utf8)
        var matched = 0
        for byte in bytes {
            matched = byte == prefix[matched] ? matched + 1 : byte == prefix[0] ? 1 : 0
            if matched == prefix.count { return true }
        }
        return false
    }
}

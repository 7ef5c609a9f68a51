// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A search for details that the app has moved below a record that it then deleted.
///
/// The server deletes the record without them, because it has them below other records. The app has deleted them with
/// the record, so each becomes a deletion of its own when the server has deleted the record.
struct MovedDetails {
    let layout: RecordLayout
    let reader: any StoreReader

    /// Returns whether a child may have another parent on the server, because the app has moved it since it was synced
    /// or sent.
    ///
    /// Without a synced copy, every changed child may have been moved.
    func mayBeElsewhere(_ entry: SoupEntry, _ key: EntryKey, level position: Int) throws -> Bool {
        guard let field = layout.levels[position].parentIdField.map({ JSONPath($0) }), entry.flags.local else {
            return false
        }
        if entry.flags.created {
            // With an unknown outcome, the server may have it as it was sent.
            let mark = try InFlightCreates.marks(of: [key.soup], in: reader).first { $0.key == key }
            return mark.map { $0.record?[field]?.idText != entry[field]?.idText } ?? false
        }
        guard let copy = try reader.syncedCopy(of: key) else { return true }
        return copy[field]?.idText != entry[field]?.idText
    }

    /// Returns the details below a record that may be elsewhere, with the positions of their levels; not those below
    /// them.
    func details(below record: PushRecord) throws -> [(entry: SoupEntry, level: Int)] {
        var details: [(entry: SoupEntry, level: Int)] = []
        try layout.forEachDescendant(of: record.id, level: record.level, in: reader) { key, position, entry in
            guard layout.relationship(of: position) == .masterDetail else { return false }
            guard try mayBeElsewhere(entry, key, level: position) else { return true }
            details.append((entry, position))
            return false
        }
        return details
    }
}

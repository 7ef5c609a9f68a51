// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Converts local flags to `true` and `false`, so that guards, indexes and queries have to handle only these spellings.
enum FlagSpelling {
    /// Returns the record with booleans in place of the values of some fields; all other bytes are unchanged.
    ///
    /// - Parameter fields: the fields as found by a projection of the source.
    static func withBooleans(at fields: [JSONField], in record: ArraySlice<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(record.count + 8)
        var position = record.startIndex
        for field in fields.sorted(by: { $0.start < $1.start }) {
            output += record[position..<field.start]
            output += boolean(JSONText(trusted: record[field.range])).bytes
            position = field.end
        }
        output += record[position...]
        return output
    }

    /// Returns the stamp with booleans for flags; a member that it removes stays removed.
    static func withBooleans(_ stamp: RecordBatch.Stamp) -> RecordBatch.Stamp {
        RecordBatch.Stamp(
            stamp.members.map { member in
                guard let value = member.value, EntryField.localFlags.contains(member.name) else { return member }
                return .init(member.name, boolean(value))
            })
    }

    private static func boolean(_ text: JSONText) -> JSONText { text.value.isSetFlag ? .true : .false }
}

extension JSONField {
    /// Whether a flag is present and is not written as a boolean.
    var isNonBooleanFlag: Bool {
        switch kind {
        case .true, .false, .missing: false
        default: true
        }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The stored text of a record.
enum EntryText {
    /// Returns the record without system fields, with each flag once and as a boolean, and with the stamp applied; all
    /// other bytes are unchanged.
    static func stored(_ record: JSONText, stamping stamp: RecordBatch.Stamp) -> JSONText {
        let stamp = normalized(stamp)
        let omitted = Set(system + stamp.members.map(\.name)).map { Array($0.utf8) }
        let text = withBooleanFlags(record, except: omitted)
        var seen: Set<[UInt8]> = []
        let removed = JSONParts.members(of: text.bytes).filter { member in
            omitted.contains(member.key) || (flags.contains(member.key) && !seen.insert(member.key).inserted)
        }.map(\.range)
        let added = stamp.members.compactMap { member in member.value.map { (member.name, $0) } }
        if removed.isEmpty && added.isEmpty { return text }
        var output: [UInt8] = []
        JSONSplice.append(text.bytes, removing: removed, adding: added, to: &output)
        return JSONText(trusted: output[...])
    }

    private static let system = [EntryField.entryId, EntryField.lastModified]
    private static let flags = Set(EntryField.localFlags.map { Array($0.utf8) })

    /// Returns the stamp without system fields, with each name once and flags as booleans.
    private static func normalized(_ stamp: RecordBatch.Stamp) -> RecordBatch.Stamp {
        stamp.members.filter { !system.contains($0.name) }.reduce(RecordBatch.Stamp.none) { stamp, member in
            let isFlag = EntryField.localFlags.contains(member.name)
            return stamp.setting(member.name, isFlag ? member.value.map(boolean) : member.value)
        }
    }

    private static func withBooleanFlags(_ record: JSONText, except omitted: [[UInt8]]) -> JSONText {
        var output: [UInt8] = []
        var position = record.bytes.startIndex
        for member in JSONParts.members(of: record.bytes)
        where flags.contains(member.key) && !omitted.contains(member.key) {
            output += record.bytes[position..<member.value.startIndex]
            output += boolean(JSONText(trusted: member.value)).bytes
            position = member.value.endIndex
        }
        return JSONText(trusted: (output + record.bytes[position...])[...])
    }

    private static func boolean(_ value: JSONText) -> JSONText { value.value.isSetFlag ? .true : .false }
}

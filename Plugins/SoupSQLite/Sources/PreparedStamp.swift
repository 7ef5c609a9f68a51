// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A stamp that is prepared for many records of one soup.
struct PreparedStamp {
    let stamp: RecordBatch.Stamp
    /// The members that it sets, as `"name":value,...`; empty if it only removes members.
    let suffix: [UInt8]
    /// The stamp's value for each column of the soup; nil if the record determines the value.
    let overrides: [IndexValue?]
    /// The positions, in a reader's projection, of the members that are removed: system fields, and members of the
    /// stamp.
    let removals: [Int]
    /// The positions, in a reader's projection, of the local flags that the stamp does not set.
    let flags: [Int]

    /// Use ``RowProjector/prepare(_:)`` instead, which knows its positions.
    init(_ stamp: RecordBatch.Stamp, for table: SoupTable, removing removals: [Int], flags: [Int]) {
        self.stamp = stamp
        self.flags = flags
        self.removals = removals
        var suffix: [UInt8] = []
        for member in stamp.members {
            guard let value = member.value else { continue }
            if !suffix.isEmpty { suffix.append(UInt8(ascii: ",")) }
            JSONEscapes.appendQuoted(member.name.utf8, to: &suffix)
            suffix.append(UInt8(ascii: ":"))
            suffix += value.bytes
        }
        self.suffix = suffix
        overrides = table.columns.map { column in Self.override(of: column, by: stamp) }
    }

    /// Returns the stamp without the system fields, which callers cannot set, and with booleans for flags.
    ///
    /// If a name occurs twice, the last value is used.
    static func normalized(_ stamp: RecordBatch.Stamp) -> RecordBatch.Stamp {
        let stamp = FlagSpelling.withBooleans(stamp)
        let system = [EntryField.entryId, EntryField.lastModified]
        let names = stamp.members.map(\.name)
        guard Set(names).count < names.count || names.contains(where: system.contains) else { return stamp }
        return stamp.members.filter { !system.contains($0.name) }.reduce(RecordBatch.Stamp.none) {
            $0.setting($1.name, $1.value)
        }
    }

    /// Returns the stamp's JSON value for a path; the outer nil if the stamp does not set the path.
    static func value(at path: JSONPath, in stamp: RecordBatch.Stamp) -> JSONText?? {
        let keys = path.keys
        guard let first = keys.first, let member = stamp.members.last(where: { $0.name == first }) else { return nil }
        guard let value = member.value, keys.count > 1 else { return .some(member.value) }
        // The path is resolved in an object with only this member, as it is in a record.
        var object = Array("{".utf8)
        JSONEscapes.appendQuoted(first.utf8, to: &object)
        object += Array(":".utf8) + value.bytes + Array("}".utf8)
        var found = JSONProjected()
        do {
            try JSONScanner.project(JSONProjection([path]), from: object, in: object.indices, into: &found)
        } catch {
            return .some(nil)
        }
        return .some(JSONText.text(of: found.fields[0], in: object[...], collected: found.collected))
    }

    private static func override(of column: IndexColumn, by stamp: RecordBatch.Stamp) -> IndexValue? {
        value(at: column.path, in: stamp).map { IndexValue($0, for: column.kind) }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension SyncDownTarget {
    /// Returns the layout of the target's pages: the target's own layout, or one level for the sync's soup.
    func recordLayout(for soup: SoupName) -> RecordLayout {
        RecordLayout(
            layout,
            or: RecordLayout.Level(
                soup: soup, idField: idField, modificationDateField: modificationDateField, dateFormat: dateFormat,
                versionField: versionField))
    }
}

extension SyncUpTarget {
    /// Returns the layout of the target's changes: the target's own layout, or one level for the sync's soup.
    ///
    /// If the target's own layout is not a tree, only its first soup is used.
    func recordLayout(for soup: SoupName) -> RecordLayout {
        RecordLayout(
            layout,
            or: RecordLayout.Level(
                soup: soup, idField: idField, modificationDateField: modificationDateField, dateFormat: dateFormat,
                versionField: versionField))
    }
}

extension RecordLayout {
    /// The layout with only the fields that link records to their parents.
    ///
    /// A sync down and a sync up of the same tree have the same links.
    var links: RecordLayout {
        RecordLayout(
            levels: levels.map {
                Level(
                    soup: $0.soup, idField: $0.idField, parentIdField: $0.parentIdField, parentLevel: $0.parentLevel)
            })
    }

    /// The soups of all levels.
    var soups: Set<SoupName> { Set(levels.map(\.soup)) }

    /// The error in a layout that a target defines; `nil` for a valid layout.
    var fault: String? {
        for (position, level) in levels.enumerated() where level.parentIdField != nil {
            guard levels.indices.contains(level.parentLevel), level.parentLevel < position else {
                return
                    "names level \(level.parentLevel) as the parents of level \(position); parents come before children"
            }
        }
        return nil
    }

    /// Uses a target's own layout; a layout without levels counts as none.
    fileprivate init(_ own: RecordLayout?, or level: Level) {
        self = own.flatMap { $0.levels.isEmpty ? nil : $0 } ?? RecordLayout(levels: [level])
    }
}

extension RecordLayout.Level {
    /// Returns the modification date of a record in milliseconds; `nil` if it is missing or unreadable.
    func time(of record: JSONText?) -> Int64? {
        dateFormat.milliseconds(in: record?[JSONPath(modificationDateField)])
    }

    /// Returns a date that a target reported in ISO 8601 as the value of a record; `nil` if it is unreadable.
    ///
    /// For records with dates in ISO 8601, the text stays as the target reported it.
    func value(ofDate text: String) -> JSONText? {
        guard dateFormat != .iso8601 else { return .string(text) }
        return DateText.milliseconds(text).map { dateFormat.value(ofMilliseconds: $0) }
    }

    /// Returns the IDs of the entries that contain a record of the server.
    func entryIds(ofRecord id: String, in reader: any StoreReader) throws -> [Int64] {
        let value = try reader.idValue(id, at: idField, in: soup).value
        // An index of numbers also finds other forms of the number.
        return try reader.allEntries(.exact(soup, JSONPath(idField), equals: value, pageSize: 100))
            .filter { $0.stored[JSONPath(idField)]?.idText == id }.map(\.id)
    }

    /// Returns the stamp of a record's version; without one it is removed, because an earlier one is outdated.
    func stamp(ofVersion version: JSONText?) -> RecordBatch.Stamp {
        versionField.map { RecordBatch.Stamp().setting($0, version) } ?? .none
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension SyncDownTarget {
    /// Returns the layout of the target's pages: the target's own layout, or one level for the sync's soup.
    func recordLayout(for soup: SoupName) -> RecordLayout {
        RecordLayout(
            layout, or: RecordLayout.Level(soup: soup, idField: idField, modificationDateField: modificationDateField))
    }
}

extension SyncUpTarget {
    /// Returns the layout of the target's changes: the target's own layout, or one level for the sync's soup.
    ///
    /// If the target's own layout is not a tree, only its first soup is used.
    func recordLayout(for soup: SoupName) -> RecordLayout {
        RecordLayout(
            layout, or: RecordLayout.Level(soup: soup, idField: idField, modificationDateField: modificationDateField))
    }
}

extension RecordLayout {
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

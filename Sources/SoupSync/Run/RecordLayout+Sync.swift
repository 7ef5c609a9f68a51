// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension SyncDownTarget {
    /// Returns the layout of the target's pages: the target's own layout, or one part for the sync's soup.
    func recordLayout(for soup: SoupName) -> RecordLayout {
        RecordLayout(
            layout, or: RecordLayout.Part(soup: soup, idField: idField, modificationDateField: modificationDateField))
    }
}

extension SyncUpTarget {
    /// Returns the layout of the target's changes: the target's own layout, or one part for the sync's soup.
    ///
    /// If the target's own layout is not a tree, only its first soup is used.
    func recordLayout(for soup: SoupName) -> RecordLayout {
        RecordLayout(
            layout, or: RecordLayout.Part(soup: soup, idField: idField, modificationDateField: modificationDateField))
    }
}

extension RecordLayout {
    /// The soups of all parts.
    var soups: Set<SoupName> { Set(parts.map(\.soup)) }

    /// The error in a layout that a target defines; `nil` for a valid layout.
    var fault: String? {
        for (position, part) in parts.enumerated() where part.parentIdField != nil {
            guard parts.indices.contains(part.parentPart), part.parentPart < position else {
                return "names part \(part.parentPart) as the parents of part \(position); parents come before children"
            }
        }
        return nil
    }

    /// Uses a target's own layout; a layout without parts counts as none.
    fileprivate init(_ own: RecordLayout?, or part: Part) {
        self = own.flatMap { $0.parts.isEmpty ? nil : $0 } ?? RecordLayout(parts: [part])
    }
}

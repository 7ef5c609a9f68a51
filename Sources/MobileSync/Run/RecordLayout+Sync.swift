// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension SyncDownTarget {
    /// The soups of the target's pages: its own layout, or the sync's soup alone.
    func recordLayout(for soup: SoupName) -> RecordLayout {
        RecordLayout(
            layout, or: RecordLayout.Part(soup: soup, idField: idField, modificationDateField: modificationDateField))
    }
}

extension SyncUpTarget {
    /// The soups of the target's changes: its own layout, or the sync's soup alone.
    ///
    /// A layout that makes no tree is used as far as its first soup.
    func recordLayout(for soup: SoupName) -> RecordLayout {
        RecordLayout(
            layout, or: RecordLayout.Part(soup: soup, idField: idField, modificationDateField: modificationDateField))
    }
}

extension RecordLayout {
    /// The soups of all parts.
    var soups: Set<SoupName> { Set(parts.map(\.soup)) }

    /// What is wrong with a layout that somebody's target made; nil for one that can be worked with.
    var fault: String? {
        for (position, part) in parts.enumerated() where part.parentIdField != nil {
            guard parts.indices.contains(part.parentPart), part.parentPart < position else {
                return "names part \(part.parentPart) as the parents of part \(position); parents come before children"
            }
        }
        return nil
    }

    /// A target's own layout; one without parts counts as none.
    fileprivate init(_ own: RecordLayout?, or part: Part) {
        self = own.flatMap { $0.parts.isEmpty ? nil : $0 } ?? RecordLayout(parts: [part])
    }
}

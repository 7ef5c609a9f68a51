// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The way from records up to the roots of their trees, as the entries of the store show it.
///
/// It remembers the ways that it went, and is to be used within one transaction.
struct TreeClimb {
    /// A record above another.
    struct Ancestor: Hashable {
        /// The position of its part in the layout.
        var part: Int
        /// Its id, be it a temporary one.
        var id: String
        /// Nil for a record that is not in the store, and for a root when roots are not looked up.
        var entryId: Int64?
    }

    private struct Place: Hashable {
        var part: Int
        var id: String
    }

    let layout: RecordLayout
    let reader: any StoreReader
    /// Whether the entries of roots are wanted, and not their ids alone.
    var findsRoots = false
    private var known: [Place: [Ancestor]] = [:]

    init(layout: RecordLayout, reader: any StoreReader, findsRoots: Bool = false) {
        self.layout = layout
        self.reader = reader
        self.findsRoots = findsRoots
    }

    /// The records above an entry, its parent first; they end early where one is not in the store.
    mutating func ancestors(of entry: SoupEntry, part position: Int) throws -> [Ancestor] {
        let part = layout.parts[position]
        guard let field = part.parentIdField, part.parentPart < position, let id = entry[JSONPath(field)]?.idText else {
            return []
        }
        return try chain(from: id, part: part.parentPart)
    }

    /// A record, and those above it.
    mutating func chain(from id: String, part position: Int) throws -> [Ancestor] {
        let place = Place(part: position, id: id)
        if let chain = known[place] { return chain }
        let part = layout.parts[position]
        let isRoot = part.parentIdField == nil
        var ancestor = Ancestor(part: position, id: id)
        var above: [Ancestor] = []
        if !isRoot || findsRoots {
            ancestor.entryId = try reader.lookup(.string(id), at: JSONPath(part.idField), in: part.soup)
            if !isRoot, let entryId = ancestor.entryId,
                let entry = try reader.retrieve([entryId], from: part.soup).first
            {
                above = try ancestors(of: entry, part: position)
            }
        }
        known[place] = [ancestor] + above
        return [ancestor] + above
    }
}

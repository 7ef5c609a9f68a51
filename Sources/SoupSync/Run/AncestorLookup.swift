// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A look-up of the ancestors of records, up to the roots of their trees, in the entries of the store.
///
/// It caches the visited records, so it must be used within one transaction.
struct AncestorLookup {
    /// A record above another one in a tree.
    struct Ancestor: Hashable {
        /// The position of its level in the layout.
        var level: Int
        /// Its ID, which may be a temporary one.
        var id: String
        /// The ID of its entry; `nil` if the record is not in the store, or is a root and roots are not looked up.
        var entryId: Int64?
        /// The flags of its entry; none for roots.
        var flags = LocalFlags()
    }

    private struct Record: Hashable {
        var level: Int
        var id: String
    }

    let layout: RecordLayout
    let reader: any StoreReader
    /// Whether to look up the entries of roots, and not only their IDs.
    var findsRoots = false
    private var known: [Record: [Ancestor]] = [:]

    init(layout: RecordLayout, reader: any StoreReader, findsRoots: Bool = false) {
        self.layout = layout
        self.reader = reader
        self.findsRoots = findsRoots
    }

    /// Returns the records above an entry, starting with its parent; the list ends at a record that is not in the
    /// store.
    mutating func ancestors(of entry: SoupEntry, level position: Int) throws -> [Ancestor] {
        let level = layout.levels[position]
        guard let field = level.parentIdField, level.parentLevel < position, let id = entry[JSONPath(field)]?.idText
        else {
            return []
        }
        return try chain(from: id, level: level.parentLevel)
    }

    /// Returns a record and the records above it.
    mutating func chain(from id: String, level position: Int) throws -> [Ancestor] {
        let record = Record(level: position, id: id)
        if let chain = known[record] { return chain }
        let level = layout.levels[position]
        let isRoot = level.parentIdField == nil
        var ancestor = Ancestor(level: position, id: id)
        var above: [Ancestor] = []
        if !isRoot || findsRoots {
            ancestor.entryId = try reader.lookup(.string(id), at: JSONPath(level.idField), in: level.soup)
            if !isRoot, let entryId = ancestor.entryId,
                let entry = try reader.retrieve([entryId], from: level.soup).first
            {
                ancestor.flags = entry.flags
                above = try ancestors(of: entry, level: position)
            }
        }
        known[record] = [ancestor] + above
        return [ancestor] + above
    }
}

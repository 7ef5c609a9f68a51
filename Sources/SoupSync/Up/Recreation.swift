// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// An operation that turns records that were deleted on the server into creations, with their deleted children.
///
/// Before they are sent, the server is asked whether the children were really deleted, and whether the records have
/// been recreated in the meantime: see ``RecreationCheck``.
struct Recreation {
    let layout: RecordLayout
    let writer: any StoreWriter

    /// Marks a record and its children as creations.
    ///
    /// - Parameters:
    ///   - id: the ID by which its children refer to it.
    ///   - accepted: the entries that the server accepted and therefore has.
    func recreate(_ key: EntryKey, id: String?, level: Int, except accepted: Set<EntryKey> = []) throws {
        try stamp(key, .creation)
        try recreateChildren(of: id, level: level, except: accepted)
    }

    /// Marks the children and the deleted parents of a record as creations, after a conflict was resolved for the local
    /// side.
    ///
    /// - Parameter id: the ID by which its children refer to it; `nil` if the record exists, and therefore its children
    ///   do too.
    func recreateRelated(to key: EntryKey, id: String?, lostParents: [EntryKey]) throws {
        for (_, level) in layout.places(of: key.soup) { try recreateChildren(of: id, level: level) }
        for key in lostParents {
            // A parent that has been changed locally since is in conflict itself.
            guard let parent = try writer.retrieve([key.id], from: key.soup).first, !parent.flags.local else {
                continue
            }
            for (_, level) in layout.places(of: key.soup) {
                try recreate(key, id: parent[JSONPath(layout.levels[level].idField)]?.idText, level: level)
            }
        }
    }

    /// Marks the children of a record as creations.
    ///
    /// A child that is to be deleted is unchanged: it may have been moved to another parent before its own was
    /// deleted.
    private func recreateChildren(of id: String?, level: Int, except accepted: Set<EntryKey> = []) throws {
        try layout.forEachDescendant(of: id, level: level, in: writer) { key, position, entry in
            // The server deleted the children together with their parent.
            let isOnServer = layout.relationship(of: position) == .lookup || accepted.contains(key)
            if entry.flags.deleted, !entry.flags.created { return false }
            // A creation may be in a conflict, which a write would end.
            if !entry.flags.created { try stamp(key, isOnServer ? .update : .creation) }
            return !isOnServer
        }
    }

    private func stamp(_ key: EntryKey, _ stamp: RecordBatch.Stamp) throws {
        _ = try writer.stamp([EntryStamp(id: key.id, stamp: stamp)], in: key.soup)
    }
}

extension RecordLayout {
    /// Calls `body` for the entries below a record, parents before children.
    ///
    /// - Parameter body: returns whether to continue below an entry.
    func forEachDescendant(
        of id: String?, level: Int, in reader: any StoreReader, _ body: (EntryKey, Int, SoupEntry) throws -> Bool
    ) throws {
        let trees = TreeReader(layout: self)
        for position in children(of: level) {
            let own = levels[position]
            for entry in try trees.children(of: id, level: own, in: reader) {
                guard try body(EntryKey(soup: own.soup, id: entry.id), position, entry) else { continue }
                try forEachDescendant(of: entry[JSONPath(own.idField)]?.idText, level: position, in: reader, body)
            }
        }
    }
}

// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Turns records that are gone from the server into creations, with the details that went with them.
///
/// Whether the details really went, and whether nobody made the records anew meanwhile, is asked before they are sent:
/// see ``UpRun/settleRevived(_:)``.
struct Revival {
    let layout: RecordLayout
    let writer: any StoreWriter

    /// Lets a record be made again, with its details.
    ///
    /// - Parameters:
    ///   - id: the id that its children know it by.
    ///   - accepted: what the server took after all, and therefore has.
    func revive(_ key: EntryKey, id: String?, part: Int, sparing accepted: Set<EntryKey> = []) throws {
        try stamp(key, .creation)
        try reviveDetails(of: id, part: part, sparing: accepted)
    }

    /// Lets the details and the lost parents of a record be made again: the local side of a conflict has won.
    ///
    /// - Parameter id: what its details know it by; nil for a record that is there, and so are its details.
    func reviveFamily(of key: EntryKey, id: String?, _ lostParents: [EntryKey]) throws {
        for (_, part) in layout.places(of: key.soup) { try reviveDetails(of: id, part: part) }
        for key in lostParents {
            // One that was changed since is in conflict itself.
            guard let parent = try writer.retrieve([key.id], from: key.soup).first, !parent.flags.local else {
                continue
            }
            for (_, part) in layout.places(of: key.soup) {
                try revive(key, id: parent[JSONPath(layout.parts[part].idField)]?.idText, part: part)
            }
        }
    }

    /// Lets the details of a record be made again.
    ///
    /// One that is to be deleted stays so: it may have been put under another master before its own went.
    private func reviveDetails(of id: String?, part: Int, sparing accepted: Set<EntryKey> = []) throws {
        try layout.forEachDescendant(of: id, part: part, in: writer) { key, position, entry in
            // The details went with their master.
            let isThere = layout.relationship(of: position) == .lookup || accepted.contains(key)
            if entry.flags.deleted, !entry.flags.created { return false }
            // A write would end the conflict that a creation may be in.
            if !entry.flags.created { try stamp(key, isThere ? .update : .creation) }
            return !isThere
        }
    }

    private func stamp(_ key: EntryKey, _ stamp: Stamp) throws {
        _ = try writer.stamp([EntryStamp(id: key.id, stamp: stamp)], in: key.soup)
    }
}

extension RecordLayout {
    /// Goes through the entries below a record, parents before children.
    ///
    /// - Parameter body: tells whether to go on below an entry.
    func forEachDescendant(
        of id: String?, part: Int, in reader: any StoreReader, _ body: (EntryKey, Int, SoupEntry) throws -> Bool
    ) throws {
        let units = UnitReader(layout: self, blocked: [], wantsBystanders: false)
        for position in children(of: part) {
            let own = parts[position]
            for entry in try units.children(of: id, own, reader) {
                guard try body(EntryKey(soup: own.soup, id: entry.id), position, entry) else { continue }
                try forEachDescendant(of: entry[JSONPath(own.idField)]?.idText, part: position, in: reader, body)
            }
        }
    }
}

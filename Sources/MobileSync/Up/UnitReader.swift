// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Reads from the store what there is to push, as it is at that moment.
struct UnitReader: Sendable {
    let layout: RecordLayout
    /// Creations whose fate is unknown: they are not read, whatever their flags.
    var blocked: Set<EntryKey>
    /// Whether clean children are wanted as well.
    let wantsBystanders: Bool
    /// Whether the synced copies of updates are wanted as well.
    var wantsBases = false

    /// What an entry turned out to be.
    enum Found: Sendable {
        case unit(PushUnit)
        /// Made and deleted here: it goes without a word to the server.
        case localOnly(PushMember)
        /// Not there, or without anything to push.
        case nothing
    }

    private var root: RecordLayout.Part { layout.parts[0] }

    /// A dirty child whose parent is not in the store: there is nothing to push it under.
    struct Orphan: Sendable {
        var member: PushMember
        /// Whether it was made and deleted here.
        var isLocalOnly: Bool
    }

    /// The ids of the entries with something to push, in the order of their creation.
    ///
    /// For trees: the parents that are dirty or have a dirty child; beside them, the dirty children without a parent.
    func dirty(_ reader: any StoreReader) throws -> (roots: [Int64], orphans: [Orphan]) {
        let dirty = try reader.dirtyIds(in: root.soup)
        guard layout.isTree else { return (dirty, []) }
        var ids = Set(dirty)
        var orphans: [Orphan] = []
        var parents: [String: Int64?] = [:]
        for (position, part) in layout.parts.enumerated() {
            guard let parentIdField = part.parentIdField else { continue }
            for child in try reader.retrieve(try reader.dirtyIds(in: part.soup), from: part.soup) {
                if let parentId = child[JSONPath(parentIdField)]?.idText {
                    let known = parents[parentId]
                    let parent =
                        try known ?? reader.lookup(.string(parentId), at: JSONPath(root.idField), in: root.soup)
                    parents[parentId] = .some(parent)
                    if let parent {
                        ids.insert(parent)
                        continue
                    }
                }
                let flags = child.flags
                guard let kind = flags.change, !blocked.contains(EntryKey(soup: part.soup, id: child.id)) else {
                    continue
                }
                orphans.append(
                    Orphan(
                        member: member(child, kind, part: position, isDirty: true), isLocalOnly: flags.isLocalOnly))
            }
        }
        return (ids.sorted(), orphans)
    }

    /// What the entries of these ids have to push, one answer for each.
    func read(_ ids: [Int64], _ reader: any StoreReader) throws -> [Found] {
        let entries = Dictionary(
            try reader.retrieve(ids, from: root.soup).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let bases = try bases(of: ids, root, reader)
        return try ids.map { id in
            guard let entry = entries[id], !blocked.contains(EntryKey(soup: root.soup, id: id)) else {
                return .nothing
            }
            let flags = entry.flags
            guard let kind = flags.change ?? (layout.isTree ? RecordChange.Kind.none : nil) else { return .nothing }
            let member = member(entry, kind, part: 0, isDirty: kind != .none, bases[id])
            if flags.isLocalOnly { return .localOnly(member) }
            return .unit(try unit(member, reader))
        }
    }

    private func unit(_ root: PushMember, _ reader: any StoreReader) throws -> PushUnit {
        var unit = PushUnit(root: root)
        // The server deletes the details with their master; there is nothing to say about them.
        guard layout.isTree, !(root.kind == .delete && layout.relationship == .masterDetail) else { return unit }
        for (position, part) in layout.parts.enumerated() where part.parentIdField != nil {
            let children = try children(of: root, part, reader)
            let bases = try bases(of: children.map(\.id), part, reader)
            for entry in children {
                let key = EntryKey(soup: part.soup, id: entry.id)
                guard !blocked.contains(key) else { continue }
                let flags = entry.flags
                if flags.isLocalOnly {
                    unit.removals.append(member(entry, .delete, part: position, isDirty: true))
                } else if let kind = flags.change {
                    unit.children.append(member(entry, kind, part: position, isDirty: true, bases[entry.id]))
                } else if root.kind == .create {
                    // The parent gets its id only now, and the child must follow.
                    unit.children.append(member(entry, .update, part: position, isDirty: false))
                } else if wantsBystanders {
                    unit.bystanders.append(member(entry, .none, part: position, isDirty: false))
                }
            }
        }
        return unit
    }

    /// The children of a parent in the store, in the order of their creation.
    func children(
        of root: PushMember, _ part: RecordLayout.Part, _ reader: any StoreReader
    ) throws -> [SoupEntry] {
        guard let id = root.id, let parentIdField = part.parentIdField else { return [] }
        return try reader.allEntries(.exact(part.soup, JSONPath(parentIdField), .string(id), pageSize: 1000))
            .sorted { $0.id < $1.id }
    }

    private func bases(
        of ids: [Int64], _ part: RecordLayout.Part, _ reader: any StoreReader
    ) throws -> [Int64: JSONText] {
        guard wantsBases else { return [:] }
        return try reader.syncedCopies(of: ids, in: part.soup).mapValues {
            SoupEntry(id: 0, lastModified: 0, stored: $0).recordForServer
        }
    }

    func member(
        _ entry: SoupEntry, _ kind: RecordChange.Kind, part position: Int, isDirty: Bool, _ base: JSONText? = nil
    ) -> PushMember {
        let part = layout.parts[position]
        return PushMember(
            key: EntryKey(soup: part.soup, id: entry.id), part: position, kind: kind, version: entry.lastModified,
            id: entry[JSONPath(part.idField)]?.idText.flatMap { $0.isEmpty ? nil : $0 },
            localDate: entry[JSONPath(part.modificationDateField)]?.stringValue, isDirty: isDirty,
            record: entry.recordForServer, base: kind == .update ? base : nil)
    }
}

extension SoupEntry {
    /// The record as the app made it: without the flags and notes that SoupKit keeps in it.
    var recordForServer: JSONText {
        var projected = JSONProjected()
        guard
            (try? JSONScanner.project(
                Self.ownFields, from: stored.bytes.span, in: 0..<stored.bytes.count, into: &projected)) != nil
        else { return stored }
        let members = projected.fields.filter { !$0.isMissing }.map { $0.memberStart..<$0.end }
        guard !members.isEmpty else { return stored }
        var output: [UInt8] = []
        output.reserveCapacity(stored.bytes.count)
        JSONSplice.append(stored.bytes, removing: members, adding: [], to: &output)
        return JSONText(trusted: output[...])
    }

    private static let ownFields = JSONProjection(
        (EntryField.localFlags + [EntryField.syncId, EntryField.lastError]).map { JSONPath($0) })
}

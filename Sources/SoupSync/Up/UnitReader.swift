// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Reads the changes to push from the store, in their current state.
struct UnitReader: Sendable {
    let layout: RecordLayout
    /// Creations with an unknown outcome; they are not read, whatever their flags are.
    var blocked: Set<EntryKey>
    /// Clean children that do not follow a parent to be created; on the server they are under another parent.
    var settledElsewhere: Set<EntryKey> = []
    /// Whether to include clean children.
    let wantsBystanders: Bool
    /// Whether to include the synced copies of updates.
    var wantsBases = false
    /// Whether the store keeps synced copies.
    var knowsBases = false

    /// The result of reading an entry.
    enum Found: Sendable {
        case unit(PushUnit)
        /// The entry was created and deleted locally; it is removed without a request.
        case localOnly(PushMember)
        /// The entry does not exist, or has nothing to push.
        case nothing
        /// The entry's text is unreadable.
        case damaged(PushFailure)

        var sort: Sort {
            switch self {
            case .damaged(let failure): .damaged(failure)
            case .unit(let unit): .unit(unit.root.kind)
            case .localOnly: .localOnly
            case .nothing: .nothing
            }
        }
    }

    private var root: RecordLayout.Part { layout.parts[0] }

    /// A dirty child without its parent, or a higher ancestor, in the store, so that it cannot be pushed in a tree.
    struct Orphan: Sendable {
        var member: PushMember
        /// Whether it was created and deleted locally.
        var isLocalOnly: Bool
    }

    /// Returns the IDs of the entries that have something to push, in the order of their creation.
    ///
    /// For trees, these are the roots that are dirty or have dirty entries below them. Dirty entries without a root are
    /// returned separately.
    func dirty(_ reader: any StoreReader) throws -> (roots: [Int64], orphans: [Orphan]) {
        let dirty = try reader.dirtyIds(in: root.soup)
        guard layout.isTree else { return (dirty, []) }
        var ids = Set(dirty)
        var orphans: [Orphan] = []
        var climb = TreeClimb(layout: layout, reader: reader, findsRoots: true)
        for (position, part) in layout.parts.enumerated() where part.parentIdField != nil {
            try forEachDirty(in: part.soup, reader) { child in
                let top = try climb.ancestors(of: child, part: position).last
                if let top, layout.parts[top.part].parentIdField == nil, let root = top.entryId {
                    ids.insert(root)
                    return
                }
                let flags = child.flags
                guard let kind = flags.change, !blocked.contains(EntryKey(soup: part.soup, id: child.id)) else {
                    return
                }
                orphans.append(
                    Orphan(
                        member: member(child, kind, part: position, isDirty: true), isLocalOnly: flags.isLocalOnly))
            }
        }
        return (ids.sorted(), orphans)
    }

    private func forEachDirty(
        in soup: SoupName, _ reader: any StoreReader, _ body: (SoupEntry) throws -> Void
    ) throws {
        let ids = try reader.dirtyIds(in: soup)
        for start in stride(from: 0, to: ids.count, by: 500) {
            try reader.retrieve(Array(ids[start..<min(start + 500, ids.count)]), from: soup).forEach(body)
        }
    }

    /// The kind of change of an entry, according to its flags.
    enum Sort: Sendable, Hashable {
        case unit(RecordChange.Kind)
        case localOnly
        case nothing
        case damaged(PushFailure)
    }

    /// Returns the kind of change of each entry by its flags, without reading the entries below it.
    func sorts(of ids: [Int64], _ reader: any StoreReader) throws -> [Sort] {
        let entries = try reader.retrieve(ids, from: root.soup).map { ($0.id, sort(of: $0)) }
        let sorts = Dictionary(entries, uniquingKeysWith: { first, _ in first })
        return ids.map { sorts[$0] ?? .nothing }
    }

    private func sort(of entry: SoupEntry) -> Sort {
        let flags = entry.flags
        if let failure = entry.failure(in: root.soup) { return .damaged(failure) }
        guard !blocked.contains(EntryKey(soup: root.soup, id: entry.id)),
            let kind = flags.change ?? (layout.isTree ? RecordChange.Kind.none : nil)
        else { return .nothing }
        return flags.isLocalOnly ? .localOnly : .unit(kind)
    }

    /// Returns the changes to push for each of the entries.
    func read(_ ids: [Int64], _ reader: any StoreReader) throws -> [Found] {
        let entries = Dictionary(
            try reader.retrieve(ids, from: root.soup).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let bases = wantsBases ? try bases(of: ids, root, reader) : [:]
        return try ids.map { id in
            guard let entry = entries[id] else { return .nothing }
            switch sort(of: entry) {
            case .nothing: return .nothing
            case .damaged(let failure): return .damaged(failure)
            case .localOnly: return .localOnly(member(entry, .delete, part: 0, isDirty: true))
            case .unit(let kind):
                return .unit(try unit(member(entry, kind, part: 0, isDirty: kind != .none, bases[id]), reader))
            }
        }
    }

    private func unit(_ root: PushMember, _ reader: any StoreReader) throws -> PushUnit {
        var unit = PushUnit(root: root)
        try addChildren(of: root, at: nil, to: &unit, reader)
        return unit
    }

    /// Adds the children of a member, level by level; children that are only parents of others have the kind `none`.
    private func addChildren(
        of parent: PushMember, at parentPosition: Int?, to unit: inout PushUnit, _ reader: any StoreReader
    ) throws {
        for position in layout.children(of: parent.part) {
            // The server deletes the details with their master, so they are not sent.
            guard !(parent.kind == .delete && layout.relationship(of: position) == .masterDetail) else { continue }
            let part = layout.parts[position]
            let children = try children(of: parent.id, part, reader)
            let bases = try bases(of: children.filter { $0.flags.change == .update }.map(\.id), part, reader)
            for entry in children {
                guard !blocked.contains(EntryKey(soup: part.soup, id: entry.id)) else { continue }
                let flags = entry.flags
                if flags.isLocalOnly {
                    unit.removals.append(member(entry, .delete, part: position, isDirty: true))
                    continue
                }
                // If the parent gets its ID in this push, the child must be updated to it.
                let follows =
                    parent.kind == .create && !settledElsewhere.contains(EntryKey(soup: part.soup, id: entry.id))
                let kind = flags.change ?? (follows ? .update : .none)
                let base = bases[entry.id]
                // A child without local changes that follows its parent has no other change to send.
                let known = flags.change == nil ? (follows ? entry.recordForServer : nil) : wantsBases ? base : nil
                var child = member(entry, kind, part: position, isDirty: flags.change != nil, known)
                child.parent = parentPosition
                if let base, let field = part.parentIdField {
                    child.isMoved = base[JSONPath(field)]?.idText != entry[JSONPath(field)]?.idText
                }
                let own = unit.children.count
                unit.children.append(child)
                try addChildren(of: child, at: own, to: &unit, reader)
                guard kind == .none, unit.children.count == own + 1 else { continue }
                unit.children.removeLast()
                if wantsBystanders { unit.bystanders.append(child) }
            }
        }
    }

    /// Returns the children of a record in the store, in the order of their creation.
    ///
    /// Damaged children are left out, because they can be neither pushed nor written.
    func children(of id: String?, _ part: RecordLayout.Part, _ reader: any StoreReader) throws -> [SoupEntry] {
        guard let id, let parentIdField = part.parentIdField else { return [] }
        return try reader.allEntries(.exact(part.soup, JSONPath(parentIdField), .string(id), pageSize: 1000))
            .filter { $0.failure(in: part.soup) == nil }
            .sorted { $0.id < $1.id }
    }

    private func bases(
        of ids: [Int64], _ part: RecordLayout.Part, _ reader: any StoreReader
    ) throws -> [Int64: JSONText] {
        guard wantsBases || knowsBases, !ids.isEmpty else { return [:] }
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
    /// The record without the flags and notes that SoupKit manages.
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

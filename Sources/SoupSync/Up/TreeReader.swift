// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// A reader of the changes to push, in their current state in the store.
struct TreeReader: Sendable {
    let layout: RecordLayout
    /// Creations with an unknown outcome; they are not read, whatever their flags are.
    var blocked: Set<EntryKey> = []
    /// Clean children that do not get the new ID of a parent to be created, because another user has changed them.
    var independent: Set<EntryKey> = []
    /// Whether to include unchanged children.
    var readsUnchangedChildren = false
    /// Whether updates contain the last synced version.
    var readsBases = false
    /// Whether the store keeps synced copies.
    var keepsSyncedCopies = false

    /// The result of reading an entry.
    enum Found: Sendable {
        case tree(PushTree)
        /// The entry was created and deleted locally; it is removed without a request.
        case localOnly(PushRecord)
        /// The entry does not exist, or has nothing to push.
        case nothing
        /// The entry's text is unreadable.
        case damaged(PushFailure)

        var pending: Pending {
            switch self {
            case .damaged(let failure): .damaged(failure)
            case .tree(let tree): .tree(tree.root.kind)
            case .localOnly: .localOnly
            case .nothing: .nothing
            }
        }
    }

    private var root: RecordLayout.Level { layout.levels[0] }

    /// A dirty child without its parent, or a higher ancestor, in the store, so that it cannot be pushed in a tree.
    struct Orphan: Sendable {
        var record: PushRecord
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
        var ancestorLookup = AncestorLookup(layout: layout, reader: reader, findsRoots: true)
        for (position, level) in layout.levels.enumerated() where level.parentIdField != nil {
            try reader.forEachDirty(in: level.soup) { child in
                let top = try ancestorLookup.ancestors(of: child, level: position).last
                if let top, layout.levels[top.level].parentIdField == nil, let root = top.entryId {
                    ids.insert(root)
                    return
                }
                let flags = child.flags
                guard let kind = flags.change, !blocked.contains(EntryKey(soup: level.soup, id: child.id)) else {
                    return
                }
                orphans.append(
                    Orphan(
                        record: record(child, kind, level: position, isDirty: true), isLocalOnly: flags.isLocalOnly))
            }
        }
        return (ids.sorted(), orphans)
    }

    /// The kind of change of an entry, according to its flags.
    enum Pending: Sendable, Hashable {
        case tree(RecordChange.Kind)
        case localOnly
        case nothing
        case damaged(PushFailure)
    }

    /// Returns the kind of change of each entry by its flags, without reading the entries below it.
    func pending(_ ids: [Int64], in reader: any StoreReader) throws -> [Pending] {
        let entries = try reader.retrieve(ids, from: root.soup).map { ($0.id, pending(of: $0)) }
        let found = Dictionary(entries, uniquingKeysWith: { first, _ in first })
        return ids.map { found[$0] ?? .nothing }
    }

    private func pending(of entry: SoupEntry) -> Pending {
        let flags = entry.flags
        if let failure = entry.failure(in: root.soup) { return .damaged(failure) }
        guard !blocked.contains(EntryKey(soup: root.soup, id: entry.id)),
            let kind = flags.change ?? (layout.isTree ? RecordChange.Kind.none : nil)
        else { return .nothing }
        return flags.isLocalOnly ? .localOnly : .tree(kind)
    }

    /// Returns the changes to push for each of the entries.
    func read(_ ids: [Int64], in reader: any StoreReader) throws -> [Found] {
        let entries = Dictionary(
            try reader.retrieve(ids, from: root.soup).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let bases = readsBases ? try syncedRecords(of: ids, level: root, in: reader) : [:]
        return try ids.map { id in
            guard let entry = entries[id] else { return .nothing }
            switch pending(of: entry) {
            case .nothing: return .nothing
            case .damaged(let failure): return .damaged(failure)
            case .localOnly: return .localOnly(record(entry, .delete, level: 0, isDirty: true))
            case .tree(let kind):
                let root = record(entry, kind, level: 0, isDirty: kind != .none, base: bases[id])
                var tree = PushTree(root: root)
                try addChildren(of: root, to: &tree, reader)
                return .tree(tree)
            }
        }
    }

    /// Adds the children of a record, level by level; children that are only parents of others have the kind `none`.
    private func addChildren(of parent: PushRecord, to tree: inout PushTree, _ reader: any StoreReader) throws {
        for position in layout.children(of: parent.level) {
            // The server deletes the children with their parent, so they are not sent.
            guard !(parent.kind == .delete && layout.relationship(of: position) == .masterDetail) else { continue }
            let level = layout.levels[position]
            let entries = try children(of: parent.id, level: level, in: reader)
            let updated = entries.filter { $0.flags.change == .update }.map(\.id)
            let bases = try syncedRecords(of: updated, level: level, in: reader)
            for entry in entries where !blocked.contains(EntryKey(soup: level.soup, id: entry.id)) {
                if entry.flags.isLocalOnly {
                    tree.localOnlyChildren.append(record(entry, .delete, level: position, isDirty: true))
                    continue
                }
                let child = child(entry, of: parent, level: position, base: bases[entry.id])
                let count = tree.children.count
                tree.children.append(child)
                try addChildren(of: child, to: &tree, reader)
                guard child.kind == .none, tree.children.count == count + 1 else { continue }
                tree.children.removeLast()
                if readsUnchangedChildren { tree.unchangedChildren.append(child) }
            }
        }
    }

    private func child(_ entry: SoupEntry, of parent: PushRecord, level position: Int, base: JSONText?) -> PushRecord {
        let level = layout.levels[position]
        let change = entry.flags.change
        // If the parent gets its ID in this push, the child must be updated to it.
        let getsNewParentID = parent.kind == .create && !independent.contains(EntryKey(soup: level.soup, id: entry.id))
        let kind = change ?? (getsNewParentID ? .update : .none)
        // A child without local changes that gets its parent's new ID has no other change to send.
        let known = change == nil ? (getsNewParentID ? entry.recordForServer : nil) : readsBases ? base : nil
        var child = record(entry, kind, level: position, isDirty: change != nil, base: known)
        child.parent = parent.key
        if let base, let field = level.parentIdField {
            child.isMoved = base[JSONPath(field)]?.idText != entry[JSONPath(field)]?.idText
        }
        return child
    }

    /// Returns the children of a record in the store, in the order of their creation.
    ///
    /// Damaged children are left out, because they can be neither pushed nor written.
    func children(
        of id: String?, level: RecordLayout.Level, in reader: any StoreReader
    ) throws -> [SoupEntry] {
        guard let id, let parentIdField = level.parentIdField else { return [] }
        return try reader.allEntries(.exact(level.soup, JSONPath(parentIdField), equals: .string(id), pageSize: 1000))
            .filter { $0.failure(in: level.soup) == nil }
            .sorted { $0.id < $1.id }
    }

    private func syncedRecords(
        of ids: [Int64], level: RecordLayout.Level, in reader: any StoreReader
    ) throws -> [Int64: JSONText] {
        guard readsBases || keepsSyncedCopies, !ids.isEmpty else { return [:] }
        return try reader.syncedCopies(of: ids, in: level.soup).mapValues {
            SoupEntry(id: 0, version: 0, stored: $0).recordForServer
        }
    }

    /// Returns an entry as a record of a tree.
    func record(
        _ entry: SoupEntry, _ kind: RecordChange.Kind, level position: Int, isDirty: Bool, base: JSONText? = nil
    ) -> PushRecord {
        let level = layout.levels[position]
        return PushRecord(
            key: EntryKey(soup: level.soup, id: entry.id), level: position, kind: kind, version: entry.version,
            id: entry[JSONPath(level.idField)]?.idText.flatMap { $0.isEmpty ? nil : $0 },
            localTime: level.time(of: entry.stored), isDirty: isDirty,
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

extension Sequence<TreeReader.Found> {
    /// The trees among the results, in order.
    var trees: [PushTree] { compactMap { if case .tree(let tree) = $0 { tree } else { nil } } }
}
